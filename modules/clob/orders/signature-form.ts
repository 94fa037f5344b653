/** What the 65 bytes of a signature must be, whatever was signed. */
import { hexToBytes } from '../../../core/hex.ts'
import { SIGNATURE_BYTES } from './fields.ts'

const S_OFFSET = 32
const V_OFFSET = 64

/** The largest r: the order of the group less one. */
const MAX_R = hexToBytes('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140')
/** The largest s: half the order, rounded down. Only one of the two signatures of a message counts. */
const MAX_S = hexToBytes('0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0')

/** Whether the 32 bytes at `offset` are an integer within 1 and `max`. */
const isWithin = (bytes: Uint8Array, offset: number, max: Uint8Array): boolean => {
  let isZero = true
  let isBelow = false
  for (let at = 0; at < max.length; at++) {
    const byte = bytes[offset + at] as number
    const bound = max[at] as number
    if (!isBelow && byte > bound) return false
    if (byte < bound) isBelow = true
    if (byte !== 0) isZero = false
  }
  return !isZero
}

/** r within 1 and the order less one, s within 1 and half the order, v 0 or 1. */
export const isSignatureForm = (signature: Uint8Array): boolean =>
  signature.length === SIGNATURE_BYTES &&
  (signature[V_OFFSET] as number) <= 1 &&
  isWithin(signature, 0, MAX_R) &&
  isWithin(signature, S_OFFSET, MAX_S)
