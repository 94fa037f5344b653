import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'
import { decodeAddress } from '../parameters/hex.ts'

export const getCode = defineMethod({
  name: 'eth_getCode',
  cost: 2,
  parameters: [required(decodeAddress), required(decodeBlockReference)],
  answer: ({ ask }, address, block) => ask('code', { address, block: requireBlock(block) }),
})
