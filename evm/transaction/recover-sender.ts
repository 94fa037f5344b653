/** Who signed a transaction. Recovery costs about 40 microseconds: do it once and keep the result by hash. */
import type { Address } from '../../core/address.ts'
import { plainBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { keccak256, type Hash } from '../../core/hash.ts'
import {
  publicKeyToAddress,
  recoverPublicKey,
  recoverTask,
  SECP256K1_HALF_ORDER,
  SECP256K1_ORDER,
  type SignatureTask,
} from '../../core/signature.ts'
import { invalidSender } from '../errors.ts'
import { decodeTransaction } from './decode-transaction.ts'
import { signingHash } from './encode-transaction.ts'
import type { SignedTransaction, Transaction } from './transaction.ts'

/** 0 or 1, or another number when v is none of the values that a signature may have. */
const parityOf = ({ type, chainId, v }: Transaction): bigint => {
  if (type !== 0) return v
  return chainId === undefined ? v - 27n : v - 35n - 2n * chainId
}

/** Low s only (EIP-2). Throws evm/invalidSender with geth's reason. */
export const recoverSigner = (digest: Hash, parity: bigint, r: bigint, s: bigint): Address => {
  if ((parity !== 0n && parity !== 1n) || s > SECP256K1_HALF_ORDER) {
    throw invalidSender('invalid transaction v, r, s values')
  }
  try {
    return publicKeyToAddress(recoverPublicKey(digest, Number(parity), r, s))
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw invalidSender(error.message === 'recovery failed' ? error.message : 'invalid transaction v, r, s values')
  }
}

/** Recovers who signed the transaction. Throws evm/invalidSender: `invalid sender: recovery failed` or `... invalid transaction v, r, s values`. */
export const recoverSender = (transaction: Transaction): Address =>
  recoverSigner(signingHash(transaction), parityOf(transaction), transaction.r, transaction.s)

/**
 * Prepares what is left of {@link recoverSender} for another thread: its answer is the public key. Undefined where there is
 * nothing to recover, and {@link recoverSender} throws.
 */
export const senderTask = (transaction: Transaction): SignatureTask | undefined => {
  const { r, s } = transaction
  const parity = parityOf(transaction)
  if ((parity !== 0n && parity !== 1n) || r <= 0n || s <= 0n || r >= SECP256K1_ORDER || s > SECP256K1_HALF_ORDER) {
    return undefined
  }
  return recoverTask(signingHash(transaction), Number(parity), r, s)
}

/** Decodes, hashes and recovers. Throws what {@link decodeTransaction} and {@link recoverSender} throw. */
export const decodeSigned = (raw: Uint8Array): SignedTransaction => {
  const bytes = plainBytes(raw)
  const transaction = decodeTransaction(bytes)
  return { transaction, raw: bytes, hash: keccak256(bytes), sender: recoverSender(transaction) }
}
