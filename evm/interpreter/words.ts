/**
 * Words of 256 bits as eight limbs of 32 bits, least significant first, in an Int32Array: arithmetic on them allocates
 * nothing. A word is named by the array and the place of its first limb.
 */
import type { Address } from '../../core/address.ts'
import { invariant } from '../../core/errors.ts'

export type Limbs = Int32Array

/** Limbs of a word. */
export const WORD = 8
const TWO_32 = 0x1_0000_0000

// The same eight limbs as four integers of 64 bits, least significant first on a little-endian machine.
const pieces = new BigUint64Array(4)
const limbs = new Int32Array(pieces.buffer)
const padded = new Uint8Array(32)
limbs[0] = 1
invariant(pieces[0] === 1n, 'the interpreter needs a little-endian machine')

export const isZero = (s: Limbs, at: number): boolean =>
  ((s[at] as number) |
    (s[at + 1] as number) |
    (s[at + 2] as number) |
    (s[at + 3] as number) |
    (s[at + 4] as number) |
    (s[at + 5] as number) |
    (s[at + 6] as number) |
    (s[at + 7] as number)) ===
  0

export const isEqual = (s: Limbs, a: number, t: Limbs, b: number): boolean => {
  for (let i = 0; i < WORD; i++) if (s[a + i] !== t[b + i]) return false
  return true
}

export const copyWord = (to: Limbs, at: number, from: Limbs, source: number): void => {
  to[at] = from[source] as number
  to[at + 1] = from[source + 1] as number
  to[at + 2] = from[source + 2] as number
  to[at + 3] = from[source + 3] as number
  to[at + 4] = from[source + 4] as number
  to[at + 5] = from[source + 5] as number
  to[at + 6] = from[source + 6] as number
  to[at + 7] = from[source + 7] as number
}

/** `limb` is the least significant; the others become zero. */
export const setSmall = (s: Limbs, at: number, limb: number): void => {
  s[at] = limb
  s[at + 1] = 0
  s[at + 2] = 0
  s[at + 3] = 0
  s[at + 4] = 0
  s[at + 5] = 0
  s[at + 6] = 0
  s[at + 7] = 0
}

/** A safe integer that is not negative. */
export const setNumber = (s: Limbs, at: number, value: number): void => {
  setSmall(s, at, value | 0)
  if (value >= TWO_32) s[at + 1] = Math.floor(value / TWO_32)
}

/** Reads a word as a number: exact below 2^53, Infinity from 2^64 on, between them rounded. For gas, offsets and sizes. */
export const toNumber = (s: Limbs, at: number): number => {
  const high =
    (s[at + 2] as number) |
    (s[at + 3] as number) |
    (s[at + 4] as number) |
    (s[at + 5] as number) |
    (s[at + 6] as number) |
    (s[at + 7] as number)
  if (high !== 0) return Infinity
  const second = s[at + 1] as number
  const first = (s[at] as number) >>> 0
  return second === 0 ? first : (second >>> 0) * TWO_32 + first
}

export const toBigint = (s: Limbs, at: number): bigint => {
  const value = toNumber(s, at)
  if (value <= Number.MAX_SAFE_INTEGER) return BigInt(value)
  copyWord(limbs, 0, s, at)
  const low = ((pieces[1] as bigint) << 64n) | (pieces[0] as bigint)
  const high = ((pieces[3] as bigint) << 64n) | (pieces[2] as bigint)
  return high === 0n ? low : (high << 128n) | low
}

/** Takes any integer modulo 2^256. */
export const setBigint = (s: Limbs, at: number, value: bigint): void => {
  pieces[0] = value
  pieces[1] = value >> 64n
  pieces[2] = value >> 128n
  pieces[3] = value >> 192n
  copyWord(s, at, limbs, 0)
}

/** Reads 32 bytes, most significant first. */
export const loadWord = (s: Limbs, at: number, view: DataView, offset: number): void => {
  s[at + 7] = view.getInt32(offset)
  s[at + 6] = view.getInt32(offset + 4)
  s[at + 5] = view.getInt32(offset + 8)
  s[at + 4] = view.getInt32(offset + 12)
  s[at + 3] = view.getInt32(offset + 16)
  s[at + 2] = view.getInt32(offset + 20)
  s[at + 1] = view.getInt32(offset + 24)
  s[at] = view.getInt32(offset + 28)
}

/** Loads a word from bytes without a view, which may end before: zeros follow then. */
export const loadPadded = (s: Limbs, at: number, bytes: Uint8Array, offset: number): void => {
  if (offset + 32 > bytes.length) {
    padded.fill(0)
    if (offset < bytes.length) padded.set(bytes.subarray(offset))
    loadPadded(s, at, padded, 0)
    return
  }
  for (let i = WORD - 1, from = offset; i >= 0; i--, from += 4) {
    s[at + i] =
      ((bytes[from] as number) << 24) |
      ((bytes[from + 1] as number) << 16) |
      ((bytes[from + 2] as number) << 8) |
      (bytes[from + 3] as number)
  }
}

/** Writes 32 bytes, most significant first. */
export const storeWord = (view: DataView, offset: number, s: Limbs, at: number): void => {
  view.setInt32(offset, s[at + 7] as number)
  view.setInt32(offset + 4, s[at + 6] as number)
  view.setInt32(offset + 8, s[at + 5] as number)
  view.setInt32(offset + 12, s[at + 4] as number)
  view.setInt32(offset + 16, s[at + 3] as number)
  view.setInt32(offset + 20, s[at + 2] as number)
  view.setInt32(offset + 24, s[at + 1] as number)
  view.setInt32(offset + 28, s[at] as number)
}

/** Sets a word to the integer that at most 32 bytes are. */
export const setBytes = (s: Limbs, at: number, bytes: Uint8Array): void => {
  setSmall(s, at, 0)
  const last = bytes.length - 1
  for (let i = 0; i <= last; i++) {
    const limb = at + (i >>> 2)
    s[limb] = (s[limb] as number) | ((bytes[last - i] as number) << ((i & 3) << 3))
  }
}

/** The word, most significant byte first, in as many bytes as there are. */
export const writeBytes = (out: Uint8Array, s: Limbs, at: number): Uint8Array => {
  for (let i = 0, last = out.length - 1; i <= last; i++) {
    out[last - i] = (s[at + (i >>> 2)] as number) >>> ((i & 3) << 3)
  }
  return out
}

/** All 32 bytes. */
export const toBytes = (s: Limbs, at: number): Uint8Array => writeBytes(new Uint8Array(32), s, at)

/** The last 20 bytes. */
export const toAddressBytes = (s: Limbs, at: number): Address => writeBytes(new Uint8Array(20), s, at)

const significantBytes = (s: Limbs, at: number): number => {
  for (let i = WORD - 1; i >= 0; i--) {
    const limb = s[at + i] as number
    if (limb !== 0) return i * 4 + 4 - (Math.clz32(limb) >>> 3)
  }
  return 0
}

/** Gives the bytes of a word without leading zeros; those of zero are none. */
export const toTrimmedBytes = (s: Limbs, at: number): Uint8Array =>
  writeBytes(new Uint8Array(significantBytes(s, at)), s, at)

/** Bits up to the highest one that is set. */
export const bitLength = (s: Limbs, at: number): number => {
  for (let i = WORD - 1; i >= 0; i--) {
    const limb = s[at + i] as number
    if (limb !== 0) return i * 32 + 32 - Math.clz32(limb)
  }
  return 0
}

/** A Map key for a word, one character for each 16 bits: V8 hashes it with a secret seed, so none can be made to collide. */
export const wordKey = (s: Limbs, at: number): string =>
  String.fromCharCode(
    s[at] as number,
    (s[at] as number) >>> 16,
    s[at + 1] as number,
    (s[at + 1] as number) >>> 16,
    s[at + 2] as number,
    (s[at + 2] as number) >>> 16,
    s[at + 3] as number,
    (s[at + 3] as number) >>> 16,
    s[at + 4] as number,
    (s[at + 4] as number) >>> 16,
    s[at + 5] as number,
    (s[at + 5] as number) >>> 16,
    s[at + 6] as number,
    (s[at + 6] as number) >>> 16,
    s[at + 7] as number,
    (s[at + 7] as number) >>> 16,
  )

/** Gives the key of the last 20 bytes of a word. */
export const addressKey = (s: Limbs, at: number): string =>
  String.fromCharCode(
    s[at] as number,
    (s[at] as number) >>> 16,
    s[at + 1] as number,
    (s[at + 1] as number) >>> 16,
    s[at + 2] as number,
    (s[at + 2] as number) >>> 16,
    s[at + 3] as number,
    (s[at + 3] as number) >>> 16,
    s[at + 4] as number,
    (s[at + 4] as number) >>> 16,
  )
