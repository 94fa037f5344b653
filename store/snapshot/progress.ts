/** How far a restore has come: one record in `meta`, written with what each chunk brought. */
import { bigintToBytes, bytesToBigint, EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, type Hash } from '../../core/hash.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import type { Batch, KeyValueStore } from '../store.ts'
import type { SnapshotCounts } from './metadata.ts'

/** Column `meta`: RLP, see {@link encode}. */
const PROGRESS_KEY = utf8ToBytes('restore')

export interface RestoreProgress {
  /** sha256 of the metadata: which snapshot it is. */
  readonly snapshot: Hash
  /** Index of the next chunk. */
  readonly next: number
  /** The last key of the chunk before it, with its section. */
  readonly lastKey: Uint8Array
  /** Root of the accounts so far. */
  readonly accountRoot: Hash
  /** Tag and address of the storage trie whose end has not been seen; empty for none. */
  readonly openStorage: Uint8Array
  readonly openRoot: Hash
  /** Accounts with storage, and those whose storage is complete and has the account's root. */
  readonly storages: number
  readonly complete: number
  readonly counts: SnapshotCounts
  /** Codes that accounts name, each counted once. */
  readonly named: number
  /** Keys and values of the block section. */
  readonly blockBytes: number
}

export const beginProgress = (snapshot: Hash): RestoreProgress => ({
  snapshot,
  next: 0,
  lastKey: EMPTY_BYTES,
  accountRoot: EMPTY_TRIE_ROOT,
  openStorage: EMPTY_BYTES,
  openRoot: EMPTY_TRIE_ROOT,
  storages: 0,
  complete: 0,
  counts: { codes: 0, accounts: 0, slots: 0, values: 0 },
  named: 0,
  blockBytes: 0,
})

const encode = (progress: RestoreProgress): Uint8Array => {
  const { codes, accounts, slots, values } = progress.counts
  const { snapshot, lastKey, accountRoot, openStorage, openRoot, blockBytes, named } = progress
  const numbers = [
    progress.next,
    progress.storages,
    progress.complete,
    codes,
    accounts,
    slots,
    values,
    blockBytes,
    named,
  ]
  return encodeRlp([
    snapshot,
    lastKey,
    accountRoot,
    openStorage,
    openRoot,
    ...numbers.map((value) => bigintToBytes(BigInt(value))),
  ])
}

export const readProgress = (store: KeyValueStore): RestoreProgress | undefined => {
  const bytes = store.get('meta', PROGRESS_KEY)
  if (bytes === undefined) return undefined
  const fields = decodeRlp(bytes) as Uint8Array[]
  const field = (index: number): Uint8Array => (fields[index] ?? EMPTY_BYTES).slice()
  const number = (index: number): number => Number(bytesToBigint(field(index)))
  return {
    snapshot: field(0),
    lastKey: field(1),
    accountRoot: field(2),
    openStorage: field(3),
    openRoot: field(4),
    next: number(5),
    storages: number(6),
    complete: number(7),
    counts: { codes: number(8), accounts: number(9), slots: number(10), values: number(11) },
    blockBytes: number(12),
    named: number(13),
  }
}

export const writeProgress = (batch: Batch, progress: RestoreProgress): void =>
  batch.put('meta', PROGRESS_KEY, encode(progress))

export const deleteProgress = (batch: Batch): void => batch.delete('meta', PROGRESS_KEY)
