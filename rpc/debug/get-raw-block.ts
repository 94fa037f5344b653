import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'

export const getRawBlock = defineMethod({
  name: 'debug_getRawBlock',
  cost: 10,
  parameters: [required(decodeBlockReference)],
  answer: ({ askText }, block) => askText('rawBlock', { block: requireBlock(block) }),
})
