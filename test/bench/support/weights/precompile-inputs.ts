/** Inputs of the precompiled contracts that take longest for their gas. */
import { createHash } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { toBytes } from './assemble.ts'

const hexOf = (value: bigint, bytes: number): string => value.toString(16).padStart(2 * bytes, '0')
const word = (value: bigint | number): string => hexOf(BigInt(value), 32)
const ones = (bytes: number): string => 'ff'.repeat(bytes)
const zeros = (bytes: number): string => '00'.repeat(bytes)
const digest = Uint8Array.from({ length: 32 }, (_, at) => at + 1)
const secret = Uint8Array.from({ length: 32 }, () => 7)

/** Bytes without a pattern, the first of them large. */
const noise = (bytes: number, seed: number): string => {
  let out = 'f0'
  for (let at = 0; out.length < 2 * bytes; at++) out += createHash('sha256').update(`${seed} ${at}`).digest('hex')
  return out.slice(0, 2 * bytes)
}

/** Base, exponent and modulus of so many bytes. */
const modexp = (base: number, exponent: string, modulus: number, last = 'fd'): string =>
  word(base) + word(exponent.length / 2) + word(modulus) + noise(base, 1) + exponent + noise(modulus, 2).slice(2) + last

const ecrecover = (): string => {
  const signature = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' })
  const hex = Buffer.from(signature).toString('hex')
  return Buffer.from(digest).toString('hex') + word(27 + Number.parseInt(hex.slice(0, 2), 16)) + hex.slice(2)
}

const p256Input = (): string => {
  const signature = Buffer.from(p256.sign(digest, secret, { prehash: false })).toString('hex')
  const key = Buffer.from(p256.getPublicKey(secret, false)).toString('hex').slice(2)
  return Buffer.from(digest).toString('hex') + signature + key
}

const bnG1 = (factor: bigint): string => {
  const { x, y } = bn254.G1.Point.BASE.multiply(factor).toAffine()
  return word(x) + word(y)
}
const bnG2 = (factor: bigint): string => {
  const { x, y } = bn254.G2.Point.BASE.multiply(factor).toAffine()
  return word(x.c1) + word(x.c0) + word(y.c1) + word(y.c0)
}
const BN_ORDER = bn254.fields.Fr.ORDER

const blsField = (value: bigint): string => hexOf(value, 64)
const blsG1 = (factor: bigint): string => {
  const { x, y } = bls12_381.G1.Point.BASE.multiply(factor).toAffine()
  return blsField(x) + blsField(y)
}
const blsG2 = (factor: bigint): string => {
  const { x, y } = bls12_381.G2.Point.BASE.multiply(factor).toAffine()
  return [x.c0, x.c1, y.c0, y.c1].map(blsField).join('')
}
const BLS_ORDER = bls12_381.fields.Fr.ORDER
const BLS_PRIME = bls12_381.fields.Fp.ORDER
const repeat = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join('')

/** A point of the curve that is not in the group. */
const outsideG1 = (): string => {
  const { Fp } = bls12_381.fields
  for (let x = 1n; ; x++) {
    try {
      const y = Fp.sqrt(Fp.create(x ** 3n + 4n))
      if (!bls12_381.G1.Point.fromAffine({ x, y }).isTorsionFree()) return blsField(x) + blsField(y)
    } catch {
      continue
    }
  }
}

const kzg = (proofFactor: bigint): string => {
  const commitment = bls12_381.G1.Point.BASE.multiply(5n).toHex(true)
  const proof = bls12_381.G1.Point.BASE.multiply(proofFactor).toHex(true)
  const hash = createHash('sha256').update(Buffer.from(commitment, 'hex')).digest('hex')
  return `01${hash.slice(2)}${word(BLS_ORDER - 5n)}${word(BLS_ORDER - 9n)}${commitment}${proof}`
}

export interface PrecompileCase {
  readonly name: string
  readonly number: number
  readonly input: Uint8Array
  /** Given to the call: what a failure takes. All there is when left out. */
  readonly gas?: number
}

const of = (name: string, number: number, hex: string, gas?: number): PrecompileCase => ({
  name,
  number,
  input: toBytes(hex),
  ...(gas === undefined ? {} : { gas }),
})

const g1Pairs = (count: number, point = (index: number): string => blsG1(BigInt(index + 2))): string =>
  repeat(count, (index) => point(index) + word(BLS_ORDER - BigInt(index) * 7n - 1n))
const g2Pairs = (count: number): string =>
  repeat(count, (index) => blsG2(BigInt(index + 2)) + word(BLS_ORDER - BigInt(index) * 7n - 1n))

export const PRECOMPILE_CASES: readonly PrecompileCase[] = [
  of('ecrecover', 1, ecrecover()),
  of('ecrecover, no signature', 1, ones(32) + word(27) + ones(31) + '01' + ones(15) + '00' + ones(16)),
  of('sha256 of 0', 2, ''),
  of('sha256 of 64', 2, zeros(64)),
  of('sha256 of 24 KB', 2, zeros(24_576)),
  of('ripemd160 of 0', 3, ''),
  of('ripemd160 of 24 KB', 3, zeros(24_576)),
  of('identity of 0', 4, ''),
  of('identity of 24 KB', 4, zeros(24_576)),
  of('modexp, nothing', 5, ''),
  of('modexp 1/1/1', 5, modexp(1, 'ff', 1)),
  of('modexp 32/1/32', 5, modexp(32, 'ff', 32)),
  of('modexp 32/4/32', 5, modexp(32, ones(4), 32)),
  of('modexp 32/32/32', 5, modexp(32, ones(32), 32)),
  of('modexp 1/32/1', 5, modexp(1, ones(32), 1)),
  of('modexp 1/1024/1', 5, modexp(1, ones(1_024), 1)),
  of('modexp 33/12/33', 5, modexp(33, ones(12), 33)),
  of('modexp 40/12/40', 5, modexp(40, ones(12), 40)),
  of('modexp 64/64/64', 5, modexp(64, ones(64), 64)),
  of('modexp 128/8/128', 5, modexp(128, ones(8), 128)),
  of('modexp 128/1/128 to 2', 5, modexp(128, '02', 128)),
  of('modexp 256/3/256', 5, modexp(256, ones(3), 256)),
  of('modexp 256/32/256', 5, modexp(256, ones(32), 256)),
  of('modexp 256/256/256', 5, modexp(256, ones(256), 256)),
  of('modexp 256/32/256, even', 5, modexp(256, ones(32), 256, 'fe')),
  of('modexp 512/1/512 to 2', 5, modexp(512, '02', 512)),
  of('modexp 1024/1/1024 to 1', 5, modexp(1_024, '01', 1_024)),
  of('modexp 1024/1/1024 to 3', 5, modexp(1_024, '03', 1_024)),
  of('modexp 1024/8/1024', 5, modexp(1_024, ones(8), 1_024)),
  of('modexp 1024/1/1', 5, modexp(1_024, '02', 1)),
  of('modexp 1/1/1024', 5, modexp(1, 'ff', 1_024)),
  of('bn254 add', 6, bnG1(5n) + bnG1(7n)),
  of('bn254 add, infinity', 6, ''),
  of('bn254 add, the same', 6, bnG1(5n) + bnG1(5n)),
  of('bn254 add, not on the curve', 6, word(1) + word(1), 150),
  of('bn254 mul', 7, bnG1(5n) + ones(32)),
  of('bn254 mul, below the order', 7, bnG1(5n) + word(BN_ORDER - 2n)),
  of('bn254 pairing of 0', 8, ''),
  of('bn254 pairing of 1', 8, bnG1(5n) + bnG2(9n)),
  of(
    'bn254 pairing of 2',
    8,
    repeat(2, (index) => bnG1(BigInt(index) + 5n) + bnG2(BigInt(index) + 9n)),
  ),
  of(
    'bn254 pairing of 20',
    8,
    repeat(20, (index) => bnG1(BigInt(index) + 5n) + bnG2(BigInt(index) + 9n)),
  ),
  of(
    'bn254 pairing of 2, infinite G1',
    8,
    repeat(2, (index) => zeros(64) + bnG2(BigInt(index) + 9n)),
  ),
  of(
    'bn254 pairing of 2, infinite G2',
    8,
    repeat(2, (index) => bnG1(BigInt(index) + 5n) + zeros(128)),
  ),
  of('blake2f of 0 rounds', 9, zeros(4) + zeros(208) + '01'),
  of('blake2f of 12 rounds', 9, hexOf(12n, 4) + ones(208) + '01'),
  of('blake2f of 100,000 rounds', 9, hexOf(100_000n, 4) + ones(208) + '01'),
  of('point evaluation, wrong proof', 10, kzg(11n), 50_000),
  of('point evaluation, wrong hash', 10, zeros(192), 50_000),
  of('bls12 G1 add', 11, blsG1(5n) + blsG1(7n)),
  of('bls12 G1 msm of 1', 12, g1Pairs(1)),
  of('bls12 G1 msm of 2', 12, g1Pairs(2)),
  of('bls12 G1 msm of 16', 12, g1Pairs(16)),
  of('bls12 G1 msm of 128', 12, g1Pairs(128)),
  of('bls12 G1 msm of 1, outside the group', 12, g1Pairs(1, outsideG1), 12_000),
  of(
    'bls12 G1 msm of 51, the last outside',
    12,
    g1Pairs(50) + g1Pairs(1, outsideG1),
    Math.floor((51 * 12_000 * 593) / 1_000),
  ),
  of('bls12 G2 add', 13, blsG2(5n) + blsG2(7n)),
  of('bls12 G2 msm of 1', 14, g2Pairs(1)),
  of('bls12 G2 msm of 2', 14, g2Pairs(2)),
  of('bls12 G2 msm of 16', 14, g2Pairs(16)),
  of('bls12 G2 msm of 128', 14, g2Pairs(128)),
  of('bls12 pairing of 1', 15, blsG1(5n) + blsG2(9n)),
  of(
    'bls12 pairing of 2',
    15,
    repeat(2, (index) => blsG1(BigInt(index) + 5n) + blsG2(BigInt(index) + 9n)),
  ),
  of(
    'bls12 pairing of 20',
    15,
    repeat(20, (index) => blsG1(BigInt(index) + 5n) + blsG2(BigInt(index) + 9n)),
  ),
  of(
    'bls12 pairing of 2, infinite G1',
    15,
    repeat(2, (index) => zeros(128) + blsG2(BigInt(index) + 9n)),
  ),
  of(
    'bls12 pairing of 2, infinite G2',
    15,
    repeat(2, (index) => blsG1(BigInt(index) + 5n) + zeros(256)),
  ),
  of('bls12 map to G1', 16, blsField(BLS_PRIME - 5n)),
  of('bls12 map to G2', 17, blsField(BLS_PRIME - 5n) + blsField(BLS_PRIME - 7n)),
  of('bls12 map to G2 of 0', 17, zeros(128)),
  of('p256', 0x1_00, p256Input()),
  of('p256, wrong hash', 0x1_00, ones(32) + p256Input().slice(64)),
  of('p256, nothing', 0x1_00, zeros(160)),
]
