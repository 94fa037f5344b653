import { defineMethod, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'

export const getBlockTransactionCountByHash = defineMethod({
  name: 'eth_getBlockTransactionCountByHash',
  parameters: [required(decodeHash)],
  answer: ({ ask }, hash) => ask('blockTransactionCount', { block: { hash } }),
})
