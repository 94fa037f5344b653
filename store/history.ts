/** Committed state at a fixed height, read beside a writer that goes on. */
import type { Address } from '../core/address.ts'
import { bytesToKey, compareBytes, EMPTY_BYTES, equalBytes } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import { decodeAccount } from './account-codec.ts'
import { BoundedCache } from './cache.ts'
import { accountKey, historyKey, prefixEnd, storageKey, terminated, unterminated, valueKey } from './keys.ts'
import { readCode, scanValues, VALUE_KEY_OFFSET } from './read-state.ts'
import type { AccountState, StateReader } from './state.ts'
import type { Cursor, Entry, KeyValueStore } from './store.ts'

/** State at one height never changes: what a view has read it keeps, up to this many entries. */
const CACHE_ENTRIES = 8192
const HEIGHT_BYTES = 8
/** The bytes that end a key in the history column, before the height. */
const TERMINATOR_BYTES = 2

/** The value that a history entry holds; undefined where the key was absent. */
const heldValue = (entry: Entry): Uint8Array | undefined => (entry[1][0] === 0 ? undefined : entry[1].subarray(1))

/** True when both are history keys of one state key. */
const sameStateKey = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && equalBytes(a.subarray(0, -HEIGHT_BYTES), b.subarray(0, -HEIGHT_BYTES))

/** Escaped as in the history column, without the terminator: a lower bound of every key that starts with `prefix`. */
const escaped = (prefix: Uint8Array): Uint8Array => terminated(prefix).subarray(0, -TERMINATOR_BYTES)

/**
 * The latest value is read first; only when a block above the height has begun to be written does the history column
 * decide. Writes are atomic and `committedHeight` is raised before them, so a value that a later block wrote is never
 * seen without the history entry that undoes it: the entry is looked for in a view opened after the value was read.
 * One kept cursor serves as that view for as long as the store's sequence number stands still.
 *
 * Holds a cursor after reads below the head: close it when done, and before the store is closed.
 */
export class HistoricalState implements StateReader {
  readonly #store: KeyValueStore
  readonly #height: number
  readonly #committedHeight: () => number
  readonly #accounts = new BoundedCache<AccountState | null>(CACHE_ENTRIES)
  readonly #others = new BoundedCache<Uint8Array | null>(CACHE_ENTRIES)
  #history: Cursor | undefined
  #historySequence = -1

  /** `committedHeight` is the shared counter that the writer raises to H before it writes block H. */
  constructor(store: KeyValueStore, height: number, committedHeight: () => number) {
    this.#store = store
    this.#height = height
    this.#committedHeight = committedHeight
  }

  account(address: Address): AccountState | undefined {
    const cacheKey = bytesToKey(address)
    const cached = this.#accounts.get(cacheKey)
    if (cached !== undefined) return cached ?? undefined
    const bytes = this.#read(accountKey(address))
    const account = bytes === undefined ? undefined : decodeAccount(bytes)
    this.#accounts.set(cacheKey, account ?? null)
    return account
  }

  storage(address: Address, slot: Uint8Array): Uint8Array {
    return this.#readCached(storageKey(address, slot)) ?? EMPTY_BYTES
  }

  code(codeHash: Hash): Uint8Array {
    const cacheKey = bytesToKey(codeHash)
    const cached = this.#others.get(cacheKey)
    if (cached !== undefined && cached !== null) return cached
    const code = readCode(this.#store, codeHash)
    this.#others.set(cacheKey, code)
    return code
  }

  value(system: Address, key: Uint8Array): Uint8Array | undefined {
    return this.#readCached(valueKey(system, key))
  }

  values(
    system: Address,
    prefix: Uint8Array,
    limit: number,
    start: Uint8Array = prefix,
  ): (readonly [Uint8Array, Uint8Array])[] {
    const latest = scanValues(this.#store, system, prefix, limit, start)
    if (this.#committedHeight() <= this.#height) return latest
    // The state view first: the history view must not be older.
    const state = this.#store.cursor('state')
    const history = this.#store.cursor('history')
    try {
      return this.#merge(state, history, valueKey(system, prefix), valueKey(system, start), limit)
    } finally {
      state.close()
      history.close()
    }
  }

  /** Frees the cursor; another read opens one again. */
  close(): void {
    this.#history?.close()
    this.#history = undefined
    this.#historySequence = -1
  }

  #readCached(key: Uint8Array): Uint8Array | undefined {
    const cacheKey = bytesToKey(key)
    const cached = this.#others.get(cacheKey)
    if (cached !== undefined) return cached ?? undefined
    const value = this.#read(key)
    this.#others.set(cacheKey, value ?? null)
    return value
  }

  #read(key: Uint8Array): Uint8Array | undefined {
    const latest = this.#store.get('state', key)
    if (this.#committedHeight() <= this.#height) return latest
    const from = historyKey(key, this.#height + 1)
    const entry = this.#currentHistory().seek(from)
    return entry !== undefined && sameStateKey(entry[0], from) ? heldValue(entry) : latest
  }

  /** A history view that holds every write made until now. */
  #currentHistory(): Cursor {
    const sequence = this.#store.sequence()
    if (this.#history !== undefined && this.#historySequence === sequence) return this.#history
    this.#history?.close()
    this.#history = this.#store.cursor('history')
    this.#historySequence = sequence
    return this.#history
  }

  /** Walks both columns in key order: the first history entry above the height wins over the latest value. */
  #merge(
    state: Cursor,
    history: Cursor,
    prefix: Uint8Array,
    start: Uint8Array,
    limit: number,
  ): (readonly [Uint8Array, Uint8Array])[] {
    const end = prefixEnd(prefix)
    invariant(end !== undefined, 'keys of values begin with a tag')
    const from = compareBytes(start, prefix) < 0 ? prefix : start
    const out: (readonly [Uint8Array, Uint8Array])[] = []
    let latest = state.seek(from)
    let change = this.#nextChange(history, escaped(from), end)
    while (out.length < limit) {
      const latestKey = latest !== undefined && compareBytes(latest[0], end) < 0 ? latest[0] : undefined
      if (latestKey === undefined && change === undefined) break
      const order = latestKey === undefined ? 1 : change === undefined ? -1 : compareBytes(latestKey, change.key)
      const key = order <= 0 ? latestKey : change?.key
      const value = order < 0 ? latest?.[1] : change?.value
      if (key !== undefined && value !== undefined) out.push([key.subarray(VALUE_KEY_OFFSET), value])
      if (order <= 0) latest = state.next()
      if (order >= 0 && change !== undefined) change = this.#nextChange(history, change.after, end)
    }
    return out
  }

  /** The first key at or after `from` (a history key) that changed above the height, with its value at the height. */
  #nextChange(
    history: Cursor,
    from: Uint8Array,
    end: Uint8Array,
  ): { readonly key: Uint8Array; readonly value: Uint8Array | undefined; readonly after: Uint8Array } | undefined {
    let entry = history.seek(from)
    while (entry !== undefined) {
      const key = unterminated(entry[0], HEIGHT_BYTES)
      if (compareBytes(key, end) >= 0) return undefined
      const wanted = historyKey(key, this.#height + 1)
      if (compareBytes(entry[0], wanted) < 0) entry = history.seek(wanted)
      if (entry === undefined) return undefined
      if (sameStateKey(entry[0], wanted)) {
        const after = prefixEnd(terminated(key))
        invariant(after !== undefined, 'keys of values begin with a tag')
        return { key, value: heldValue(entry), after }
      }
    }
    return undefined
  }
}
