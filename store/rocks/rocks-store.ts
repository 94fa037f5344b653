/** The database on disk: RocksDB with one column family a column, read synchronously. */
import { mkdirSync } from 'node:fs'
import binding, {
  type BatchContext,
  type ColumnHandle,
  type ColumnReference,
  type Columns,
  type Context,
} from '@nxtedition/rocksdb/binding.js'
import { plainBytes } from '../../core/bytes.ts'
import { type CodedError, invariant } from '../../core/errors.ts'
import { COLUMNS, type Batch, type Column, type Cursor, type Entry, type KeyValueStore, type Range } from '../store.ts'
import { storeError } from './errors.ts'
import { createNativeBytes } from './native-bytes.ts'
import { openOptions } from './options.ts'
import { RocksCursor } from './rocks-cursor.ts'

export interface RocksOptions {
  /** Directory of the database; made where it is missing. */
  readonly path: string
  /** Block cache in bytes, below 4 GiB. */
  readonly cacheBytes: number
  /** Told once, when reading or writing failed: nothing is read or written any more. */
  readonly onFault?: (error: CodedError) => void
}

export interface RocksStore extends KeyValueStore {
  /** The handle that a worker thread of this process gives to {@link attachRocksStore}. */
  readonly handle: unknown
  /** A property of RocksDB, such as `rocksdb.stats`; empty when it does not know the name. */
  property(name: string): string
  /** Settles once the files are closed and the lock is free, after `close`. Rejects with a CodedError. */
  readonly closed: Promise<void>
}

/**
 * A cleared native batch keeps its memory until it is collected, and the collector does not know how much that is:
 * one is used again and again, unless it grew beyond this.
 */
const MAX_SPARE_BATCH_BYTES = 32 * 1024 * 1024

type References = Readonly<Record<Column, ColumnReference>>

const nativeKey = createNativeBytes()
const nativeValue = createNativeBytes()

class RocksBatch implements Batch {
  readonly #columns: References
  #context: BatchContext | undefined
  #size = 0
  /** The bytes of keys and values together. */
  bytes = 0

  constructor(context: BatchContext, columns: References) {
    this.#context = context
    this.#columns = columns
  }

  get size(): number {
    return this.#size
  }

  put(column: Column, key: Uint8Array, value: Uint8Array): void {
    binding.batch_put(this.open(), nativeKey(key), nativeValue(value), this.#columns[column])
    this.#size++
    this.bytes += key.length + value.length
  }

  delete(column: Column, key: Uint8Array): void {
    binding.batch_del(this.open(), nativeKey(key), this.#columns[column])
    this.#size++
    this.bytes += key.length
  }

  open(): BatchContext {
    invariant(this.#context !== undefined, 'a batch is used after it was written')
    return this.#context
  }

  /** Gives the native batch back. */
  release(): BatchContext {
    const context = this.open()
    this.#context = undefined
    return context
  }
}

class RocksDatabase implements RocksStore {
  readonly closed: Promise<void>
  readonly #path: string
  readonly #columns: References
  readonly #owner: boolean
  readonly #settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void }
  readonly #context: Context
  readonly #cursors = new Set<RocksCursor>()
  readonly #onFault: ((error: CodedError) => void) | undefined
  /**
   * What has failed once is not trusted again: whoever swallows the error of a read must not be able to write what
   * came of it.
   */
  #fault: CodedError | undefined
  #isOpen = true
  #spareBatch: BatchContext | undefined

  constructor(
    context: Context,
    columns: References,
    path: string,
    owner: boolean,
    onFault?: (error: CodedError) => void,
  ) {
    this.#context = context
    this.#onFault = onFault
    this.#columns = columns
    this.#path = path
    this.#owner = owner
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.closed = promise
    this.#settle = { resolve, reject }
  }

  get handle(): unknown {
    return binding.db_get_handle(this.#open())
  }

  property(name: string): string {
    return binding.db_get_property(this.#open(), name)
  }

  get(column: Column, key: Uint8Array): Uint8Array | undefined {
    const context = this.#open()
    try {
      const value = binding.db_get_many_sync(context, [nativeKey(key)], this.#columns[column])[0]
      return value === undefined ? undefined : plainBytes(value)
    } catch (error) {
      throw this.#toFault(error)
    }
  }

  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const context = this.#open()
    try {
      const values: (Uint8Array | undefined)[] = binding.db_get_many_sync(context, keys, this.#columns[column])
      for (let i = 0; i < values.length; i++) {
        const value = values[i]
        if (value !== undefined) values[i] = plainBytes(value)
      }
      return values
    } catch (error) {
      throw this.#toFault(error)
    }
  }

  scan(column: Column, range: Range): Entry[] {
    // An empty upper bound excludes everything; the binding takes it for none.
    if (range.limit <= 0 || range.lt?.length === 0) return []
    const cursor = new RocksCursor(this.#open(), this.#columns[column].column, this.#toFault, this.#cursors, range)
    try {
      return cursor.take(range.limit)
    } finally {
      cursor.close()
    }
  }

  cursor(column: Column): Cursor {
    return new RocksCursor(this.#open(), this.#columns[column].column, this.#toFault, this.#cursors)
  }

  batch(): Batch {
    const context = this.#spareBatch ?? binding.batch_init()
    this.#spareBatch = undefined
    return new RocksBatch(context, this.#columns)
  }

  write(batch: Batch, options: { readonly sync: boolean }): void {
    invariant(batch instanceof RocksBatch, 'a batch is written to the store that made it')
    const context = this.#open()
    const content = batch.open()
    try {
      binding.batch_write(context, content, options)
    } catch (error) {
      throw this.#toFault(error)
    }
    const spare = batch.release()
    binding.batch_clear(spare)
    if (batch.bytes <= MAX_SPARE_BATCH_BYTES) this.#spareBatch = spare
  }

  sequence(): number {
    return binding.db_get_latest_sequence(this.#open())
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    // None may be collected while the binding closes it in its other thread.
    for (const cursor of this.#cursors) cursor.close()
    if (!this.#owner) return this.#settle.resolve()
    // The close runs in another thread, and a collected context closes as well: the callback holds this object, and so
    // the context.
    binding.db_close(this.#context, (error) => {
      // The binding says null, and undefined where RocksDB has nothing to say.
      if (error === null || error === undefined) this.#settle.resolve()
      else this.#settle.reject(storeError(error, this.#path))
    })
  }

  readonly #toFault = (error: unknown): CodedError => {
    if (this.#fault === undefined) {
      this.#fault = storeError(error, this.#path)
      this.#onFault?.(this.#fault)
    }
    return this.#fault
  }

  #open(): Context {
    invariant(this.#isOpen, 'the store is closed')
    if (this.#fault !== undefined) throw this.#fault
    return this.#context
  }
}

const references = (columns: Columns): References => {
  const handleOf = (column: Column): ColumnHandle => {
    const handle = columns[column]
    invariant(handle !== undefined, `the database has no column ${column}`)
    return handle
  }
  return Object.fromEntries(COLUMNS.map((column) => [column, { column: handleOf(column) }])) as References
}

const openColumns = (context: Context, options: RocksOptions): Promise<Columns> =>
  new Promise((resolve, reject) => {
    binding.db_open(context, openOptions(options.cacheBytes), (error, columns) => {
      if (columns === undefined) reject(storeError(error, options.path))
      else resolve(columns)
    })
  })

/** Throws store/1 to store/4, see errors.ts. */
export const openRocksStore = async (options: RocksOptions): Promise<RocksStore> => {
  try {
    mkdirSync(options.path, { recursive: true })
  } catch (error) {
    throw storeError(error, options.path)
  }
  const context = binding.db_init(options.path)
  const columns = await openColumns(context, options)
  return new RocksDatabase(context, references(columns), options.path, true, options.onFault)
}

/**
 * Opens the same database in a worker thread, by the handle that its owner sent. The owner closes the database, after
 * every worker that is attached has ended or closed its store.
 */
export const attachRocksStore = async (handle: unknown): Promise<KeyValueStore> => {
  invariant(typeof handle === 'bigint', 'a handle of an open database is a bigint')
  const context = binding.db_init(handle)
  const columns = binding.db_open(context, openOptions(0), () => undefined)
  invariant(columns !== undefined, 'a handle is attached while its owner has the database open')
  return new RocksDatabase(context, references(columns), binding.db_get_location(context), false)
}
