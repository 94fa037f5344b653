/** BLAKE2F and P256VERIFY against the library's: what is faster must be the same. */
import { createHash } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { describe, expect, it } from 'vitest'
import { bigintToBytes, bytesToBigint, concatBytes, padLeft } from '../../core/bytes.ts'
import { keccak256, sha256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { seededRandom } from '../../store/testing/seeded-random.ts'
import { blake2f } from './blake2f.ts'
import { createLibraryEvm } from '../reference/machine.ts'
import { p256Verify } from './p256-verify.ts'

const { evm, common } = await createLibraryEvm('osaka', 1n)
const GAS = 1_000_000
const pick = seededRandom(17)
const randomBytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => pick(256))

const reference = (number: string, input: Uint8Array): string => {
  const compute = evm.precompiles.get(number.padStart(40, '0'))
  const result = compute?.({ data: input, gasLimit: BigInt(GAS), common, _EVM: evm })
  if (result === undefined || result instanceof Promise) throw new TypeError('the library has changed')
  return result.exceptionError === undefined ? bytesToHex(result.returnValue) : 'failed'
}

const hexOf = (output: Uint8Array | string): string => (typeof output === 'string' ? output : bytesToHex(output))

describe('BLAKE2F', () => {
  const inputOf = (rounds: number, flag: number): Uint8Array =>
    concatBytes(padLeft(bigintToBytes(BigInt(rounds)), 4), randomBytes(208), Uint8Array.of(flag))

  it('is the library’s compression at any number of rounds', () => {
    for (const rounds of [0, 1, 2, 9, 10, 11, 12, 19, 20, 4_999, 5_000, 5_001, 10_007]) {
      for (const flag of [0, 1]) {
        const input = inputOf(rounds, flag)
        const padded = concatBytes(randomBytes(3), input)
        expect(blake2f.gasOf(padded.subarray(3))).toBe(rounds)
        expect(hexOf(blake2f.run(padded.subarray(3))), `${rounds} rounds`).toBe(reference('9', input))
      }
    }
  })

  it('hashes as OpenSSL does', () => {
    const message = randomBytes(100)
    const state = hexToBytes(
      '0x48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b',
    )
    const counters = concatBytes(Uint8Array.of(100), new Uint8Array(15))
    const block = concatBytes(message, new Uint8Array(28))
    const input = concatBytes(Uint8Array.of(0, 0, 0, 12), state, block, counters, Uint8Array.of(1))
    const expected = createHash('blake2b512').update(message).digest('hex')
    expect(hexOf(blake2f.run(input))).toBe(`0x${expected}`)
  })

  it('refuses other lengths, for nothing, and other flags, for the price of the rounds', () => {
    const input = inputOf(12, 1)
    for (const bad of [input.subarray(1), concatBytes(input, Uint8Array.of(0))]) {
      expect([blake2f.gasOf(bad), blake2f.run(bad)]).toEqual([0, 'invalid input length'])
    }
    expect([blake2f.gasOf(inputOf(12, 2)), blake2f.run(inputOf(12, 2))]).toEqual([12, 'invalid final flag'])
  })
})

describe('P256VERIFY', () => {
  const { Fn, BASE } = p256.Point
  const E = bytesToBigint(sha256(new Uint8Array(0)))
  const word = (value: bigint): Uint8Array => padLeft(bigintToBytes(value), 32)
  const scalar = (): bigint => 1n + Fn.create(bytesToBigint(randomBytes(40)) % (Fn.ORDER - 1n))
  const inputOf = (h: bigint, r: bigint, s: bigint, secret: bigint): Uint8Array => {
    const { x, y } = BASE.multiply(secret).toAffine()
    return concatBytes(...[h, r, s, x, y].map(word))
  }
  const sign = (h: bigint, secret: bigint): readonly [r: bigint, s: bigint] => {
    const nonce = scalar()
    const r = Fn.create(BASE.multiply(nonce).toAffine().x)
    return [r, Fn.div(Fn.create(h + r * secret), nonce)]
  }
  const expectSame = (input: Uint8Array, isValid?: boolean): void => {
    const output = hexOf(p256Verify.run(input))
    expect(output, bytesToHex(input)).toBe(reference('100', input))
    if (isValid !== undefined) expect(output === `0x${'1'.padStart(64, '0')}`, bytesToHex(input)).toBe(isValid)
  }

  it('takes valid signatures, with a low and a high s, and no other', () => {
    for (let round = 0; round < 12; round++) {
      const [secret, h] = [scalar(), bytesToBigint(keccak256(randomBytes(8)))]
      const [r, s] = sign(h, secret)
      expectSame(inputOf(h, r, s, secret), true)
      expectSame(inputOf(h, r, Fn.neg(s), secret), true)
      const changed = inputOf(h, r, s, secret)
      const at = pick(96)
      changed[at] = (changed[at] as number) ^ (1 << pick(8))
      expectSame(changed, false)
    }
  })

  it('takes hashes at and above the order, zero, and that of nothing', () => {
    for (const h of [0n, 1n, Fn.ORDER - 1n, Fn.ORDER, Fn.ORDER + 1n, (1n << 256n) - 1n, E, E + 1n, E - 1n]) {
      const secret = scalar()
      const [r, s] = sign(h, secret)
      expectSame(inputOf(h, r, s, secret), true)
      expectSame(inputOf(h, r, Fn.create(s + 1n), secret), false)
    }
  })

  it('decides where the moved key is the key twice, or none at all', () => {
    const secret = scalar()
    // h = e + k r with k = d, then k = -d; the second leaves (e / s) G.
    for (const factor of [secret, Fn.neg(secret)]) {
      const nonce = scalar()
      const r = Fn.create(BASE.multiply(nonce).toAffine().x)
      const h = Fn.create(E + factor * r)
      const s = Fn.div(Fn.create(h + r * secret), nonce)
      expectSame(inputOf(h, r, s, secret), true)
      expectSame(inputOf(h, r, Fn.create(s + 1n), secret), false)
    }
  })

  it('refuses a sum at infinity', () => {
    const secret = scalar()
    const r = scalar()
    expectSame(inputOf(Fn.neg(Fn.create(r * secret)), r, scalar(), secret), false)
  })

  it('is the library on numbers out of range and points off the curve', () => {
    const [secret, h] = [scalar(), scalar()]
    const [r, s] = sign(h, secret)
    const good = inputOf(h, r, s, secret)
    const prime = p256.Point.Fp.ORDER
    const replaced = (at: number, value: bigint): Uint8Array => {
      const out = good.slice()
      out.set(word(value), at)
      return out
    }
    for (const at of [32, 64]) for (const value of [0n, Fn.ORDER, Fn.ORDER + 1n]) expectSame(replaced(at, value), false)
    for (const at of [96, 128]) for (const value of [0n, 1n, prime, prime + 1n]) expectSame(replaced(at, value), false)
    // A signature with r not reduced, and a coordinate with the prime added, are not canonical.
    expectSame(concatBytes(good.subarray(0, 96), new Uint8Array(64)), false)
    for (const bad of [good.subarray(1), concatBytes(good, Uint8Array.of(0)), new Uint8Array(0)]) {
      expectSame(bad, false)
      expect(hexOf(p256Verify.run(bad))).toBe('0x')
    }
    expect(p256Verify.gasOf(good)).toBe(6_900)
  })
})
