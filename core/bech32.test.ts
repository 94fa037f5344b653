import { bech32 } from '@scure/base'
import { expect, test } from 'vitest'
import { decodeBech32, encodeBech32 } from './bech32.ts'

test('bech32 is encoded as the library does it', () => {
  for (const prefix of ['nat', 'natvaloper', 'natvalcons', 'a']) {
    for (let length = 0; length <= 40; length++) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 73 + length * 31) & 0xff)
      const text = encodeBech32(bytes, prefix)
      expect(text).toBe(bech32.encode(prefix, bech32.toWords(bytes), 90))
      expect(decodeBech32(text, prefix)).toEqual(bytes)
    }
  }
})

test('a text of more than 90 characters is a broken invariant', () => {
  expect(encodeBech32(new Uint8Array(50))).toHaveLength(90)
  expect(() => encodeBech32(new Uint8Array(51))).toThrow('92 characters')
})
