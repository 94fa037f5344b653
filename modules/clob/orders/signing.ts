/** What the signature of a transaction is over, and whose it is. */
import type { Address } from '../../../core/address.ts'
import { type Hash, keccak256, ripemd160, sha256 } from '../../../core/hash.ts'
import { publicKeyToAddress, runSignatureTask, type SignatureTask } from '../../../core/signature.ts'
import { BackwardWriter } from '../../../proto/backward-writer.ts'
import type { ClobTx, SignatureScheme } from './clob-tx.ts'
import { encodeUnsigned } from './encode-clob-tx.ts'
import { isSignatureForm } from './signature-form.ts'
import type { SigningChain } from './typed-data.ts'
import { hashTypedTx } from './typed-data-hash.ts'

/** Tags of cosmos.tx.v1beta1.SignDoc. The other two fields are empty, and not written. */
const SIGN_DOC = { bodyBytes: 0x0a, chainId: 0x1a } as const
const SIGN_DOC_BYTES = 512

const R_AND_S_BYTES = 64
const COORDINATE_BYTES = 32

/**
 * What schemes 2 and 3 sign: the bytes of cosmos' SignDoc { body_bytes = the ClobTx without field 8, auth_info_bytes empty,
 * chain_id, account_number 0 }.
 */
export const signBytesOf = (tx: ClobTx, { chainId }: Pick<SigningChain, 'chainId'>): Uint8Array => {
  const writer = new BackwardWriter(SIGN_DOC_BYTES)
  if (chainId !== '') writer.text(SIGN_DOC.chainId, chainId)
  writer.bytes(SIGN_DOC.bodyBytes, encodeUnsigned(tx))
  return writer.finish().slice()
}

/** What the signature is over, by scheme. `tx` is statically valid but for its signature. `chain` is best one object: what follows from it is computed once. */
export const signDigest = (tx: ClobTx, chain: SigningChain): Hash => {
  switch (tx.sigScheme) {
    case 1:
      return hashTypedTx(tx, chain)
    case 2:
      return keccak256(signBytesOf(tx, chain))
    case 3:
      return sha256(signBytesOf(tx, chain))
  }
}

/** The work that any thread can do on the signature; undefined where its bytes are no signature (a high s too). */
export const signatureTaskOf = (tx: ClobTx, chain: SigningChain): SignatureTask | undefined => {
  if (!isSignatureForm(tx.signature)) return undefined
  return {
    kind: 'recover',
    digest: signDigest(tx, chain),
    signature: tx.signature.subarray(0, R_AND_S_BYTES),
    yParity: tx.signature[R_AND_S_BYTES] as number,
  }
}

const compress = (publicKey: Uint8Array): Uint8Array => {
  const out = new Uint8Array(1 + COORDINATE_BYTES)
  out[0] = 2 + ((publicKey[2 * COORDINATE_BYTES - 1] as number) & 1)
  out.set(publicKey.subarray(0, COORDINATE_BYTES), 1)
  return out
}

/** `publicKey` is the 64 bytes that a signature task answers. Scheme 3 has the address that the Cosmos SDK gives such a key. */
export const addressOfKey = (scheme: SignatureScheme, publicKey: Uint8Array): Address =>
  scheme === 3 ? ripemd160(sha256(compress(publicKey))) : publicKeyToAddress(publicKey)

/**
 * Whose key signed; undefined where the signature does not hold. Whether this is the right one, {@link expectedSigner} says:
 * a signature over something else, or for another chain, is that of some other address.
 */
export const recoverSigner = (tx: ClobTx, chain: SigningChain): Address | undefined => {
  const task = signatureTaskOf(tx, chain)
  const publicKey = task === undefined ? undefined : runSignatureTask(task)
  return publicKey === undefined ? undefined : addressOfKey(tx.sigScheme, publicKey)
}

/** Who must have signed, and whose nonce it is: the agent where there is one. */
export const expectedSigner = ({ agent, owner }: ClobTx): Address => agent ?? owner
