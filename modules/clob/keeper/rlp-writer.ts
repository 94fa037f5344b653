/** RLP of integers that are numbers: those of orders are written some thousand times a block. */
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'

const TWO_32 = 0x1_0000_0000
/** The header of an empty string and of a list. */
const STRING = 0x80
const LIST = 0xc0
/** A list of so many bytes or more has its length behind the header. */
const LONG = 56

/** Bytes without leading zeros; none of zero. */
const digitCount = (value: number): number =>
  value < TWO_32 ? (39 - Math.clz32(value)) >>> 3 : 4 + ((39 - Math.clz32(Math.floor(value / TWO_32))) >>> 3)

/** Bytes of an integer's item. */
export const uintLength = (value: number): number => (value < STRING ? 1 : 1 + digitCount(value))

/** Writes an integer's item, and returns where the next one begins. */
export const writeUint = (out: Uint8Array, at: number, value: number): number => {
  if (value < STRING) {
    out[at] = value === 0 ? STRING : value
    return at + 1
  }
  const count = digitCount(value)
  out[at] = STRING + count
  const end = at + 1 + count
  let position = end
  let low = value % TWO_32
  for (let left = Math.min(4, count); left > 0; left--) {
    out[--position] = low & 0xff
    low >>>= 8
  }
  let high = Math.floor(value / TWO_32)
  for (; position > at + 1; high >>>= 8) out[--position] = high & 0xff
  return end
}

/** Bytes of the item of a string of fewer than 56 bytes. */
export const bytesItemLength = (bytes: Uint8Array): number =>
  bytes.length === 1 && (bytes[0] as number) < STRING ? 1 : 1 + bytes.length

/** Writes a string of fewer than 56 bytes, and returns where the next item begins. */
export const writeBytesItem = (out: Uint8Array, at: number, bytes: Uint8Array): number => {
  const { length } = bytes
  if (length === 1 && (bytes[0] as number) < STRING) {
    out[at] = bytes[0] as number
    return at + 1
  }
  out[at] = STRING + length
  for (let index = 0; index < length; index++) out[at + 1 + index] = bytes[index] as number
  return at + 1 + length
}

/** Room for a list whose items take `payload` bytes, fewer than 256; they begin at `start`. */
export const openShortList = (payload: number): { readonly out: Uint8Array; readonly start: number } => {
  invariant(payload < 256, 'a list is longer than its header can say')
  const start = payload < LONG ? 1 : 2
  const out = new Uint8Array(start + payload)
  if (start === 1) out[0] = LIST + payload
  else {
    out[0] = LIST + LONG
    out[1] = payload
  }
  return { out, start }
}

/** The byte string of an integer, for `encodeRlp`. */
export const uint = (value: number): Uint8Array => {
  invariant(Number.isSafeInteger(value) && value >= 0, 'an integer of the order book is out of range')
  if (value === 0) return EMPTY_BYTES
  const length = digitCount(value)
  const out = new Uint8Array(length)
  for (let at = length - 1, rest = value; at >= 0; at--) {
    out[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return out
}
