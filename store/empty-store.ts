/** Takes everything out of a database but the mark of its format, to begin anew. */
import { EMPTY_BYTES, equalBytes } from '../core/bytes.ts'
import { FORMAT_KEY } from './keys.ts'
import { COLUMNS, type KeyValueStore } from './store.ts'

/** Deletions in one write. */
const DELETIONS_A_WRITE = 10_000

/**
 * Holds a few values at a time: what a stranger's snapshot has left behind can be of any size. `meta` goes first, so
 * that a database that was half emptied holds no chain and no restore.
 */
export const emptyStore = (store: KeyValueStore): void => {
  for (const column of COLUMNS) {
    const cursor = store.cursor(column)
    let batch = store.batch()
    try {
      for (let entry = cursor.seek(EMPTY_BYTES); entry !== undefined; entry = cursor.next()) {
        if (column === 'meta' && equalBytes(entry[0], FORMAT_KEY)) continue
        batch.delete(column, entry[0])
        if (batch.size < DELETIONS_A_WRITE) continue
        store.write(batch, { sync: false })
        batch = store.batch()
      }
    } finally {
      cursor.close()
    }
    store.write(batch, { sync: false })
  }
}
