/** Signatures of the bridge's keys: r, s and the parity of y over 32 bytes, with the low one of both s that a contract accepts. */
import type { Address } from './address.ts'
import { bytesToBigint, concatBytes, utf8ToBytes } from './bytes.ts'
import { CodedError } from './errors.ts'
import { keccak256 } from './hash.ts'
import { publicKeyToAddress, recoverTask, runSignatureTask, SECP256K1_HALF_ORDER, signDigest } from './signature.ts'

export const BRIDGE_SIGNATURE_BYTES = 65

export const signForBridge = (digest: Uint8Array, privateKey: Uint8Array): Uint8Array => {
  const { r, s, yParity } = signDigest(digest, privateKey)
  return concatBytes(r, s, Uint8Array.of(yParity))
}

/** Recovers who signed; undefined for what is no signature that the contract would accept. */
export const recoverBridgeSigner = (digest: Uint8Array, signature: Uint8Array): Address | undefined => {
  if (signature.length !== BRIDGE_SIGNATURE_BYTES) return undefined
  const [r, s] = [bytesToBigint(signature.subarray(0, 32)), bytesToBigint(signature.subarray(32, 64))]
  if (s > SECP256K1_HALF_ORDER) return undefined
  try {
    const publicKey = runSignatureTask(recoverTask(digest, signature[64] ?? 0, r, s))
    return publicKey === undefined ? undefined : publicKeyToAddress(publicKey)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    // Numbers that no signature has.
    return undefined
  }
}

/** The 32 bytes that a key of the bridge signs to show that the operator holds it. No digest of EIP-712 begins with these words. */
export const bridgeKeyDigest = (chainId: string, operator: string): Uint8Array =>
  keccak256(utf8ToBytes(`NAT bridge key\n${chainId}\n${operator}\n`))
