/** Ordered scans of the flat state as it was at one height, beside a writer that goes on. */
import type { Address } from '../core/address.ts'
import { compareBytes, EMPTY_BYTES, equalBytes } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { decodeAccount } from './account-codec.ts'
import { accountKey, historyKey, prefixEnd, storagePrefix, terminated, unterminated } from './keys.ts'
import type { AccountState } from './state.ts'
import type { Cursor, Entry, KeyValueStore } from './store.ts'

const HEIGHT_BYTES = 8
/** The bytes that end a key in the history column, before the height. */
const TERMINATOR_BYTES = 2

/** The value that a history entry holds; undefined where the key was absent. */
export const heldValue = (entry: Entry): Uint8Array | undefined =>
  entry[1][0] === 0 ? undefined : entry[1].subarray(1)

/** True when both are history keys of one state key. */
export const sameStateKey = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && equalBytes(a.subarray(0, -HEIGHT_BYTES), b.subarray(0, -HEIGHT_BYTES))

/** Escaped as in the history column, without the terminator: a lower bound of every key that starts with `prefix`. */
const escaped = (prefix: Uint8Array): Uint8Array => terminated(prefix).subarray(0, -TERMINATOR_BYTES)

/** A state at one height of a database, as scans need it. */
export interface StateHeight {
  readonly store: KeyValueStore
  readonly height: number
  /** The shared counter that the writer raises to H before it writes block H. */
  readonly committedHeight: () => number
}

interface Change {
  readonly key: Uint8Array
  /** The value at the height; undefined where the key was absent. */
  readonly value: Uint8Array | undefined
  /** A history key behind every entry of this key. */
  readonly after: Uint8Array
}

/** The first key at or after `from` (a history key) and before `end` that changed above the height. */
const nextChange = (history: Cursor, from: Uint8Array, end: Uint8Array, height: number): Change | undefined => {
  let entry = history.seek(from)
  while (entry !== undefined) {
    const key = unterminated(entry[0], HEIGHT_BYTES)
    if (compareBytes(key, end) >= 0) return undefined
    const wanted = historyKey(key, height + 1)
    if (compareBytes(entry[0], wanted) < 0) entry = history.seek(wanted)
    if (entry === undefined) return undefined
    if (sameStateKey(entry[0], wanted)) {
      const after = prefixEnd(terminated(key))
      invariant(after !== undefined, 'state keys begin with a tag')
      return { key, value: heldValue(entry), after }
    }
  }
  return undefined
}

/** Walks both columns in key order: the first history entry above the height wins over the latest value. */
function* merge(state: Cursor, history: Cursor, from: Uint8Array, end: Uint8Array, height: number): Generator<Entry> {
  let latest = state.seek(from)
  let change = nextChange(history, escaped(from), end, height)
  for (;;) {
    const latestKey = latest !== undefined && compareBytes(latest[0], end) < 0 ? latest[0] : undefined
    if (latestKey === undefined && change === undefined) return
    const order = latestKey === undefined ? 1 : change === undefined ? -1 : compareBytes(latestKey, change.key)
    const key = order <= 0 ? latestKey : change?.key
    const value = order < 0 ? latest?.[1] : change?.value
    if (key !== undefined && value !== undefined) yield [key, value]
    if (order <= 0) latest = state.next()
    if (order >= 0 && change !== undefined) change = nextChange(history, change.after, end, height)
  }
}

function* scanLatest(state: Cursor, from: Uint8Array, end: Uint8Array): Generator<Entry> {
  for (let entry = state.seek(from); entry !== undefined && compareBytes(entry[0], end) < 0; entry = state.next()) {
    yield entry
  }
}

/**
 * Keys of the `state` column that start with `prefix`, in order, from `start` (inclusive) on, with their values at the
 * height. The view is fixed when the first entry is asked for; it is freed when the generator ends or is left.
 */
export function* scanStateAt(
  { store, height, committedHeight }: StateHeight,
  prefix: Uint8Array,
  start: Uint8Array = prefix,
): Generator<Entry, void> {
  const end = prefixEnd(prefix)
  invariant(end !== undefined, 'state keys begin with a tag')
  const from = compareBytes(start, prefix) < 0 ? prefix : start
  // The state view first: the history view must not be older.
  const state = store.cursor('state')
  try {
    if (committedHeight() <= height) {
      yield* scanLatest(state, from, end)
      return
    }
    const history = store.cursor('history')
    try {
      yield* merge(state, history, from, end, height)
    } finally {
      history.close()
    }
  } finally {
    state.close()
  }
}

const ACCOUNTS = accountKey(EMPTY_BYTES)

/** Every account in the order of addresses, from `start` (inclusive) on. */
export function* scanAccountsAt(
  at: StateHeight,
  start: Address = EMPTY_BYTES,
): Generator<readonly [Address, AccountState], void> {
  for (const [key, value] of scanStateAt(at, ACCOUNTS, accountKey(start)))
    yield [key.slice(ACCOUNTS.length), decodeAccount(value)]
}

/** Every storage slot of an account in order, with its value without leading zeros. */
export function* scanStorageAt(at: StateHeight, address: Address): Generator<Entry, void> {
  const prefix = storagePrefix(address)
  for (const [key, value] of scanStateAt(at, prefix)) yield [key.subarray(prefix.length), value]
}
