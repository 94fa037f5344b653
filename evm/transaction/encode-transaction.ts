/** Wire forms, and the hashes that senders sign. */
import { bigintToBytes, EMPTY_BYTES } from '../../core/bytes.ts'
import { keccak256, type Hash } from '../../core/hash.ts'
import { encodeEnvelope, encodeRlp, type RlpInput } from '../../core/rlp.ts'
import type { AccessListEntry, Authorization, Transaction } from './transaction.ts'

const encodeAccessList = (list: readonly AccessListEntry[]): RlpInput =>
  list.map(({ address, storageKeys }) => [address, storageKeys])

const encodeAuthorizationList = (list: readonly Authorization[]): RlpInput =>
  list.map(({ chainId, address, nonce, yParity, r, s }) => [
    bigintToBytes(chainId),
    address,
    bigintToBytes(nonce),
    bigintToBytes(yParity),
    bigintToBytes(r),
    bigintToBytes(s),
  ])

/** The fields before the signature, in the order of the wire. */
export const unsignedFields = (transaction: Transaction): RlpInput[] => {
  const { nonce, gasLimit, to, value, data } = transaction
  const call = [bigintToBytes(gasLimit), to ?? EMPTY_BYTES, bigintToBytes(value), data]
  switch (transaction.type) {
    case 0:
      return [bigintToBytes(nonce), bigintToBytes(transaction.gasPrice), ...call]
    case 1:
      return [
        bigintToBytes(transaction.chainId),
        bigintToBytes(nonce),
        bigintToBytes(transaction.gasPrice),
        ...call,
        encodeAccessList(transaction.accessList),
      ]
    case 2:
    case 4: {
      const fields = [
        bigintToBytes(transaction.chainId),
        bigintToBytes(nonce),
        bigintToBytes(transaction.maxPriorityFeePerGas),
        bigintToBytes(transaction.maxFeePerGas),
        ...call,
        encodeAccessList(transaction.accessList),
      ]
      return transaction.type === 2 ? fields : [...fields, encodeAuthorizationList(transaction.authorizationList)]
    }
  }
}

/** The EIP-2718 form: what is hashed into the transaction's hash and stands in blocks. */
export const encodeTransaction = (transaction: Transaction): Uint8Array => {
  const { type, v, r, s } = transaction
  return encodeEnvelope(type, [...unsignedFields(transaction), bigintToBytes(v), bigintToBytes(r), bigintToBytes(s)])
}

/** The digest that the sender signed (EIP-155 for legacy transactions that name a chain). */
export const signingHash = (transaction: Transaction): Hash => {
  const fields = unsignedFields(transaction)
  if (transaction.type !== 0) return keccak256(encodeEnvelope(transaction.type, fields))
  const { chainId } = transaction
  return keccak256(
    encodeRlp(chainId === undefined ? fields : [...fields, bigintToBytes(chainId), EMPTY_BYTES, EMPTY_BYTES]),
  )
}

/** The digest that an EIP-7702 authority signed: keccak256(0x05 || rlp([chain id, address, nonce])). */
export const authorizationHash = ({ chainId, address, nonce }: Authorization): Hash =>
  keccak256(Uint8Array.of(0x05), encodeRlp([bigintToBytes(chainId), address, bigintToBytes(nonce)]))
