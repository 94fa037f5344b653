import { bech32 } from '@scure/base'
import { expect, test } from 'vitest'
import { Random } from '../test/sim/random.ts'
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

test('the bytes of before may change', () => {
  const library = (bytes: Uint8Array, prefix: string) => bech32.encode(prefix, bech32.toWords(bytes), 90)
  const random = new Random(7)
  const changing = Buffer.alloc(20)
  for (let round = 0; round < 2_000; round++) {
    const prefix = random.pick(['nat', 'natvaloper'])
    changing[random.below(2) * 19] = random.below(3)
    expect(encodeBech32(changing, prefix)).toBe(library(changing, prefix))
  }
})

test('a text of more than 90 characters is a broken invariant', () => {
  expect(encodeBech32(new Uint8Array(50))).toHaveLength(90)
  expect(() => encodeBech32(new Uint8Array(51))).toThrow('92 characters')
})

test('what the library takes is taken, and nothing else, with whatever words and faults', () => {
  const characters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l1bioQPN_é '
  const random = new Random(5)
  const pick = (text: string): string => text[random.below(text.length)] ?? ''
  const library = (text: string, prefix: string): Uint8Array | undefined => {
    try {
      const decoded = bech32.decode(text as `${string}1${string}`, 90)
      return decoded.prefix === prefix ? bech32.fromWords(decoded.words) : undefined
    } catch {
      return undefined
    }
  }
  let taken = 0
  for (let round = 0; round < 20_000; round++) {
    const prefix = random.pick(['nat', 'natvaloper', 'a'])
    const words = Array.from({ length: random.below(40) }, () => random.below(32))
    // Whole bytes most of the time: the bits behind them must be zero.
    if (random.below(2) === 0 && words.length > 0) words[words.length - 1] = random.below(2) * 16
    const text = bech32.encode(prefix, words, 90)
    const at = random.below(text.length + 1)
    const forms = [text, text.toUpperCase(), text.slice(0, at) + pick(characters) + text.slice(at + 1), text.slice(at)]
    const given = random.pick(forms)
    const expected = library(given, 'nat')
    if (expected !== undefined) taken++
    if (expected === undefined) expect(() => decodeBech32(given, 'nat'), given).toThrow('invalid bech32 address')
    else expect(decodeBech32(given, 'nat'), given).toEqual(expected)
  }
  expect(taken).toBeGreaterThan(500)
})
