/** Byte strings: comparison, concatenation and fixed-width integers, all big-endian. */
import { isUtf8 as isValidUtf8 } from 'node:buffer'

export const EMPTY_BYTES: Uint8Array = new Uint8Array(0)

export const concatBytes = (...parts: readonly Uint8Array[]): Uint8Array => {
  let length = 0
  for (const part of parts) length += part.length
  const out = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    out.set(part, offset)
    offset += part.length
  }
  return out
}

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Lexicographic order, as the database sorts keys: negative, zero or positive. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b)

/** True when every byte is zero, and for the empty string. */
export const isZeroBytes = (bytes: Uint8Array): boolean => {
  for (const byte of bytes) if (byte !== 0) return false
  return true
}

/** Drops leading zero bytes; zero becomes the empty string (the RLP form of an integer). */
export const trimLeadingZeros = (bytes: Uint8Array): Uint8Array => {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  return start === 0 ? bytes : bytes.subarray(start)
}

/** Left-pads with zeros to `length` bytes. The input must not be longer. */
export const padLeft = (bytes: Uint8Array, length: number): Uint8Array => {
  if (bytes.length === length) return bytes
  const out = new Uint8Array(length)
  out.set(bytes, length - bytes.length)
  return out
}

/** Numbers of up to six bytes are exact, and convert by arithmetic: a fraction of the way over text. */
const SMALL_BYTES = 6
const SMALL_BITS = 48n
const SMALL_INTEGER = 2n ** SMALL_BITS
/** Balances lie below it: two small integers. */
const MEDIUM_INTEGER = 2n ** (2n * SMALL_BITS)

const countBytes = (value: number): number => {
  let length = 0
  for (let rest = value; rest >= 1; rest /= 256) length++
  return length
}

/** Big-endian, up to `end` (exclusive). */
const writeNumber = (out: Uint8Array, end: number, value: number): void => {
  let at = end
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) out[--at] = rest & 0xff
}

const readNumber = (bytes: Uint8Array, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at++) value = value * 256 + (bytes[at] as number)
  return value
}

/** Minimal big-endian form; zero is the empty string. The value must not be negative. */
export const bigintToBytes = (value: bigint): Uint8Array => {
  if (value === 0n) return EMPTY_BYTES
  if (value > 0n && value < MEDIUM_INTEGER) {
    const high = value < SMALL_INTEGER ? 0 : Number(value >> SMALL_BITS)
    const low = Number(high === 0 ? value : value & (SMALL_INTEGER - 1n))
    const out = new Uint8Array(high === 0 ? countBytes(low) : countBytes(high) + SMALL_BYTES)
    writeNumber(out, out.length, low)
    writeNumber(out, out.length - SMALL_BYTES, high)
    return out
  }
  let hex = value.toString(16)
  if (hex.length % 2 === 1) hex = `0${hex}`
  return plainBytes(Buffer.from(hex, 'hex'))
}

export const bytesToBigint = (bytes: Uint8Array): bigint => {
  const { length } = bytes
  if (length <= SMALL_BYTES) return BigInt(readNumber(bytes, 0, length))
  if (length <= 2 * SMALL_BYTES) {
    const middle = length - SMALL_BYTES
    return (BigInt(readNumber(bytes, 0, middle)) << SMALL_BITS) | BigInt(readNumber(bytes, middle, length))
  }
  return BigInt(`0x${bytesToUnprefixedHex(bytes)}`)
}

const scratch = new DataView(new ArrayBuffer(8))
const scratchBytes = new Uint8Array(scratch.buffer)

export const uint64ToBytes = (value: number | bigint): Uint8Array => {
  const out = new Uint8Array(8)
  if (typeof value === 'bigint' || !Number.isSafeInteger(value) || value < 0) {
    scratch.setBigUint64(0, BigInt(value))
    out.set(scratchBytes)
    return out
  }
  for (let at = 8, rest = value; rest > 0; rest = Math.floor(rest / 256)) out[--at] = rest & 0xff
  return out
}

export const uint32ToBytes = (value: number): Uint8Array =>
  Uint8Array.of((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff)

/** Reads eight bytes at `offset` as an unsigned integer. Heights and counts fit a JavaScript number. */
export const readUint64 = (bytes: Uint8Array, offset = 0): number =>
  readUint32(bytes, offset) * 0x1_0000_0000 + readUint32(bytes, offset + 4)

export const readUint32 = (bytes: Uint8Array, offset = 0): number => {
  if (offset < 0 || offset + 4 > bytes.length) throw new RangeError('an integer ends behind the bytes')
  return readNumber(bytes, offset, offset + 4)
}

/*
 * Node's own codecs on any Uint8Array. A Buffer between would cost as much again, and a short array its place in V8's
 * heap: asked for its `buffer`, V8 moves it to memory of its own.
 */
type Slice = (this: Uint8Array, start: number, end: number) => string
const { base64Slice, hexSlice, latin1Slice, utf8Slice } = Buffer.prototype as unknown as {
  readonly base64Slice: Slice
  readonly hexSlice: Slice
  readonly latin1Slice: Slice
  readonly utf8Slice: Slice
}

/** Lower-case hexadecimal without a prefix. */
export const bytesToUnprefixedHex = (bytes: Uint8Array): string => hexSlice.call(bytes, 0, bytes.length)

export const bytesToBase64 = (bytes: Uint8Array): string => base64Slice.call(bytes, 0, bytes.length)

/** V8 keeps an array of up to so many bytes in its own heap. */
const SHORT_BYTES = 64
/** There is one array for every such length, in which characters are collected. */
const shortCodes = Array.from({ length: SHORT_BYTES + 1 }, (_, length) => new Array<number>(length).fill(0))

/** Where {@link joinToKey} puts two keys together: longer ones are rare. */
const joined = new Uint8Array(256)

/** A Map key with one character a byte: cheap to make, and ordered as the bytes are. */
export const bytesToKey = (bytes: Uint8Array): string => {
  const { length } = bytes
  const codes = shortCodes[length]
  // Node's codec would move a short array out of V8's heap: that takes three times as long as all of this.
  if (codes === undefined) return latin1Slice.call(bytes, 0, length)
  for (let at = 0; at < length; at++) codes[at] = bytes[at] as number
  return String.fromCharCode(...codes)
}

export const keyToBytes = (key: string): Uint8Array => plainBytes(Buffer.from(key, 'latin1'))

/**
 * Gives what `bytesToKey` gives for both, one behind the other: Map keys that are strings joined of two would be copied
 * and hashed at each look.
 */
export const joinToKey = (first: Uint8Array, second: Uint8Array): string => {
  const length = first.length + second.length
  if (length > joined.length) return bytesToKey(first) + bytesToKey(second)
  joined.set(first)
  joined.set(second, first.length)
  return latin1Slice.call(joined, 0, length)
}

/** Shows the same memory as a Buffer, for its native codecs. */
export const viewBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** Shows the same memory as a plain Uint8Array: libraries compare prototypes, and Buffer.slice does not copy. */
export const plainBytes = (buffer: Uint8Array): Uint8Array =>
  new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length)

export const utf8ToBytes = (text: string): Uint8Array => plainBytes(Buffer.from(text, 'utf8'))

/** Tells whether the bytes are well-formed UTF-8: decoding replaces what is not. */
export const isUtf8 = (bytes: Uint8Array): boolean => isValidUtf8(bytes)

export const bytesToUtf8 = (bytes: Uint8Array): string => utf8Slice.call(bytes, 0, bytes.length)
