/**
 * ed25519 as CometBFT verifies it: by ZIP-215 (https://zips.z.cash/zip-0215), with the cofactor and with every encoding
 * of a point. What libraries think of a signature differs; what is valid in a block must not.
 */
import { createPublicKey, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { concatBytes } from './bytes.ts'

export const ED25519_KEY_BYTES = 32
export const ED25519_SIGNATURE_BYTES = 64

// SubjectPublicKeyInfo of an ed25519 key (RFC 8410) up to its 32 bytes.
const SPKI_PREFIX = Uint8Array.of(0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00)

const verifyByOpenssl = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  // OpenSSL does not look at the point before it verifies, so that any 32 bytes make a key.
  const key = createPublicKey({ key: Buffer.from(concatBytes(SPKI_PREFIX, publicKey)), format: 'der', type: 'spki' })
  return verify(null, message, key, signature)
}

/**
 * Whether a signature (64 bytes) of a public key (32 bytes) is valid by ZIP-215; false for other lengths too.
 *
 * OpenSSL asks first, for it is some ten times faster. It checks without the cofactor, and compares the bytes of R: what it
 * accepts ZIP-215 accepts too. What it refuses is judged anew: no honest signer makes such a signature, so that only liars
 * cost the time.
 */
export const verifyEd25519 = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  if (publicKey.length !== ED25519_KEY_BYTES || signature.length !== ED25519_SIGNATURE_BYTES) return false
  return (
    verifyByOpenssl(publicKey, message, signature) || ed25519.verify(signature, message, publicKey, { zip215: true })
  )
}

/**
 * Why a key cannot be a validator's, or undefined. With one that is no point nobody can sign; with one of small order
 * anybody can. A key with a component of small order is as good as any: ZIP-215 defines its signatures.
 */
export const consensusKeyFault = (publicKey: Uint8Array): string | undefined => {
  if (publicKey.length !== ED25519_KEY_BYTES) {
    return `an ed25519 key has ${ED25519_KEY_BYTES} bytes, not ${publicKey.length}`
  }
  try {
    // The library decodes by RFC 8032, which knows one encoding of each point.
    if (!ed25519.Point.fromBytes(publicKey).isSmallOrder()) return undefined
  } catch {
    return 'no point of the curve of ed25519 has this encoding'
  }
  return 'the point of this ed25519 key has a small order: anybody can sign for it'
}
