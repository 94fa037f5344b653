/** The transaction that a filled-in object describes, before it is signed: v, r and s are zero. */
import { bigintToBytes, EMPTY_BYTES } from '../core/bytes.ts'
import { type Hash, keccak256 } from '../core/hash.ts'
import { encodeRlp } from '../core/rlp.ts'
import type { Message } from '../evm/engine.ts'
import { encodeTransaction } from '../evm/transaction/encode-transaction.ts'
import type { Transaction } from '../evm/transaction/transaction.ts'
import type { CallRequest } from '../app/ports.ts'

/** geth's choice: whatever else there is, a gas price makes a legacy transaction. Never type 1. */
export const unsignedType = (call: CallRequest): 0 | 2 | 3 | 4 => {
  if (call.gasPrice !== undefined) return 0
  if (call.authorizationList !== undefined) return 4
  return call.blobVersionedHashes === undefined ? 2 : 3
}

export const unsignedTransaction = (message: Message, type: 0 | 2 | 4, chainId: bigint): Transaction => {
  const { nonce, gasLimit, to, value, data, maxFeePerGas, maxPriorityFeePerGas, accessList } = message
  const common = { nonce, gasLimit, to, value, data, v: 0n, r: 0n, s: 0n }
  if (type === 0) return { ...common, type, gasPrice: maxFeePerGas, chainId: undefined }
  const typed = { ...common, chainId, maxFeePerGas, maxPriorityFeePerGas, accessList }
  return type === 2 ? { ...typed, type } : { ...typed, type, authorizationList: message.authorizationList }
}

/** EIP-4844. This chain takes no such transactions; where a call that would be one is refused, its hash is named. */
const blobTransactionHash = (message: Message, chainId: bigint): Hash => {
  const quantities = [chainId, message.nonce, message.maxPriorityFeePerGas, message.maxFeePerGas, message.gasLimit]
  const payload = encodeRlp([
    ...quantities.map((quantity) => bigintToBytes(quantity)),
    message.to ?? EMPTY_BYTES,
    bigintToBytes(message.value),
    message.data,
    message.accessList.map(({ address, storageKeys }) => [address, storageKeys]),
    bigintToBytes(message.maxFeePerBlobGas ?? 0n),
    message.blobVersionedHashes,
    ...[EMPTY_BYTES, EMPTY_BYTES, EMPTY_BYTES],
  ])
  return keccak256(Uint8Array.of(3), payload)
}

export const unsignedHash = (message: Message, call: CallRequest, chainId: bigint): Hash => {
  const type = unsignedType(call)
  if (type === 3) return blobTransactionHash(message, chainId)
  return keccak256(encodeTransaction(unsignedTransaction(message, type, chainId)))
}
