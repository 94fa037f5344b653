/**
 * The index part of a block's one atomic write: header, body, receipts, results, events, request, hashes and log
 * postings.
 */
import { uint64ToBytes } from '../../core/bytes.ts'
import {
  blockHashKey,
  bodyKey,
  finalizeRequestKey,
  headerKey,
  receiptsKey,
  transactionHashKey,
} from '../../store/keys.ts'
import type { Batch, KeyValueStore } from '../../store/store.ts'
import type { SignedTransaction } from '../../evm/transaction/transaction.ts'
import type { SealedBlock } from '../block/candidate.ts'
import type { Receipt } from '../records/receipt.ts'
import { blockOutcomeOf, writeBlockOutcome } from './block-outcome.ts'
import { encodeFinalizeRequest } from './finalize-request.ts'
import { writeLogIndex } from './log-index.ts'
import { nativeResultsOf, writeNativeResults } from './native-results.ts'
import {
  type HeaderRecord,
  encodeBodyItem,
  encodeHeaderRecord,
  encodePosition,
  encodeStoredReceipt,
} from '../records/records.ts'
import { putItems } from '../records/paged-items.ts'
import { writeShownCount } from './shown-transactions.ts'

export const writeHeader = (batch: Batch, record: HeaderRecord): void => {
  const height = record.header.number
  batch.put('blocks', headerKey(height), encodeHeaderRecord(record))
  batch.put('index', blockHashKey(record.hash), uint64ToBytes(height))
}

/** `store` is what the batch will be written to. */
export const writeBlock = (batch: Batch, store: KeyValueStore, block: SealedBlock): void => {
  const { record, candidate } = block
  const height = record.header.number
  writeHeader(batch, record)
  batch.put('blocks', finalizeRequestKey(height), encodeFinalizeRequest(block))
  writeTransactions(
    batch,
    height,
    candidate.ethereum.map(({ signed }) => signed),
    candidate.ethereum.map(({ receipt }) => receipt),
  )
  const native = nativeResultsOf(candidate)
  writeNativeResults(batch, height, native)
  writeBlockOutcome(batch, height, blockOutcomeOf(candidate, native))
  writeShownCount(batch, store, block)
}

/** Body, receipts and indexes of an Ethereum block. */
export const writeTransactions = (
  batch: Batch,
  height: number,
  transactions: readonly SignedTransaction[],
  receipts: readonly Receipt[],
): void => {
  if (transactions.length === 0) return
  putItems(batch, bodyKey(height), transactions.map(encodeBodyItem))
  putItems(batch, receiptsKey(height), receipts.map(encodeStoredReceipt))
  for (const [index, { hash }] of transactions.entries()) {
    batch.put('index', transactionHashKey(hash), encodePosition({ height, index }))
  }
  writeLogIndex(batch, height, receipts)
}
