import { defineMethod, required } from '../method.ts'
import { decodeBlockNumber } from '../parameters/block.ts'
import { decodeIndex } from '../parameters/hex.ts'

export const getRawTransactionByBlockNumberAndIndex = defineMethod({
  name: 'eth_getRawTransactionByBlockNumberAndIndex',
  parameters: [required(decodeBlockNumber), required(decodeIndex)],
  answer: ({ ask }, block, index) => ask('rawTransactionByIndex', { block, index }),
})
