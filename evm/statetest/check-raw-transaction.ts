/** Whether the wire form in a state test is one of a valid signature. Blob transactions are decoded here alone. */
import type { Address } from '../../core/address.ts'
import { keccak256 } from '../../core/hash.ts'
import { encodeRlp, type RlpItem } from '../../core/rlp.ts'
import { invalidChainId } from '../errors.ts'
import { decodePayload, decodeTransaction, readAccessListEntry } from '../transaction/decode-transaction.ts'
import { FieldReader } from '../transaction/field-reader.ts'
import { recoverSender, recoverSigner } from '../transaction/recover-sender.ts'

const BLOB_TYPE = 3

const checkChainId = (have: bigint | undefined, want: bigint): void => {
  if (have !== undefined && have !== want) throw invalidChainId(have, want)
}

/** EIP-4844 without its sidecar. */
const recoverBlobSender = (raw: Uint8Array, chainId: bigint): Address => {
  const item: RlpItem = decodePayload(raw.subarray(1))
  const reader = new FieldReader(item, 'types.BlobTx')
  checkChainId(reader.uint256('ChainID'), chainId)
  reader.uint('Nonce', 64)
  reader.uint256('GasTipCap')
  reader.uint256('GasFeeCap')
  reader.uint('Gas', 64)
  reader.address('To')
  reader.uint256('Value')
  reader.bytes('Data')
  reader.list('AccessList', 'types.AccessList', readAccessListEntry)
  reader.uint256('BlobFeeCap')
  reader.list('BlobHashes', '[]common.Hash', (hash, path) =>
    new FieldReader([hash], 'common.Hash', path).fixed('', 'common.Hash', 32),
  )
  const signature = { v: reader.uint256('V'), r: reader.uint256('R'), s: reader.uint256('S') }
  reader.end()
  const unsigned = (item as RlpItem[]).slice(0, -3)
  const digest = keccak256(Uint8Array.of(BLOB_TYPE), encodeRlp(unsigned))
  return recoverSigner(digest, signature.v, signature.r, signature.s)
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
