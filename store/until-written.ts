/** Small facts that every question needs, read from the database only when it has been written to since. */
import type { KeyValueStore } from './store.ts'

/**
 * Returns `read` that remembers, for each store, what it read last, as long as the store's sequence number stands still.
 * The number is taken before the value is read: one that was written in between is read again, and never missed.
 */
export const readUntilWritten = <Value>(read: (store: KeyValueStore) => Value): ((store: KeyValueStore) => Value) => {
  const known = new WeakMap<KeyValueStore, { readonly sequence: number; readonly value: Value }>()
  return (store) => {
    const sequence = store.sequence()
    const last = known.get(store)
    if (last?.sequence === sequence) return last.value
    const value = read(store)
    known.set(store, { sequence, value })
    return value
  }
}
