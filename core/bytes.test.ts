import { expect, test } from 'vitest'
import { bigintToBytes, bytesToBigint } from './bytes.ts'

/** By way of text, which is what both were before they computed. */
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
