import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'
import { decodeString } from '../parameters/go-json.ts'
import { decodeAddress, parseSlot } from '../parameters/hex.ts'
import { judgeAtBlock } from '../parameters/judge-at-block.ts'

export const getStorageAt = defineMethod({
  name: 'eth_getStorageAt',
  parameters: [required(decodeAddress), required(decodeString), required(decodeBlockReference)],
  answer: (context, address, slot, reference) => {
    const block = requireBlock(reference)
    return judgeAtBlock(context, block, () => context.ask('storage', { address, slot: parseSlot(slot), block }))
  },
})
