/** Takes blocks away with everything that points to them: from below as they grow old, from above by a rollback. */
import { readUint64 } from '../../core/bytes.ts'
import { readBaseHeight } from '../../store/base-height.ts'
import {
  blockHashKey,
  blockOutcomeKey,
  bodyKey,
  finalizeRequestKey,
  headerKey,
  nativeHashKey,
  nativeResultsKey,
  receiptsKey,
  shownCountKey,
  transactionHashKey,
} from '../../store/keys.ts'
import type { Batch, KeyValueStore } from '../../store/store.ts'
import { deleteItems } from '../records/paged-items.ts'
import { ChainReader } from './chain-reader.ts'
import { deleteLogIndex } from './log-index.ts'

const TAG_BYTES = 1

/** Adds the deletion of one block. */
export const deleteBlock = (batch: Batch, reader: ChainReader, height: number): void => {
  const record = reader.header(height)
  if (record === undefined) return
  deleteLogIndex(batch, height, reader.receipts(height))
  for (const hash of reader.transactionHashes(height)) {
    if (reader.positionOf(hash)?.height === height) batch.delete('index', transactionHashKey(hash))
  }
  for (const { hash } of reader.nativeResults(height)) {
    if (reader.nativePositionOf(hash)?.height === height) batch.delete('index', nativeHashKey(hash))
  }
  for (const key of [bodyKey, receiptsKey]) deleteItems(batch, reader.store, key(height))
  for (const key of [nativeResultsKey, blockOutcomeKey, shownCountKey, finalizeRequestKey, headerKey])
    batch.delete('blocks', key(height))
  batch.delete('index', blockHashKey(record.hash))
}

/** The heights of the lowest blocks that are here, below `before`. */
const lowestBlocks = (store: KeyValueStore, from: number, before: number, limit: number): readonly number[] =>
  before <= from
    ? []
    : store
        .scan('blocks', { gte: headerKey(from), lt: headerKey(before), limit })
        .map(([key]) => readUint64(key, TAG_BYTES))

/** Deletes the blocks below the base height, which has been synced by then; it goes on where it was killed. */
export class BlockPruner {
  readonly #store: KeyValueStore
  /** Everything below this height is deleted: what was deleted once is not walked over again. */
  #from = 0

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  /** Prunes at most `limit` blocks in one write; returns how many they were. */
  step(limit: number): number {
    const heights = lowestBlocks(this.#store, this.#from, readBaseHeight(this.#store), limit)
    const last = heights.at(-1)
    if (last === undefined) return 0
    const reader = new ChainReader(this.#store)
    const batch = this.#store.batch()
    for (const height of heights) deleteBlock(batch, reader, height)
    this.#store.write(batch, { sync: false })
    this.#from = last + 1
    return heights.length
  }
}
