import { expect, test } from 'vitest'
import {
  bigintToBytes,
  bytesToBase64,
  bytesToBigint,
  bytesToKey,
  bytesToUnprefixedHex,
  bytesToUtf8,
  joinToKey,
  keyToBytes,
  readUint32,
  readUint64,
  uint32ToBytes,
  uint64ToBytes,
} from './bytes.ts'

/** Goes by way of text, which is what both were before they computed. */
const plain = (value: bigint): string => {
  const hex = value.toString(16)
  return value === 0n ? '' : hex.padStart(hex.length + (hex.length % 2), '0')
}

const values = Array.from({ length: 257 }, (_, bits) => 2n ** BigInt(bits)).flatMap((power) => [
  power - 1n,
  power,
  power + 1n,
  (power * 0xb7e1_5162_8aed_2a6an) >> 63n,
  power * 255n,
])

test('integers of all sizes are their shortest big-endian bytes, and read back', () => {
  for (const value of values) {
    const bytes = bigintToBytes(value)
    expect(Buffer.from(bytes).toString('hex'), `${value}`).toBe(plain(value))
    expect(bytesToBigint(bytes), `${value}`).toBe(value)
  }
})

test('leading zeros change no integer', () => {
  for (const value of values) {
    const bytes = bigintToBytes(value)
    for (const zeros of [1, 5, 6, 7]) {
      const padded = Uint8Array.from([...new Uint8Array(zeros), ...bytes])
      expect(bytesToBigint(padded), `${zeros} zeros, ${value}`).toBe(value)
    }
  }
})

test('a view into a larger buffer reads as itself', () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, at) => at + 1)
  for (let length = 0; length <= 33; length++) {
    const view = bytes.subarray(3, 3 + length)
    expect(bytesToBigint(view)).toBe(bytesToBigint(view.slice()))
  }
})

test('integers of four and of eight bytes are those of a DataView, and are not read beyond the end', () => {
  const view = new DataView(new ArrayBuffer(8))
  for (const value of values.filter((each) => each < 2n ** 64n)) {
    view.setBigUint64(0, value)
    expect(uint64ToBytes(value), `${value}`).toEqual(new Uint8Array(view.buffer))
    const bytes = Uint8Array.from([7, ...new Uint8Array(view.buffer)])
    if (value <= Number.MAX_SAFE_INTEGER) {
      expect(uint64ToBytes(Number(value)), `${value}`).toEqual(new Uint8Array(view.buffer))
      expect(readUint64(bytes, 1), `${value}`).toBe(Number(value))
    }
    expect(readUint32(bytes, 5), `${value}`).toBe(view.getUint32(4))
    expect(uint32ToBytes(view.getUint32(4)), `${value}`).toEqual(bytes.subarray(5))
    for (const at of [-1, 6, 9]) expect(() => readUint32(bytes, at)).toThrow(RangeError)
    for (const at of [-1, 2, 9]) expect(() => readUint64(bytes, at)).toThrow(RangeError)
  }
})

test('bytes become text as Node writes a copy of them', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, at) => (at * 71) & 0xff)
  for (const [from, to] of [
    [0, 0],
    [3, 4],
    [1, 33],
    [0, 64],
    [1, 66],
    [0, 300],
  ] as const) {
    const view = bytes.subarray(from, to)
    const copy = Buffer.from(view)
    expect(bytesToUnprefixedHex(view)).toBe(copy.toString('hex'))
    expect(bytesToBase64(view)).toBe(copy.toString('base64'))
    expect(bytesToUtf8(view)).toBe(copy.toString('utf8'))
  }
})

test('a key has a character for every byte, of short arrays and of long ones', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, at) => (at * 71) & 0xff)
  for (const length of [...Array(70).keys(), 300]) {
    const view = bytes.subarray(300 - length)
    const key = Buffer.from(view).toString('latin1')
    expect(bytesToKey(view)).toBe(key)
    expect(bytesToKey(view.slice())).toBe(key)
    expect(keyToBytes(key)).toEqual(view)
    for (const split of [0, 1, length >> 1, length]) {
      expect(joinToKey(view.subarray(0, split), view.subarray(split))).toBe(key)
    }
  }
})
