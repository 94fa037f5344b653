import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'

export const getBlockReceipts = defineMethod({
  name: 'eth_getBlockReceipts',
  cost: 20,
  parameters: [required(decodeBlockReference)],
  answer: ({ askText }, block) => askText('blockReceipts', { block: requireBlock(block) }),
})
