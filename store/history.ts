/** Committed state at a fixed height, read beside a writer that goes on. */
import type { Address } from '../core/address.ts'
import { bytesToKey, EMPTY_BYTES } from '../core/bytes.ts'
import type { Hash } from '../core/hash.ts'
import { decodeAccount } from './account-codec.ts'
import { BoundedCache } from './cache.ts'
import { accountKey, historyKey, storageKey, valueKey } from './keys.ts'
import { readCode, scanValues, VALUE_KEY_OFFSET } from './read-state.ts'
import { heldValue, sameStateKey, scanStateAt } from './scan-at.ts'
import type { AccountState, StateReader } from './state.ts'
import type { Cursor, KeyValueStore } from './store.ts'

/** State at one height never changes: what a view has read it keeps, up to this many entries. */
const CACHE_ENTRIES = 8192

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
    const at = { store: this.#store, height: this.#height, committedHeight: this.#committedHeight }
    const out: (readonly [Uint8Array, Uint8Array])[] = []
    if (limit <= 0) return out
    for (const [key, value] of scanStateAt(at, valueKey(system, prefix), valueKey(system, start))) {
      out.push([key.subarray(VALUE_KEY_OFFSET), value])
      if (out.length >= limit) break
    }
    return out
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
}
