/**
 * The native functions of @nxtedition/rocksdb 12.2.12 that this store uses. They lie below the package's published
 * classes (whose synchronous methods are private anyway), so the version is pinned and every one of them is tested.
 */
declare module '@nxtedition/rocksdb/binding.js' {
  type Native<Name extends string> = { readonly __native: Name }

  export type Context = Native<'database'>
  export type ColumnHandle = Native<'column'>
  export type BatchContext = Native<'batch'>
  export type IteratorContext = Native<'iterator'>

  export interface ColumnOptions {
    /** `level` and `universal` also set the memtables from memtableMemoryBudget: a quarter of it each, at most six. */
    readonly compaction?: 'level' | 'universal'
    readonly memtableMemoryBudget?: number
    /** Bytes of block cache of this column; 0 for none, 8 MiB by default. */
    readonly cacheSize?: number
    readonly cacheIndexAndFilterBlocks?: boolean
    readonly compression?: boolean
    readonly optimize?: 'point-lookup'
    readonly blockSize?: number
  }

  export interface OpenOptions extends ColumnOptions {
    readonly createIfMissing: boolean
    readonly parallelism?: number
    readonly walCompression?: boolean
    readonly infoLogLevel?: 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'header'
    readonly columns: Readonly<Record<string, ColumnOptions>>
  }

  export type Columns = Readonly<Record<string, ColumnHandle>>
  export interface ColumnReference {
    readonly column: ColumnHandle
  }

  export interface IteratorOptions extends ColumnReference {
    readonly reverse?: boolean
    readonly limit?: number
    readonly lt?: Uint8Array
    readonly gte?: Uint8Array
    readonly fillCache?: boolean
    readonly asyncIO?: boolean
    readonly adaptiveReadahead?: boolean
    /** The encodings must be given: without them they are not initialized. */
    readonly keyEncoding: 'buffer'
    readonly valueEncoding: 'buffer'
  }

  /** Keys and values in turn. */
  export interface Rows {
    readonly rows: Uint8Array[]
    readonly finished: boolean
  }

  interface Binding {
    /** A path makes a new database, a handle (of the same process) another reference to an open one. */
    db_init(locationOrHandle: string | bigint): Context
    /** Returns the columns at once where the database is open already, and calls back otherwise. */
    db_open(
      context: Context,
      options: OpenOptions,
      callback: (error: unknown, columns?: Columns) => void,
    ): Columns | undefined
    db_close(context: Context, callback: (error: unknown) => void): void
    db_get_handle(context: Context): bigint
    db_get_location(context: Context): string
    db_get_property(context: Context, name: string): string
    db_get_latest_sequence(context: Context): number
    db_get_many_sync(context: Context, keys: readonly Uint8Array[], options: ColumnReference): (Buffer | undefined)[]
    batch_init(): BatchContext
    batch_put(batch: BatchContext, key: Uint8Array, value: Uint8Array, options: ColumnReference): void
    batch_del(batch: BatchContext, key: Uint8Array, options: ColumnReference): void
    batch_clear(batch: BatchContext): void
    batch_write(context: Context, batch: BatchContext, options: { readonly sync: boolean }): void
    iterator_init(context: Context, options: IteratorOptions): IteratorContext
    iterator_seek(iterator: IteratorContext, target: Uint8Array): void
    iterator_nextv_sync(iterator: IteratorContext, count: number): Rows
    iterator_close(iterator: IteratorContext): void
  }

  const binding: Binding
  export default binding
}
