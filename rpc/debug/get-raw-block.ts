import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'

export const getRawBlock = defineMethod({
  name: 'debug_getRawBlock',
  cost: 10,
  parameters: [required(decodeBlockReference)],
  answer: ({ ask }, block) => ask('rawBlock', { block: requireBlock(block) }),
})
