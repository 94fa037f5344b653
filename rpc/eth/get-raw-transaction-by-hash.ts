import { defineMethod, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'

export const getRawTransactionByHash = defineMethod({
  name: 'eth_getRawTransactionByHash',
  parameters: [required(decodeHash)],
  answer: ({ ask }, hash) => ask('rawTransaction', { hash }),
})
