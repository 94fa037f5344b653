/** Signs as no honest library does: ZIP-215 takes these signatures, and who verifies without the cofactor refuses them. */
import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { concatBytes } from '../bytes.ts'

const { Point } = ed25519
const ORDER = Point.Fn.ORDER

/** A generator of the eight points of small order. */
const TORSION = Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa')

/** `index` times a point of order 8: 0 is the neutral element. */
export const smallOrderPoint = (index: number) =>
  index % 8 === 0 ? Point.ZERO : TORSION.multiplyUnsafe(BigInt(index % 8))

const toScalar = (bytes: Uint8Array): bigint =>
  Point.Fn.create(BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`))

const sha512 = (...parts: readonly Uint8Array[]): Uint8Array =>
  createHash('sha512')
    .update(concatBytes(...parts))
    .digest()

export interface TorsionedSigner {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** 64 bytes, the same for the same message. */
  sign(message: Uint8Array): Uint8Array
}

/**
 * `seed` is a private key of 32 bytes. The small-order points are added to R of each signature and to the public key;
 * with 0 for both it signs as RFC 8032 has it.
 */
export const createTorsionedSigner = (seed: Uint8Array, ofR = 1, ofKey = 0): TorsionedSigner => {
  const { scalar, prefix } = ed25519.utils.getExtendedPublicKey(seed)
  const publicKey = Point.BASE.multiply(scalar).add(smallOrderPoint(ofKey)).toBytes()
  return {
    publicKey,
    sign: (message) => {
      const nonce = toScalar(sha512(prefix, message))
      const R = Point.BASE.multiply(nonce).add(smallOrderPoint(ofR)).toBytes()
      const s = (nonce + toScalar(sha512(R, publicKey, message)) * scalar) % ORDER
      return concatBytes(R, Point.Fn.toBytes(s))
    },
  }
}
