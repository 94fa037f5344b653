/** Whether the wire form in a state test is one of a valid signature. Blob transactions are decoded here alone. */
import type { Address } from '../../core/address.ts'
import { keccak256 } from '../../core/hash.ts'
import { encodeRlpList, splitRlpList } from '../../core/rlp.ts'
import { invalidChainId } from '../errors.ts'
import { decodePayload, decodeTransaction, readAccessListEntry, readHash } from '../transaction/decode-transaction.ts'
import { FieldReader } from '../transaction/field-reader.ts'
import type { RlpStream } from '../transaction/rlp-stream.ts'
import { recoverSender, recoverSigner } from '../transaction/recover-sender.ts'

const BLOB_TYPE = 3

const checkChainId = (have: bigint | undefined, want: bigint): void => {
  if (have !== undefined && have !== want) throw invalidChainId(have, want)
}

/** EIP-4844 without its sidecar. */
const readBlobTransaction = (stream: RlpStream): { chainId: bigint; v: bigint; r: bigint; s: bigint } => {
  const reader = FieldReader.outermost(stream, 'types.BlobTx')
  const chainId = reader.uint256('ChainID')
  reader.uint('Nonce', 64)
  reader.uint256('GasTipCap')
  reader.uint256('GasFeeCap')
  reader.uint('Gas', 64)
  reader.address('To')
  reader.uint256('Value')
  reader.bytes('Data')
  reader.list('AccessList', 'types.AccessList', readAccessListEntry)
  reader.uint256('BlobFeeCap')
  reader.list('BlobHashes', '[]common.Hash', readHash)
  const signature = { v: reader.uint256('V'), r: reader.uint256('R'), s: reader.uint256('S') }
  reader.end()
  return { chainId, ...signature }
}

const recoverBlobSender = (raw: Uint8Array, chainId: bigint): Address => {
  const payload = raw.subarray(1)
  const transaction = decodePayload(payload, readBlobTransaction)
  checkChainId(transaction.chainId, chainId)
  const unsigned = splitRlpList(payload).slice(0, -3)
  const digest = keccak256(Uint8Array.of(BLOB_TYPE), encodeRlpList(unsigned))
  return recoverSigner(digest, transaction.v, transaction.r, transaction.s)
}

/** Throws a CodedError when the transaction does not decode, names another chain or has no valid signature. */
export const checkRawTransaction = (raw: Uint8Array, chainId: bigint): void => {
  if (raw[0] === BLOB_TYPE && raw.length > 1) {
    recoverBlobSender(raw, chainId)
    return
  }
  const transaction = decodeTransaction(raw)
  checkChainId(transaction.chainId, chainId)
  recoverSender(transaction)
}
