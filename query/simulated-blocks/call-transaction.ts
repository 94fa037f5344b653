/** The transaction that a simulated call stands for: without a signature, its hash that of the wire form as it is. */
import { bigintToBytes, EMPTY_BYTES } from '../../core/bytes.ts'
import { type Hash, keccak256 } from '../../core/hash.ts'
import { bytesToHex, quantityToHex } from '../../core/hex.ts'
import { encodeEnvelope } from '../../core/rlp.ts'
import type { Address } from '../../core/address.ts'
import type { Message } from '../../evm/engine.ts'
import { encodeTransaction, unsignedFields } from '../../evm/transaction/encode-transaction.ts'
import type { DynamicFeeTransaction, Transaction } from '../../evm/transaction/transaction.ts'
import { simulationError } from '../../app/errors.ts'
import type { CallRequest } from '../../app/ports.ts'
import { type Json, type Placement, transactionJson } from '../ethereum-json.ts'
import { unsignedType } from '../unsigned-transaction.ts'

/** What geth reads from the signature that is missing: (0 - 35) / 2 in 64 bits. */
const UNSIGNED_CHAIN_ID = ((1n << 64n) - 35n) / 2n

interface Blobs {
  readonly hashes: readonly Hash[]
  readonly maxFeePerGas: bigint
}

export interface CallTransaction {
  readonly type: number
  /** A blob transaction (type 3), which this chain does not have, stands here without its blobs. */
  readonly transaction: Transaction
  readonly blobs: Blobs | undefined
  /** EIP-2718. */
  readonly raw: Uint8Array
  readonly hash: Hash
}

const encodeBlobTransaction = (transaction: DynamicFeeTransaction, { hashes, maxFeePerGas }: Blobs): Uint8Array => {
  const signature = [EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES]
  const fields = [...unsignedFields(transaction), bigintToBytes(maxFeePerGas), hashes, ...signature]
  return encodeEnvelope(3, fields)
}

/** Throws simulation/2 for a creation that its type does not have: geth crashes there. */
export const toCallTransaction = (call: CallRequest, message: Message, chainId: bigint): CallTransaction => {
  const type = unsignedType(call)
  if (type > 2 && message.to === undefined) throw simulationError('crashed', 'method handler crashed')
  const { nonce, gasLimit, to, value, data, accessList, maxFeePerGas, maxPriorityFeePerGas } = message
  const common = { nonce, gasLimit, to, value, data, v: 0n, r: 0n, s: 0n }
  const dynamic = { ...common, chainId, maxFeePerGas, maxPriorityFeePerGas, accessList }
  const plain: DynamicFeeTransaction = { ...dynamic, type: 2 }
  const transaction: Transaction =
    type === 0
      ? { ...common, type, chainId: UNSIGNED_CHAIN_ID, gasPrice: maxFeePerGas }
      : type === 4
        ? { ...dynamic, type, authorizationList: message.authorizationList }
        : plain
  const blobs =
    type === 3 ? { hashes: message.blobVersionedHashes, maxFeePerGas: message.maxFeePerBlobGas ?? 0n } : undefined
  const raw = blobs === undefined ? encodeTransaction(transaction) : encodeBlobTransaction(plain, blobs)
  return { type, transaction, blobs, raw, hash: keccak256(raw) }
}

/** Members of blobs, each behind the one that it follows in geth. */
const withBlobs = (view: Json, { hashes, maxFeePerGas }: Blobs): Json =>
  Object.fromEntries(
    Object.entries({ ...view, type: '0x3' }).flatMap(([name, value]) => {
      if (name === 'maxPriorityFeePerGas') {
        return [
          [name, value],
          ['maxFeePerBlobGas', quantityToHex(maxFeePerGas)],
        ]
      }
      if (name !== 'chainId') return [[name, value]]
      return [
        [name, value],
        ['blobVersionedHashes', hashes.map(bytesToHex)],
      ]
    }),
  )

export const callTransactionJson = (
  { transaction, blobs, raw, hash }: CallTransaction,
  sender: Address,
  placement: Placement,
): Json => {
  const view = transactionJson({ transaction, raw, hash, sender }, placement)
  return blobs === undefined ? view : withBlobs(view, blobs)
}
