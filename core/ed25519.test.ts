import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { concatBytes, utf8ToBytes } from './bytes.ts'
import { consensusKeyFault, verifyEd25519 } from './ed25519.ts'
import { bytesToUnprefixedHex, hexToBytes } from './hex.ts'
import { createTorsionedSigner, smallOrderPoint } from './testing/torsioned-signer.ts'

interface Vector {
  readonly name: string
  readonly publicKey: string
  readonly message: string
  readonly signature: string
  readonly valid: boolean
}

// Made once with CometBFT's own functions: `source` in the file names them.
const { vectors } = JSON.parse(readFileSync(join(import.meta.dirname, 'ed25519.vectors.json'), 'utf8')) as {
  readonly vectors: readonly Vector[]
}

const fromHex = (hex: string): Uint8Array => hexToBytes(`0x${hex}`)

const SPKI_PREFIX = fromHex('302a300506032b6570032100')

/** What node:crypto says. */
const verifyStrictly = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  const der = Buffer.from(concatBytes(SPKI_PREFIX, publicKey))
  return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
}

/**
 * The encodings as ZIP-215 counts them: eight points of small order, two of which have two signs, and four have a y of
 * p and more.
 */
const SMALL_ORDER_ENCODINGS = [
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '0000000000000000000000000000000000000000000000000000000000000080',
  '0000000000000000000000000000000000000000000000000000000000000000',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  '0100000000000000000000000000000000000000000000000000000000000080',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
]

describe('a signature of ed25519', () => {
  it('is judged as CometBFT judges it, and OpenSSL takes no more', () => {
    const differing = new Set<string>()
    for (const { name, publicKey, message, signature, valid } of vectors) {
      const given = [fromHex(publicKey), fromHex(message), fromHex(signature)] as const
      expect(verifyEd25519(...given), name).toBe(valid)
      const isStrict = verifyStrictly(...given)
      if (isStrict) expect(valid, name).toBe(true)
      if (isStrict !== valid) differing.add(name)
    }
    expect(vectors.length).toBeGreaterThan(150)
    expect(differing.size, 'signatures that the two judge differently').toBeGreaterThan(40)
  })

  it('with a key and an R of small order is valid in all 196 cases of ZIP-215', () => {
    const message = utf8ToBytes('Zcash')
    let refusedByOpenssl = 0
    for (const key of SMALL_ORDER_ENCODINGS) {
      for (const R of SMALL_ORDER_ENCODINGS) {
        const signature = concatBytes(fromHex(R), new Uint8Array(32))
        expect(verifyEd25519(fromHex(key), message, signature), `key ${key}, R ${R}`).toBe(true)
        if (!verifyStrictly(fromHex(key), message, signature)) refusedByOpenssl++
      }
    }
    expect(refusedByOpenssl).toBeGreaterThan(100)
  })

  it('with any component of small order in R and in the key is valid, and for nothing else', () => {
    const message = utf8ToBytes('a vote')
    for (const ofKey of [0, 1, 4]) {
      for (let ofR = 0; ofR < 8; ofR++) {
        const { publicKey, sign } = createTorsionedSigner(new Uint8Array(32).fill(7), ofR, ofKey)
        const signature = sign(message)
        expect(verifyEd25519(publicKey, message, signature)).toBe(true)
        expect(verifyEd25519(publicKey, utf8ToBytes('another'), signature)).toBe(false)
        if (ofKey === 0) expect(verifyStrictly(publicKey, message, signature)).toBe(ofR === 0)
      }
    }
  })

  it('of another length, or of a key of another length, is not valid', () => {
    const { publicKey, sign } = createTorsionedSigner(new Uint8Array(32).fill(8), 0)
    const message = utf8ToBytes('a vote')
    const signature = sign(message)
    expect(verifyEd25519(publicKey, message, signature)).toBe(true)
    for (const other of [new Uint8Array(0), signature.subarray(1), concatBytes(signature, Uint8Array.of(0))]) {
      expect(verifyEd25519(publicKey, message, other)).toBe(false)
    }
    for (const other of [new Uint8Array(0), publicKey.subarray(1), concatBytes(publicKey, Uint8Array.of(0))]) {
      expect(verifyEd25519(other, message, signature)).toBe(false)
    }
  })
})

describe('a key of a validator', () => {
  it('is a point in its own encoding that is of no small order', () => {
    for (const ofKey of [0, 1, 2, 4]) {
      expect(consensusKeyFault(createTorsionedSigner(new Uint8Array(32).fill(9), 0, ofKey).publicKey)).toBeUndefined()
    }
    const small = 'the point of this ed25519 key has a small order: anybody can sign for it'
    for (let index = 0; index < 8; index++) {
      expect(consensusKeyFault(smallOrderPoint(index).toBytes())).toBe(small)
    }
    // A y of p and more, a sign of the x that is zero, and a y without an x.
    const none = 'no point of the curve of ed25519 has this encoding'
    for (const encoding of SMALL_ORDER_ENCODINGS.slice(8)) expect(consensusKeyFault(fromHex(encoding))).toBe(none)
    expect(consensusKeyFault(Uint8Array.of(2, ...new Uint8Array(31)))).toBe(none)
    expect(consensusKeyFault(new Uint8Array(31))).toBe('an ed25519 key has 32 bytes, not 31')
  })

  it('is refused where the eight points are, which are those of the list', () => {
    const points = Array.from({ length: 8 }, (_, index) => bytesToUnprefixedHex(smallOrderPoint(index).toBytes()))
    expect(new Set(points)).toEqual(new Set(SMALL_ORDER_ENCODINGS.slice(0, 8)))
  })
})
