import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'
import { decodeAddress } from '../parameters/hex.ts'

export const getBalance = defineMethod({
  name: 'eth_getBalance',
  parameters: [required(decodeAddress), required(decodeBlockReference)],
  answer: ({ ask }, address, block) => ask('balance', { address, block: requireBlock(block) }),
})
