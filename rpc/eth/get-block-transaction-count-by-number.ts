import { defineMethod, required } from '../method.ts'
import { decodeBlockNumber } from '../parameters/block.ts'

export const getBlockTransactionCountByNumber = defineMethod({
  name: 'eth_getBlockTransactionCountByNumber',
  parameters: [required(decodeBlockNumber)],
  answer: ({ ask }, block) => ask('blockTransactionCount', { block }),
})
