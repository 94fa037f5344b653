import { defineMethod, required } from '../method.ts'
import { decodeHash, decodeIndex } from '../parameters/hex.ts'

export const getTransactionByBlockHashAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockHashAndIndex',
  parameters: [required(decodeHash), required(decodeIndex)],
  answer: ({ ask }, hash, index) => ask('transactionByIndex', { block: { hash }, index }),
})
