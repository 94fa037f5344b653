import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'
import { decodeString } from '../parameters/go-json.ts'
import { decodeAddress, parseSlot } from '../parameters/hex.ts'

export const getStorageAt = defineMethod({
  name: 'eth_getStorageAt',
  parameters: [required(decodeAddress), required(decodeString), required(decodeBlockReference)],
  answer: ({ ask }, address, slot, block) =>
    ask('storage', { address, slot: parseSlot(slot), block: requireBlock(block) }),
})
