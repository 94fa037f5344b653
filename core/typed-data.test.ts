import { TypedDataEncoder } from 'ethers'
import { hashTypedData as viemHash } from 'viem'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from './hex.ts'
import { hashTypedData, type TypedMember } from './typed-data.ts'

const DOMAIN: readonly TypedMember[] = [
  { name: 'name', type: 'string' },
  { name: 'chainId', type: 'uint256' },
]
const domain = { name: 'a domain', chainId: 2517 }

const TYPES: Readonly<Record<string, readonly TypedMember[]>> = {
  Order: [
    { name: 'legs', type: 'Leg[]' },
    { name: 'note', type: 'string' },
    { name: 'open', type: 'bool' },
    { name: 'owner', type: 'Party' },
    { name: 'tags', type: 'string[]' },
    { name: 'limit', type: 'int64' },
    { name: 'size', type: 'uint64' },
  ],
  Leg: [
    { name: 'from', type: 'Party' },
    { name: 'step', type: 'int32' },
  ],
  Party: [{ name: 'name', type: 'string' }],
}

const message = {
  legs: [
    { from: { name: 'a' }, step: -7 },
    { from: { name: 'ü 漢 🚀' }, step: 2 },
  ],
  note: 'line\nbreak',
  open: true,
  owner: { name: '' },
  tags: ['x', ''],
  limit: -5,
  size: '18446744073709551615',
}

const digest = (value: unknown, types = TYPES): string =>
  bytesToHex(
    hashTypedData({
      types: new Map([['EIP712Domain', DOMAIN], ...Object.entries(types)]),
      primaryType: 'Order',
      domain,
      message: value,
    }),
  )

describe('the digest of typed data', () => {
  it.each([
    ['structs, lists and numbers', message],
    ['empty lists', { ...message, legs: [], tags: [], open: false, limit: '9223372036854775807', size: 0 }],
  ])('of %s is that of viem and of ethers', (_, value) => {
    const expected = TypedDataEncoder.hash(domain, TYPES as never, value)
    expect(viemHash({ domain, types: TYPES, primaryType: 'Order', message: value as never })).toBe(expected)
    expect(digest(value)).toBe(expected)
  })

  it.each([
    ['a member too many', { ...message, more: 1 }],
    ['a member of another name', { ...message, note: undefined, nota: 'x' }],
    ['a member without value', { ...message, note: null }],
    ['a nested member too many', { ...message, owner: { name: '', age: 1 } }],
    ['no struct', { ...message, owner: 'me' }],
    ['a list for a struct', { ...message, owner: [] }],
    ['no list', { ...message, tags: 'x' }],
    ['a list with a hole', { ...message, tags: ['x', null] }],
    ['a number for a text', { ...message, note: 7 }],
    ['a text for a boolean', { ...message, open: 'true' }],
    ['a fraction', { ...message, limit: 0.5 }],
    ['a number beyond 53 bits', { ...message, limit: 2 ** 60 }],
    ['an integer in hexadecimal', { ...message, limit: '0x10' }],
    ['an empty integer', { ...message, limit: '' }],
    ['an integer beyond its type', { ...message, limit: '9223372036854775808' }],
    ['a negative integer of a type without sign', { ...message, size: -1 }],
    ['nothing', undefined],
  ])('is refused for %s', (_, value) => {
    expect(() => digest(value)).toThrow(expect.objectContaining({ codespace: 'core', code: 9 }))
  })

  it.each([
    ['a type that nobody defines', [{ name: 'a', type: 'Nobody' }]],
    ['a type of Ethereum that JSON does not hold', [{ name: 'a', type: 'bytes' }]],
    ['an integer of no size', [{ name: 'a', type: 'int' }]],
    ['an integer of an odd size', [{ name: 'a', type: 'int7' }]],
    ['no member', []],
    [
      'a member twice',
      [
        { name: 'a', type: 'string' },
        { name: 'a', type: 'string' },
      ],
    ],
  ])('is refused for a struct with %s', (_, members) => {
    const values: readonly unknown[] = [{ a: '1' }, { a: '1', b: '2' }, {}]
    for (const value of values) {
      expect(() => digest(value, { Order: members })).toThrow(expect.objectContaining({ codespace: 'core', code: 9 }))
    }
  })

  it('is refused for a struct whose name is no identifier', () => {
    const types = { Order: [{ name: 'a', type: 'nat.v1.Leg' }], 'nat.v1.Leg': [{ name: 'b', type: 'string' }] }
    expect(() => digest({ a: { b: '' } }, types)).toThrow('typed data cannot hold a struct nat.v1.Leg')
  })
})
