/**
 * Takes the state back to an earlier height: flat values and trie nodes from their history, which is used up by that.
 * A rollback is too much for one write: a mark is synced first, every step can be repeated, and until the mark is gone
 * the database is good for nothing but doing it again.
 */
import { EMPTY_BYTES, equalBytes, readUint64, uint64ToBytes, utf8ToBytes } from '../core/bytes.ts'
import { errorTable } from '../core/error-table.ts'
import { CodedError } from '../core/errors.ts'
import { HistoricalTrieNodes } from './historical-trie-nodes.ts'
import { HistoricalState } from './history.ts'
import { unterminated } from './keys.ts'
import { readKeptRange } from './kept-range.ts'
import { heldValue } from './scan-at.ts'
import type { Batch, Column, Cursor, Entry, KeyValueStore } from './store.ts'
import { resetSweep } from './sweep.ts'
import { readTrieHistoryKey } from './trie-history.ts'

const HEIGHT_BYTES = 8
/** Operations in one write: a key's value and its used-up history are never apart. */
const BATCH_OPERATIONS = 10_000

/** Column `meta`: height(8). */
const MARK_KEY = utf8ToBytes('rollback')

export const ROLLBACK_ERRORS = errorTable('rollback', 'Heights to which a database cannot be rolled back.', {
  notKept: {
    code: 1,
    text: 'the state of height ... has been pruned: the lowest height to roll back to is ...',
    cause: 'The history of the state does not reach back that far.',
    action: 'Name a height from the lowest on, or restore from a snapshot.',
  },
})

/** The height of a rollback that was cut short. */
export const readRollbackTarget = (store: KeyValueStore): number | undefined => {
  const bytes = store.get('meta', MARK_KEY)
  return bytes === undefined ? undefined : readUint64(bytes)
}

/** Refuses with rollback/1 unless every height from `target` on is kept; nothing has been changed then. */
export const requireRollbackPossible = (store: KeyValueStore, target: number): void => {
  const { from } = readKeptRange(store)
  if (target >= from) return
  const message = `the state of height ${target} has been pruned: the lowest height to roll back to is ${from}`
  throw new CodedError('rollback', ROLLBACK_ERRORS.codes.notKept, message, { lowest: from })
}

/** Marks that from here on the database must be rolled back to `target`, and nothing else may be done with it. */
export const markRollback = (store: KeyValueStore, target: number): void => {
  const batch = store.batch()
  batch.put('meta', MARK_KEY, uint64ToBytes(target))
  store.write(batch, { sync: true })
}

/** Adds the end of a rollback to the batch that lowers the committed height. */
export const unmarkRollback = (batch: Batch): void => {
  batch.delete('meta', MARK_KEY)
  resetSweep(batch)
}

const keyBytes = (entryKey: Uint8Array): Uint8Array => entryKey.subarray(0, -HEIGHT_BYTES)
const heightOf = (entryKey: Uint8Array): number => readUint64(entryKey, entryKey.length - HEIGHT_BYTES)

/** Keys of one history column that changed above a height, each with the entries that say so. */
function* changedAbove(cursor: Cursor, height: number): Generator<readonly Entry[], void> {
  let entry = cursor.seek(EMPTY_BYTES)
  while (entry !== undefined) {
    const prefix = keyBytes(entry[0]).slice()
    const from = new Uint8Array([...prefix, ...uint64ToBytes(height + 1)])
    if (heightOf(entry[0]) <= height) entry = cursor.seek(from)
    const above: Entry[] = []
    while (entry !== undefined && equalBytes(keyBytes(entry[0]), prefix)) {
      above.push(entry)
      entry = cursor.next()
    }
    if (above.length > 0) yield above
  }
}

/** Writes what `restore` adds for each changed key, together with the deletion of its entries. */
const undo = (
  store: KeyValueStore,
  column: Column,
  height: number,
  batchOperations: number,
  restore: (batch: Batch, first: Entry) => void,
): number => {
  const cursor = store.cursor(column)
  let batch = store.batch()
  let keys = 0
  try {
    for (const entries of changedAbove(cursor, height)) {
      const [first] = entries
      if (first === undefined) continue
      restore(batch, first)
      for (const [key] of entries) batch.delete(column, key)
      keys++
      if (batch.size < batchOperations) continue
      store.write(batch, { sync: false })
      batch = store.batch()
    }
  } finally {
    cursor.close()
  }
  store.write(batch, { sync: false })
  return keys
}

const put = (batch: Batch, column: Column, key: Uint8Array, value: Uint8Array | undefined): void => {
  if (value === undefined) batch.delete(column, key)
  else batch.put(column, key, value)
}

/**
 * Undoes every change above `target`; returns how many values and nodes were put back. The mark must be set, and no
 * other thread may use the database. Done again, it goes on where it was cut short: a key whose entries above `target`
 * are gone is as it was then.
 */
export const rollbackState = (
  store: KeyValueStore,
  target: number,
  batchOperations = BATCH_OPERATIONS,
): { readonly values: number; readonly nodes: number } => {
  // This height is above all others: the history decides, though it is being used up, for what it said is the latest then.
  const committed = (): number => Number.MAX_SAFE_INTEGER
  const state = new HistoricalState(store, target, committed)
  const trie = new HistoricalTrieNodes(store, target, committed, state)
  try {
    const nodes = undo(store, 'trie_history', target, batchOperations, (batch, [entryKey]) => {
      const { key } = readTrieHistoryKey(entryKey)
      put(batch, 'trie', key, trie.getMany([key])[0])
    })
    const values = undo(store, 'history', target, batchOperations, (batch, entry) =>
      put(batch, 'state', unterminated(entry[0], HEIGHT_BYTES), heldValue(entry)),
    )
    return { values, nodes }
  } finally {
    trie.close()
    state.close()
  }
}
