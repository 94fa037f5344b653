/**
 * The transactions of a block that clients are shown: those that executed, of Ethereum and native. The vote extensions
 * that begin a block are nobody's transaction, those of the order book have services of their own, and what was not
 * valid at its place did nothing. They are counted up from
 * block to block, so that a page of any heights is found without a look at the blocks before it.
 */
import { concatBytes, readUint64, uint64ToBytes } from '../../core/bytes.ts'
import { shownCountKey } from '../../store/keys.ts'
import type { Batch, KeyValueStore } from '../../store/store.ts'
import { familyOf } from '../families/index.ts'
import type { SealedBlock } from '../block/candidate.ts'
import type { TransactionOutcome } from '../block/transaction.ts'
import type { ChainReader } from './chain-reader.ts'
import { readStoredContent } from './finalize-request.ts'

/** Counts the shown transactions of all blocks that this database has written: before the block, and with it. */
export interface ShownCount {
  readonly before: number
  readonly through: number
}

const COUNT_BYTES = 8

/** Reads the count; undefined for a block that came with a snapshot, and for one that is not here. */
export const readShownCount = (store: KeyValueStore, height: number): ShownCount | undefined => {
  const bytes = store.get('blocks', shownCountKey(height))
  return bytes === undefined ? undefined : { before: readUint64(bytes), through: readUint64(bytes, COUNT_BYTES) }
}

/** It has a receipt, or its result is stored and its family is shown. */
const isShown = (outcome: TransactionOutcome, raw: Uint8Array | undefined): boolean =>
  outcome.kind === 'applied' &&
  (outcome.ethereum !== undefined || (outcome.storedHash() !== undefined && raw !== undefined && familyOf(raw).isShown))

/** `store` holds the block before, unless this is the first one that it writes. */
export const writeShownCount = (batch: Batch, store: KeyValueStore, { record, candidate }: SealedBlock): void => {
  const height = record.header.number
  const before = readShownCount(store, height - 1)?.through ?? 0
  const { transactions } = candidate.content
  const shown = candidate.outcomes.filter((outcome, index) => isShown(outcome, transactions[index])).length
  batch.put('blocks', shownCountKey(height), concatBytes(uint64ToBytes(before), uint64ToBytes(before + shown)))
}

export interface ShownTransaction {
  readonly raw: Uint8Array
  /** Place among all transactions of the block. */
  readonly index: number
  /** Place in the Ethereum block, of one that is there. */
  readonly ethereumIndex?: number
}

/** The shown transactions in the order of the block. Undefined where the block is not here as a whole. */
export const shownTransactions = (reader: ChainReader, height: number): readonly ShownTransaction[] | undefined => {
  const content = readStoredContent(reader.store, height)
  if (content === undefined) return undefined
  const executed = new Set(reader.nativeResults(height).map(({ index }) => index))
  return content.transactions.flatMap(({ raw, ethereum }, index) => {
    if (ethereum !== undefined) return [{ raw, index, ethereumIndex: ethereum.index }]
    return executed.has(index) && familyOf(raw).isShown ? [{ raw, index }] : []
  })
}
