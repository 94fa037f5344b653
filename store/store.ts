/** The port to the database: ordered byte strings in named columns, synchronous, with atomic batches. */

/**
 * Columns (RocksDB column families):
 * - `meta`: the format, facts of the chain, the committed height, and how far pruning, a rollback or a restore has come
 * - `state`: latest value of every account, storage slot and module key (see keys.ts)
 * - `code`: contract code by its keccak256; never deleted
 * - `history`: the value that a state key had before a height changed it
 * - `trie`: Merkle Patricia trie nodes by path
 * - `trie_history`: the bytes that a trie node had before a height changed it
 * - `blocks`: headers, bodies, receipts, results, events and FinalizeBlock requests by height
 * - `index`: heights and positions by hash, and log postings
 * - `clob_history`: what became of orders, made of stored blocks (app/clob-history/keys.ts)
 */
export const COLUMNS = [
  'meta',
  'state',
  'code',
  'history',
  'trie',
  'trie_history',
  'blocks',
  'index',
  'clob_history',
] as const
export type Column = (typeof COLUMNS)[number]

export type Entry = readonly [key: Uint8Array, value: Uint8Array]

export interface Range {
  /** Inclusive lower bound. */
  readonly gte?: Uint8Array
  /** Exclusive upper bound. */
  readonly lt?: Uint8Array
  readonly reverse?: boolean
  /** Most entries returned; callers always bound their scans. */
  readonly limit: number
}

/** One pinned, ordered view of a column: it keeps showing what was there when it was opened. */
export interface Cursor {
  /** The first entry whose key is at or after `key`, or undefined at the end. */
  seek(key: Uint8Array): Entry | undefined
  /** The entry after the one returned last. */
  next(): Entry | undefined
  close(): void
}

export interface Batch {
  put(column: Column, key: Uint8Array, value: Uint8Array): void
  delete(column: Column, key: Uint8Array): void
  /** Operations in it so far. */
  readonly size: number
}

export interface KeyValueStore {
  get(column: Column, key: Uint8Array): Uint8Array | undefined
  /** The values in the order of the keys. */
  getMany(column: Column, keys: readonly Uint8Array[]): (Uint8Array | undefined)[]
  /** Gives at most `range.limit` entries in key order (or reverse). */
  scan(column: Column, range: Range): Entry[]
  cursor(column: Column): Cursor
  batch(): Batch
  /** Applies a batch at once or not at all, once; with `sync` it survives a power failure when this returns. */
  write(batch: Batch, options: { readonly sync: boolean }): void
  /**
   * Grows with every write. A cursor shows at least what was written up to the number read before it was opened: so a
   * kept cursor is as new as a read made before the number is found unchanged.
   */
  sequence(): number
  close(): void
}
