import { defineMethod, required } from '../method.ts'
import { decodeBlockNumber } from '../parameters/block.ts'
import { decodeIndex } from '../parameters/hex.ts'

export const getTransactionByBlockNumberAndIndex = defineMethod({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  parameters: [required(decodeBlockNumber), required(decodeIndex)],
  answer: ({ ask }, block, index) => ask('transactionByIndex', { block, index }),
})
