/**
 * Keeps the history beside the blocks: takes the next ones in, forgets what is pruned, and begins anew where what it has is of
 * other blocks than those of the node (after a rollback or a restore). Each step is a few bounded writes; it may be killed anywhere.
 */
import { equalBytes, readUint32, readUint64 } from '../../core/bytes.ts'
import { readBaseHeight } from '../../store/base-height.ts'
import type { Batch, KeyValueStore } from '../../store/store.ts'
import { oldestHeight, readCommittedBlock } from '../feed/committed-block.ts'
import { ChainReader, readChainParameters, readCommittedHeight } from '../index/chain-reader.ts'
import { clientIdKey, heightKey, isOrderKey, orderKey } from './keys.ts'
import { decodeOrderEntry } from './order-entry.ts'
import { type Cursor, HISTORY_COLUMN, readCursor, writeHistory } from './write-history.ts'

/** Entries deleted in one write. */
const FORGOTTEN_A_WRITE = 2_000
const PRUNED_BLOCKS_A_STEP = 10
const EVERYTHING = new Uint8Array(0)

/** Returns whether there was anything. The cursor is the first to go: without it whatever is left is forgotten, too. */
const forgetSome = (store: KeyValueStore): boolean => {
  const entries = store.scan(HISTORY_COLUMN, { gte: EVERYTHING, limit: FORGOTTEN_A_WRITE })
  if (entries.length === 0) return false
  const batch = store.batch()
  for (const [key] of entries) batch.delete(HISTORY_COLUMN, key)
  store.write(batch, { sync: false })
  return true
}

/** The keys that stand one after the other, each behind its length. */
function* keysIn(value: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < value.length; ) {
    const length = value[at] ?? 0
    yield value.slice(at + 1, at + 1 + length)
    at += 1 + length
  }
}

/** With an order goes its client's id, unless a newer order has it. */
const forgetClientId = (store: KeyValueStore, batch: Batch, key: Uint8Array): void => {
  const value = store.get(HISTORY_COLUMN, key)
  if (value === undefined) return
  const { owner, clientId, market, seq } = decodeOrderEntry(readUint32(key, 1), readUint64(key, 5), value)
  if (clientId.length === 0) return
  const idKey = clientIdKey(owner, clientId)
  const place = store.get(HISTORY_COLUMN, idKey)
  if (place === undefined || !equalBytes(place, orderKey(market, seq).subarray(1))) return
  batch.delete(HISTORY_COLUMN, idKey)
}

/** Forgets fills and ended orders of blocks that are not kept. Candles stay. Returns whether there was anything. */
const pruneSome = (store: KeyValueStore, before: number): boolean => {
  const range = { gte: heightKey(0), lt: heightKey(before), limit: PRUNED_BLOCKS_A_STEP }
  const entries = store.scan(HISTORY_COLUMN, range)
  if (entries.length === 0) return false
  const batch = store.batch()
  for (const [key, value] of entries) {
    for (const prunable of keysIn(value)) {
      if (isOrderKey(prunable)) forgetClientId(store, batch, prunable)
      batch.delete(HISTORY_COLUMN, prunable)
    }
    batch.delete(HISTORY_COLUMN, key)
  }
  store.write(batch, { sync: false })
  return true
}

export interface HistoryStep {
  /** There is more to do at once. */
  readonly isMore: boolean
  /** Of the history; undefined while it is empty. */
  readonly height: number | undefined
}

export class HistoryFollower {
  readonly #store: KeyValueStore
  readonly #reader: ChainReader
  /** The block of the cursor is one of the node's: looked at once, and told by the parent of the next block from then on. */
  #isChecked = false
  #isForgetting = false

  constructor(store: KeyValueStore) {
    this.#store = store
    this.#reader = new ChainReader(store)
  }

  /** At most one block, and a bounded part of what is forgotten. */
  step(): HistoryStep {
    const chain = readChainParameters(this.#store)
    const head = readCommittedHeight(this.#store)
    if (chain === undefined || head === undefined) return { isMore: false, height: undefined }
    const cursor = this.#isForgetting ? undefined : readCursor(this.#store)
    const oldest = oldestHeight(this.#store, chain.initialHeight)
    if (cursor === undefined || !this.#fits(cursor, oldest, head)) {
      this.#isForgetting = forgetSome(this.#store)
      this.#isChecked = true
      if (this.#isForgetting) return { isMore: true, height: undefined }
      return this.#take(oldest, head, undefined)
    }
    const hasPruned = pruneSome(this.#store, readBaseHeight(this.#store))
    const step = this.#take(cursor.height + 1, head, cursor)
    return { ...step, isMore: step.isMore || hasPruned }
  }

  /** False where its block is not the node's, or where blocks that it has not taken were pruned. */
  #fits({ height, hash }: Cursor, oldest: number, head: number): boolean {
    if (height > head || height + 1 < oldest) return false
    if (this.#isChecked) return true
    this.#isChecked = true
    const record = this.#reader.header(height)
    return record === undefined || equalBytes(record.hash, hash)
  }

  #take(height: number, head: number, cursor: Cursor | undefined): HistoryStep {
    if (height > head) return { isMore: false, height: cursor?.height }
    const block = readCommittedBlock(this.#reader, height)
    // Pruned since: the next step begins anew at what is the oldest then.
    if (block === undefined) return { isMore: false, height: cursor?.height }
    if (cursor !== undefined && !equalBytes(block.header.parentHash, cursor.hash)) {
      this.#isForgetting = true
      return { isMore: true, height: undefined }
    }
    const batch = this.#store.batch()
    writeHistory(this.#store, batch, block)
    this.#store.write(batch, { sync: false })
    return { isMore: height < head, height }
  }
}
