/** The database in memory, for tests: the same answers as the one on disk, and nothing survives. */
import { bytesToKey } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { COLUMNS, type Batch, type Column, type Cursor, type Entry, type KeyValueStore, type Range } from '../store.ts'
import { ascending, descending, find, insert, remove, type SortedTree } from './sorted-tree.ts'

class MemoryBatch implements Batch {
  readonly operations: { readonly column: Column; readonly key: string; readonly entry: Entry | undefined }[] = []

  written = false

  get size(): number {
    return this.operations.length
  }

  put(column: Column, key: Uint8Array, value: Uint8Array): void {
    invariant(!this.written, 'a batch is used after it was written')
    // Copies, as a database does: callers reuse their buffers.
    this.operations.push({ column, key: bytesToKey(key), entry: [key.slice(), value.slice()] })
  }

  delete(column: Column, key: Uint8Array): void {
    invariant(!this.written, 'a batch is used after it was written')
    this.operations.push({ column, key: bytesToKey(key), entry: undefined })
  }
}

class MemoryCursor implements Cursor {
  readonly #view: SortedTree | undefined
  #entries: Generator<Entry, undefined> | undefined
  #closed = false

  constructor(view: SortedTree | undefined) {
    this.#view = view
  }

  seek(key: Uint8Array): Entry | undefined {
    invariant(!this.#closed, 'a closed cursor is used')
    this.#entries = ascending(this.#view, bytesToKey(key))
    return this.#entries.next().value
  }

  next(): Entry | undefined {
    invariant(!this.#closed, 'a closed cursor is used')
    this.#entries ??= ascending(this.#view, undefined)
    return this.#entries.next().value
  }

  close(): void {
    this.#closed = true
  }
}

class MemoryStore implements KeyValueStore {
  readonly #columns: Map<Column, SortedTree | undefined>
  #sequence = 0
  #closed = false

  constructor(from?: MemoryStore) {
    this.#columns = from === undefined ? new Map(COLUMNS.map((column) => [column, undefined])) : new Map(from.#columns)
  }

  get(column: Column, key: Uint8Array): Uint8Array | undefined {
    return find(this.#column(column), bytesToKey(key))?.[1]
  }

  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const tree = this.#column(column)
    return keys.map((key) => find(tree, bytesToKey(key))?.[1])
  }

  scan(column: Column, range: Range): Entry[] {
    const tree = this.#column(column)
    const from = range.gte === undefined ? undefined : bytesToKey(range.gte)
    const before = range.lt === undefined ? undefined : bytesToKey(range.lt)
    const reverse = range.reverse === true
    const out: Entry[] = []
    if (range.limit <= 0) return out
    for (const entry of reverse ? descending(tree, before) : ascending(tree, from)) {
      const key = bytesToKey(entry[0])
      if (reverse ? from !== undefined && key < from : before !== undefined && key >= before) break
      out.push(entry)
      if (out.length >= range.limit) break
    }
    return out
  }

  cursor(column: Column): Cursor {
    return new MemoryCursor(this.#column(column))
  }

  batch(): Batch {
    return new MemoryBatch()
  }

  write(batch: Batch): void {
    invariant(batch instanceof MemoryBatch && !this.#closed, 'a batch is written to the store that made it')
    invariant(!batch.written, 'a batch is used after it was written')
    batch.written = true
    for (const { column, key, entry } of batch.operations) {
      const tree = this.#columns.get(column)
      this.#columns.set(column, entry === undefined ? remove(tree, key) : insert(tree, key, entry))
    }
    this.#sequence += batch.size
  }

  sequence(): number {
    return this.#sequence
  }

  close(): void {
    this.#closed = true
    this.#columns.clear()
  }

  #column(column: Column): SortedTree | undefined {
    invariant(!this.#closed, 'the store is closed')
    return this.#columns.get(column)
  }
}

/** Holds what `from`, another store in memory, holds at this moment. They share their trees, so that a copy costs nothing. */
export const openMemoryStore = (from?: KeyValueStore): KeyValueStore => {
  invariant(from === undefined || from instanceof MemoryStore, 'only a store in memory can be copied')
  return new MemoryStore(from)
}
