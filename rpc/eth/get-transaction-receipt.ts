import { defineMethod, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'

export const getTransactionReceipt = defineMethod({
  name: 'eth_getTransactionReceipt',
  cost: 2,
  parameters: [required(decodeHash)],
  answer: ({ ask }, hash) => ask('receipt', { hash }),
})
