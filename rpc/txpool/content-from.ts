import { defineMethod, required } from '../method.ts'
import { decodeAddress } from '../parameters/hex.ts'

export const contentFrom = defineMethod({
  name: 'txpool_contentFrom',
  cost: 5,
  parameters: [required(decodeAddress)],
  answer: ({ ask }, address) => ask('txpoolContentFrom', { address }),
})
