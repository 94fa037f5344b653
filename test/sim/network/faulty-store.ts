/**
 * A database whose machine may fail: it keeps apart what was synced and what was not. A killed process loses nothing, for
 * the system has every write; a power failure loses the unsynced batches behind some point, as RocksDB's log does. A batch
 * is whole or not there, also the one that is being synced.
 */
import { openMemoryStore } from '../../../store/memory/memory-store.ts'
import type { Batch, Column, Cursor, Entry, KeyValueStore, Range } from '../../../store/store.ts'
import { bytesToKey } from '../../../core/bytes.ts'
import type { Random } from '../random.ts'
import { Killed } from '../sim-node.ts'

export interface StateChange {
  readonly key: Uint8Array
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
}

class NotedBatch implements Batch {
  readonly inner: Batch
  /** The writes of the column `state`. */
  readonly state = new Map<string, Uint8Array>()

  constructor(inner: Batch) {
    this.inner = inner
  }

  get size(): number {
    return this.inner.size
  }

  put(column: Column, key: Uint8Array, value: Uint8Array): void {
    this.#note(column, key)
    this.inner.put(column, key, value)
  }

  delete(column: Column, key: Uint8Array): void {
    this.#note(column, key)
    this.inner.delete(column, key)
  }

  #note(column: Column, key: Uint8Array): void {
    if (column === 'state') this.state.set(bytesToKey(key), key.slice())
  }
}

/** Unsynced versions that are remembered: of more the oldest count as synced, as a database flushes them in time. */
const MAX_UNSYNCED = 64

export class FaultyStore implements KeyValueStore {
  /** Told of every write to the column `state`. */
  onState: ((changes: readonly StateChange[]) => void) | undefined
  /** The process dies in the next synced write, `before` the batch reached the disk or `after`. */
  killInWrite: 'before' | 'after' | undefined
  /** A disk that says it has what it has not. */
  isLying = false
  #live: KeyValueStore = openMemoryStore()
  /** What a power failure may leave: the last synced version, then one more for each unsynced write. */
  #versions: KeyValueStore[] = [openMemoryStore()]

  get(column: Column, key: Uint8Array): Uint8Array | undefined {
    return this.#live.get(column, key)
  }

  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return this.#live.getMany(column, keys)
  }

  scan(column: Column, range: Range): Entry[] {
    return this.#live.scan(column, range)
  }

  cursor(column: Column): Cursor {
    return this.#live.cursor(column)
  }

  batch(): Batch {
    return new NotedBatch(this.#live.batch())
  }

  write(batch: Batch, { sync }: { readonly sync: boolean }): void {
    const { inner, state } = batch as NotedBatch
    const kill = sync ? this.killInWrite : undefined
    if (sync) this.killInWrite = undefined
    if (kill === 'before') throw new Killed('write-before')
    const before = [...state.values()].map((key) => ({ key, before: this.#live.get('state', key) }))
    this.#live.write(inner, { sync })
    this.onState?.(before.map((change) => ({ ...change, after: this.#live.get('state', change.key) })))
    if (sync && !this.isLying) this.#versions = []
    this.#versions.push(openMemoryStore(this.#live))
    if (this.#versions.length > MAX_UNSYNCED) this.#versions.shift()
    if (kill === 'after') throw new Killed('write-after')
  }

  sequence(): number {
    return this.#live.sequence()
  }

  close(): void {
    this.#live.close()
  }

  /** Returns how many unsynced writes were lost. */
  loseUnsynced(random: Random): number {
    const kept = random.below(this.#versions.length)
    const lost = this.#versions.length - 1 - kept
    this.#reset(this.#versions[kept])
    return lost
  }

  /** The disk was replaced by an empty one. */
  loseAll(): void {
    this.#reset(undefined)
  }

  #reset(version: KeyValueStore | undefined): void {
    this.#live = openMemoryStore(version)
    this.#versions = [openMemoryStore(this.#live)]
    this.killInWrite = undefined
  }
}
