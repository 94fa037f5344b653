import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'

export const getRawReceipts = defineMethod({
  name: 'debug_getRawReceipts',
  cost: 10,
  parameters: [required(decodeBlockReference)],
  answer: ({ askText }, block) => askText('rawReceipts', { block: requireBlock(block) }),
})
