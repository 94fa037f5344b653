import { defineMethod, required } from '../method.ts'
import { decodeBlockNumber } from '../parameters/block.ts'

export const getHeaderByNumber = defineMethod({
  name: 'eth_getHeaderByNumber',
  parameters: [required(decodeBlockNumber)],
  answer: ({ ask }, block) => ask('header', { block }),
})
