/**
 * What geth says of the points that a precompile refuses. The libraries tell little more than that they refuse, so the
 * input is gone through again in geth's order, up to the first fault.
 */
import type { EVMBLSInterface, EVMBN254Interface } from '@ethereumjs/evm'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 as nobleBn254 } from '@noble/curves/bn254.js'
import { bytesToBigint, concatBytes, isZeroBytes } from '../../core/bytes.ts'
import type { Curves } from './curves.ts'

const BLS_PRIME = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn
const BLS_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
const BN_PRIME = 21888242871839275222246405745257275088696311157297823662689037894645226208583n

/** To look at thousands of points again would double the time that a transaction can take: long inputs are told coarsely. */
const MAX_EXAMINED_BYTES = 8_192

const TOP_BYTES = 'invalid field element top bytes'
const ENCODING = 'invalid fp.Element encoding'
const BLS_CURVE = 'invalid point: not on curve'
const BN_CURVE = 'point is not on curve'
const BN_GROUP = 'point is not in correct subgroup'
const KZG = 'error verifying kzg proof'
const POINT_FAULTS: ReadonlySet<string> = new Set([TOP_BYTES, ENCODING, BLS_CURVE, BN_CURVE])

type Fault = string | undefined

/** A refusal is an error of one library, an empty answer of the other. */
const gives = (compute: () => Uint8Array): boolean => {
  try {
    return compute().length > 0
  } catch {
    return false
  }
}

const firstFault = (input: Uint8Array, itemBytes: number, find: (item: Uint8Array) => Fault): Fault => {
  for (let at = 0; at < input.length; at += itemBytes) {
    const fault = find(input.subarray(at, at + itemBytes))
    if (fault !== undefined) return fault
  }
  return undefined
}

/** 48 bytes in 64. */
const blsField = (bytes: Uint8Array): Fault => {
  if (!isZeroBytes(bytes.subarray(0, 16))) return TOP_BYTES
  return bytesToBigint(bytes.subarray(16)) >= BLS_PRIME ? ENCODING : undefined
}

const G1_BYTES = 128
const G2_BYTES = 256
const SCALAR_BYTES = 32

const blsFault = (number: number, bls: EVMBLSInterface, input: Uint8Array): Fault => {
  const onCurve = (add: (input: Uint8Array) => Uint8Array, point: Uint8Array): Fault =>
    gives(() => add(concatBytes(point, new Uint8Array(point.length)))) ? undefined : BLS_CURVE
  const g1 = (point: Uint8Array): Fault => firstFault(point, 64, blsField) ?? onCurve((both) => bls.addG1(both), point)
  const g2 = (point: Uint8Array): Fault => firstFault(point, 64, blsField) ?? onCurve((both) => bls.addG2(both), point)
  // The multiplications look at the group, by whatever they multiply.
  const inG1 = (point: Uint8Array): Fault =>
    gives(() => bls.msmG1(concatBytes(point, new Uint8Array(SCALAR_BYTES))))
      ? undefined
      : 'g1 point is not on correct subgroup'
  const inG2 = (point: Uint8Array): Fault =>
    gives(() => bls.msmG2(concatBytes(point, new Uint8Array(SCALAR_BYTES))))
      ? undefined
      : 'g2 point is not on correct subgroup'
  // Whatever is in the group is on the curve: most points are looked at once.
  const g1Multiple = (item: Uint8Array): Fault => {
    const p = item.subarray(0, G1_BYTES)
    const fault = firstFault(p, 64, blsField) ?? inG1(p)
    return fault === undefined ? undefined : (g1(p) ?? fault)
  }
  const g2Multiple = (item: Uint8Array): Fault => {
    const q = item.subarray(0, G2_BYTES)
    const fault = firstFault(q, 64, blsField) ?? inG2(q)
    return fault === undefined ? undefined : (g2(q) ?? fault)
  }
  const pair = (item: Uint8Array): Fault => {
    const [p, q] = [item.subarray(0, G1_BYTES), item.subarray(G1_BYTES)]
    const fault = g1Multiple(p) ?? g2Multiple(q)
    // Both are decoded before the group of either is looked at.
    return fault === undefined ? undefined : (g1(p) ?? g2(q) ?? fault)
  }
  switch (number) {
    case 0x0b:
      return firstFault(input, G1_BYTES, g1)
    case 0x0c:
      return firstFault(input, G1_BYTES + SCALAR_BYTES, g1Multiple)
    case 0x0d:
      return firstFault(input, G2_BYTES, g2)
    case 0x0e:
      return firstFault(input, G2_BYTES + SCALAR_BYTES, g2Multiple)
    case 0x0f:
      return firstFault(input, G1_BYTES + G2_BYTES, pair)
    default:
      return firstFault(input, 64, blsField)
  }
}

const { Fp2 } = nobleBn254.fields
const BN_TWIST_B = nobleBn254.G2.Point.CURVE().b

const bnField = (bytes: Uint8Array): Fault => (bytesToBigint(bytes) >= BN_PRIME ? ENCODING : undefined)

/** y² = x³ + b over the quadratic extension; of an element the imaginary part comes first. */
const isOnTwist = (point: Uint8Array): boolean => {
  const part = (index: number): bigint => bytesToBigint(point.subarray(index * 32, index * 32 + 32))
  const x = Fp2.create({ c0: part(1), c1: part(0) })
  const y = Fp2.create({ c0: part(3), c1: part(2) })
  return Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), BN_TWIST_B))
}

const bnFault = (number: number, bn254: EVMBN254Interface, input: Uint8Array): Fault => {
  const g1 = (point: Uint8Array): Fault =>
    firstFault(point, 32, bnField) ??
    (gives(() => bn254.add(concatBytes(point, new Uint8Array(64)))) ? undefined : BN_CURVE)
  const g2 = (point: Uint8Array): Fault => {
    if (isZeroBytes(point)) return undefined
    const fault = firstFault(point, 32, bnField)
    if (fault !== undefined) return fault
    if (!isOnTwist(point)) return BN_CURVE
    return gives(() => bn254.pairing(concatBytes(new Uint8Array(64), point))) ? undefined : BN_GROUP
  }
  if (number === 0x08) return firstFault(input, 192, (item) => g1(item.subarray(0, 64)) ?? g2(item.subarray(64)))
  const padded = new Uint8Array(number === 0x06 ? 128 : 64)
  padded.set(input.subarray(0, padded.length))
  return firstFault(padded, 64, g1)
}

const { Fp } = bls12_381.fields

const kzgScalar = (bytes: Uint8Array): Fault =>
  bytesToBigint(bytes) >= BLS_ORDER
    ? 'scalar is not canonical when interpreted as a big integer in big-endian'
    : undefined

/** A point of 48 bytes: three flags, then x. */
const kzgPoint = (bytes: Uint8Array, bls: EVMBLSInterface): Fault => {
  const flags = (bytes[0] as number) >> 5
  const bare = bytes.slice()
  bare[0] = (bytes[0] as number) & 0x1f
  // Such a point is not compressed, and so would be longer.
  if (flags === 0b000 || flags === 0b010) return 'short buffer'
  if (flags === 0b110) return isZeroBytes(bare) ? undefined : 'invalid infinity point encoding'
  if (flags !== 0b100 && flags !== 0b101) return 'invalid point encoding'
  const x = bytesToBigint(bare)
  if (x >= BLS_PRIME) return ENCODING
  const square = Fp.create(x ** 3n + 4n)
  if (!gives(() => Fp.toBytes(Fp.sqrt(square)))) return "invalid compressed coordinate: square root doesn't exist"
  const y = Fp.toBytes(Fp.sqrt(square))
  const pad = new Uint8Array(16)
  const product = concatBytes(pad, bare, pad, y, new Uint8Array(SCALAR_BYTES))
  return gives(() => bls.msmG1(product)) ? undefined : 'invalid point: subgroup check failed'
}

/** The claimed value is read before the point that it is claimed for. */
const kzgFault = (input: Uint8Array, bls: EVMBLSInterface): Fault => {
  const fault =
    kzgScalar(input.subarray(64, 96)) ??
    kzgScalar(input.subarray(32, 64)) ??
    kzgPoint(input.subarray(96, 144), bls) ??
    kzgPoint(input.subarray(144, 192), bls)
  return fault === undefined ? undefined : `${KZG}: ${fault}`
}

/** The text for a precompile, by its number, that refused an input with `message`; undefined where that says enough. */
export const curveFailure = (number: number, input: Uint8Array, message: string, curves: Curves): Fault => {
  if (number === 0x0a && message === KZG) return kzgFault(input, curves.bls)
  if (!POINT_FAULTS.has(message) || input.length > MAX_EXAMINED_BYTES) return undefined
  if (number >= 0x06 && number <= 0x08) return bnFault(number, curves.bn254, input)
  return number >= 0x0b && number <= 0x11 ? blsFault(number, curves.bls, input) : undefined
}
