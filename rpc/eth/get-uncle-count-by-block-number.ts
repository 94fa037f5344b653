/** No block has uncles; an unknown one has no count. */
import { defineMethod, required } from '../method.ts'
import { decodeBlockNumber } from '../parameters/block.ts'

export const getUncleCountByBlockNumber = defineMethod({
  name: 'eth_getUncleCountByBlockNumber',
  parameters: [required(decodeBlockNumber)],
  answer: async ({ ask }, block) => ((await ask('blockTransactionCount', { block })) === 'null' ? 'null' : '"0x0"'),
})
