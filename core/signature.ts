/** Signatures over secp256k1, with recovery (native). Those of votes are in ed25519.ts. */
import { createRequire } from 'node:module'
import type { Address } from './address.ts'
import { concatBytes, padLeft, bigintToBytes } from './bytes.ts'
import { coreError, errorText } from './errors.ts'
import { keccak256, sha256, type Hash } from './hash.ts'

interface Secp256k1 {
  ecdsaRecover(signature: Uint8Array, recoveryId: number, message: Uint8Array, compressed: boolean): Uint8Array
  ecdsaSign(message: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number }
  ecdsaVerify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean
  publicKeyCreate(privateKey: Uint8Array, compressed: boolean): Uint8Array
  publicKeyConvert(publicKey: Uint8Array, compressed: boolean): Uint8Array
}

// The package falls back to elliptic in JavaScript in silence, which is 20 times slower: load the binding by name.
const loadNative = (): Secp256k1 => {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as Secp256k1
  } catch (error) {
    throw coreError(
      'binding',
      `the native secp256k1 binding did not load (${errorText(error)}); run "make setup" on this machine`,
    )
  }
}

const native = loadNative()

/** Order of the group of secp256k1. */
export const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
export const SECP256K1_HALF_ORDER = SECP256K1_ORDER / 2n

/** Work on one signature that needs nothing else, so that any thread can do it. */
export type SignatureTask =
  /** Who signed: the answer is the public key of {@link recoverPublicKey}. `signature` is r and s. */
  | { readonly kind: 'recover'; readonly digest: Hash; readonly signature: Uint8Array; readonly yParity: number }
  /** Whether this key signed, as {@link verifySecp256k1} says it. The answer is the key; it has 65 bytes. */
  | { readonly kind: 'verify'; readonly digest: Hash; readonly signature: Uint8Array; readonly publicKey: Uint8Array }

/** Throws core/4 when these are no values of a signature. */
export const recoverTask = (digest: Hash, yParity: number, r: bigint, s: bigint): SignatureTask => {
  if (r <= 0n || s <= 0n || r >= SECP256K1_ORDER || s >= SECP256K1_ORDER || (yParity !== 0 && yParity !== 1)) {
    throw coreError('signature', 'invalid signature values')
  }
  const signature = concatBytes(padLeft(bigintToBytes(r), 32), padLeft(bigintToBytes(s), 32))
  return { kind: 'recover', digest, signature, yParity }
}

/** Answers undefined for a signature that does not hold. */
export const runSignatureTask = (task: SignatureTask): Uint8Array | undefined => {
  const { digest, signature } = task
  if (task.kind === 'verify') return verifySecp256k1(digest, signature, task.publicKey) ? task.publicKey : undefined
  try {
    return native.ecdsaRecover(signature, task.yParity, digest, false).subarray(1)
  } catch {
    return undefined
  }
}

/** The uncompressed public key (64 bytes, without its 0x04) that signed `hash`. Throws core/4 when there is none. */
export const recoverPublicKey = (hash: Hash, yParity: number, r: bigint, s: bigint): Uint8Array => {
  const publicKey = runSignatureTask(recoverTask(hash, yParity, r, s))
  if (publicKey === undefined) throw coreError('signature', 'recovery failed')
  return publicKey
}

/** The 64 bytes of a compressed public key of 33 bytes. Throws core/8 when it is no point of the curve. */
export const decompressPublicKey = (publicKey: Uint8Array): Uint8Array => {
  try {
    return native.publicKeyConvert(publicKey, false).subarray(1)
  } catch {
    throw coreError('publicKey', 'not a compressed secp256k1 public key')
  }
}

/** Checks r and s (64 bytes) over a digest with a public key of 33 or, faster, 65 bytes. False also for a high s and for no key. */
export const verifySecp256k1 = (digest: Hash, signature: Uint8Array, publicKey: Uint8Array): boolean => {
  if (signature.length !== 64) return false
  try {
    return native.ecdsaVerify(signature, digest, publicKey)
  } catch {
    return false
  }
}

/** `publicKey` is uncompressed, 64 bytes without its 0x04. */
export const publicKeyToAddress = (publicKey: Uint8Array): Address => keccak256(publicKey).slice(12)

/** The address of a 32-byte secp256k1 private key. */
export const privateKeyToAddress = (privateKey: Uint8Array): Address =>
  publicKeyToAddress(native.publicKeyCreate(privateKey, false).subarray(1))

/** Low-s signature over a 32-byte digest. */
export const signDigest = (hash: Hash, privateKey: Uint8Array): { r: Uint8Array; s: Uint8Array; yParity: number } => {
  const { signature, recid } = native.ecdsaSign(hash, privateKey)
  return { r: signature.slice(0, 32), s: signature.slice(32, 64), yParity: recid }
}

/** CometBFT's address of an ed25519 key: the first 20 bytes of its SHA-256. */
export const consensusAddress = (publicKey: Uint8Array): Uint8Array => sha256(publicKey).slice(0, 20)
