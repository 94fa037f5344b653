import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'
import { decodeInt } from '../parameters/go-json.ts'
import { decodeAddress, decodeData } from '../parameters/hex.ts'

export const storageRangeAt = defineMethod({
  name: 'debug_storageRangeAt',
  cost: 100,
  readsDigits: true,
  parameters: [
    required(decodeBlockReference),
    required(decodeInt),
    required(decodeAddress),
    required(decodeData),
    required(decodeInt),
  ],
  answer: ({ ask }, block, txIndex, address, start, most) =>
    ask('storageRange', { block: requireBlock(block), txIndex, address, start, most }),
})
