/** The index part of a block's one atomic write: header, body, receipts, request, hashes and log postings. */
import { EMPTY_BYTES, uint64ToBytes } from '../../core/bytes.ts'
import { encodeRlp } from '../../core/rlp.ts'
import {
  blockHashKey,
  bodyKey,
  finalizeRequestKey,
  headerKey,
  receiptsKey,
  transactionHashKey,
} from '../../store/keys.ts'
import type { Batch } from '../../store/store.ts'
import type { SealedBlock } from '../block/candidate.ts'
import { encodeBlockMeta } from '../block/content.ts'
import { writeLogIndex } from './log-index.ts'
import {
  type HeaderRecord,
  encodeBody,
  encodeHeaderRecord,
  encodeItems,
  encodePosition,
  encodeStoredReceipt,
} from './records.ts'

/**
 * The FinalizeBlock request as stored: RLP [meta, transactions], where a transaction of the Ethereum block is empty
 * (its bytes stand in the body, in the same order) and any other one is its wire form.
 */
const encodeRequest = ({ candidate }: SealedBlock): Uint8Array =>
  encodeRlp([
    encodeBlockMeta(candidate.content),
    candidate.outcomes.map((outcome, index) =>
      outcome.kind === 'ethereum' ? EMPTY_BYTES : (candidate.content.transactions[index] ?? EMPTY_BYTES),
    ),
  ])

export const writeHeader = (batch: Batch, record: HeaderRecord): void => {
  const height = record.header.number
  batch.put('blocks', headerKey(height), encodeHeaderRecord(record))
  batch.put('index', blockHashKey(record.hash), uint64ToBytes(height))
}

export const writeBlock = (batch: Batch, block: SealedBlock): void => {
  const { record, candidate } = block
  const height = record.header.number
  writeHeader(batch, record)
  batch.put('blocks', finalizeRequestKey(height), encodeRequest(block))
  if (candidate.ethereum.length === 0) return
  const receipts = candidate.ethereum.map(({ receipt }) => receipt)
  batch.put(
    'blocks',
    bodyKey(height),
    encodeBody(candidate.ethereum.map(({ signed }) => ({ sender: signed.sender, raw: signed.raw }))),
  )
  batch.put('blocks', receiptsKey(height), encodeItems(receipts.map(encodeStoredReceipt)))
  for (const [index, { signed }] of candidate.ethereum.entries()) {
    batch.put('index', transactionHashKey(signed.hash), encodePosition({ height, index }))
  }
  writeLogIndex(batch, height, receipts)
}
