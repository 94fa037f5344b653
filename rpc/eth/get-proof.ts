import { rpcError } from '../errors.ts'
import { defineMethod, required } from '../method.ts'
import { decodeBlockReference, requireBlock } from '../parameters/block.ts'
import { arrayDecoder, decodeString } from '../parameters/go-json.ts'
import { decodeAddress, parseProofSlot } from '../parameters/hex.ts'

/** geth 1.16 has no bound here; its later versions give slots this one elsewhere, in these words. */
const MAX_SLOTS = 1024

const decodeSlots = arrayDecoder('[]string', decodeString)

export const getProof = defineMethod({
  name: 'eth_getProof',
  cost: 20,
  parameters: [required(decodeAddress), required(decodeSlots), required(decodeBlockReference)],
  answer: ({ ask }, address, texts, block) => {
    if (texts.length > MAX_SLOTS) throw rpcError('invalidParameters', `too many slots (max ${MAX_SLOTS})`)
    const slots = texts.map(parseProofSlot)
    return ask('proof', { address, slots, block: requireBlock(block) })
  },
})
