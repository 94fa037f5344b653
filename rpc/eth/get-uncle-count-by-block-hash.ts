/** No block has uncles; an unknown one has no count. */
import { defineMethod, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'

export const getUncleCountByBlockHash = defineMethod({
  name: 'eth_getUncleCountByBlockHash',
  parameters: [required(decodeHash)],
  answer: async ({ ask }, hash) =>
    (await ask('blockTransactionCount', { block: { hash } })) === 'null' ? 'null' : '"0x0"',
})
