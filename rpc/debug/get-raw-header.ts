import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'

export const getRawHeader = defineMethod({
  name: 'debug_getRawHeader',
  cost: 1,
  parameters: [required(decodeBlockReference)],
  answer: ({ ask }, block) => ask('rawHeader', { block: requireBlock(block) }),
})
