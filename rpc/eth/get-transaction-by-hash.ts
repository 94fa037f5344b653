import { defineMethod, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'

export const getTransactionByHash = defineMethod({
  name: 'eth_getTransactionByHash',
  parameters: [required(decodeHash)],
  answer: ({ ask }, hash) => ask('transaction', { hash }),
})
