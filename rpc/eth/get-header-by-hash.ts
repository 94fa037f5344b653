import { defineMethod, required } from '../method.ts'
import { decodeHash } from '../parameters/hex.ts'

export const getHeaderByHash = defineMethod({
  name: 'eth_getHeaderByHash',
  parameters: [required(decodeHash)],
  answer: ({ ask }, hash) => ask('header', { block: { hash } }),
})
