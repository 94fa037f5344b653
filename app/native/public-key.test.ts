/** What is remembered of keys that were parsed before. */
import { createECDH } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../core/hex.ts'
import { secp256k1 } from '../../proto/index.ts'
import { parsePublicKey, publicKeyAddress, type PublicKey } from './public-key.ts'

const PLAIN = '/cosmos.crypto.secp256k1.PubKey'
const ETHEREUM = '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey'
const ETHERMINT = '/ethermint.crypto.v1.ethsecp256k1.PubKey'
/** A large transaction around the key. */
const AROUND_BYTES = 120_000

const packedKey = (): Uint8Array => {
  const ecdh = createECDH('secp256k1')
  ecdh.generateKeys()
  const message = create(secp256k1.PubKeySchema, { key: ecdh.getPublicKey(null, 'compressed') })
  return toBinary(secp256k1.PubKeySchema, message)
}

const keyOf = (key: PublicKey): Uint8Array => ('key' in key ? key.key : new Uint8Array(0))

describe('a key that is parsed', () => {
  it.each([
    ['bytes', new Uint8Array(AROUND_BYTES)],
    ['a Buffer', Buffer.alloc(AROUND_BYTES)],
  ])('holds nothing of %s that it was read from, nor changes with them', (_name, around) => {
    const value = packedKey()
    around.set(value, 1_000)
    const first = parsePublicKey({ typeUrl: PLAIN, value: around.subarray(1_000, 1_000 + value.length) })
    around.fill(0)
    const again = parsePublicKey({ typeUrl: PLAIN, value })
    expect(bytesToHex(keyOf(again))).toBe(bytesToHex(value.subarray(2)))
    expect(keyOf(first).buffer.byteLength).toBe(33)
  })

  it('is another key under each name', () => {
    const value = packedKey()
    const keys = [PLAIN, ETHEREUM, ETHERMINT, PLAIN].map((typeUrl) => parsePublicKey({ typeUrl, value }))
    expect(keys.map(({ typeUrl }) => typeUrl)).toEqual([PLAIN, ETHEREUM, ETHERMINT, PLAIN])
    const addresses = keys.map((key) => bytesToHex(publicKeyAddress(key)))
    expect(addresses[1]).toBe(addresses[2])
    expect(addresses[0]).toBe(addresses[3])
    expect(addresses[0]).not.toBe(addresses[1])
  })

  it('is refused each time that it is no key', () => {
    const value = packedKey()
    value[2] = 0x05
    for (let time = 0; time < 2; time++) {
      expect(() => parsePublicKey({ typeUrl: PLAIN, value })).toThrow('not a point of the curve')
    }
  })
})
