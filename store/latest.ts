/** The newest committed state, for the thread that writes it: reads through bounded caches that the writer keeps true. */
import type { Address } from '../core/address.ts'
import { bytesToKey, EMPTY_BYTES, joinToKey } from '../core/bytes.ts'
import type { Hash } from '../core/hash.ts'
import { decodeAccount } from './account-codec.ts'
import { BoundedCache } from './cache.ts'
import { accountKey, storageKey, valueKey } from './keys.ts'
import { readCode, scanValues } from './read-state.ts'
import type { AccountState, StateReader } from './state.ts'
import type { KeyValueStore } from './store.ts'

/** Bytes of contract code kept in memory. */
const CODE_CACHE_BYTES = 16 * 1024 * 1024
/** A cached code costs some memory beside its bytes. */
const CODE_ENTRY_BYTES = 256

/** `null` in a cache: known to be absent. */
type Cached<Value> = Value | null

/**
 * Whoever commits a block calls the `note` functions for every change right after the write: the caches are never
 * read between. A deleted account's slots are noted one by one, as they are written.
 */
export class LatestState implements StateReader {
  readonly #store: KeyValueStore
  readonly #accounts: BoundedCache<Cached<AccountState>>
  readonly #storage: BoundedCache<Uint8Array>
  readonly #values: BoundedCache<Cached<Uint8Array>>
  readonly #codes = new BoundedCache<Uint8Array>(CODE_CACHE_BYTES, (code) => code.length + CODE_ENTRY_BYTES)

  /** `cacheEntries` bounds each of the caches of accounts, slots and values. */
  constructor(store: KeyValueStore, cacheEntries: number) {
    this.#store = store
    this.#accounts = new BoundedCache(cacheEntries)
    this.#storage = new BoundedCache(cacheEntries)
    this.#values = new BoundedCache(cacheEntries)
  }

  account(address: Address): AccountState | undefined {
    const key = bytesToKey(address)
    const cached = this.#accounts.get(key)
    if (cached !== undefined) return cached ?? undefined
    const bytes = this.#store.get('state', accountKey(address))
    const account = bytes === undefined ? undefined : decodeAccount(bytes)
    this.#accounts.set(key, account ?? null)
    return account
  }

  storage(address: Address, slot: Uint8Array): Uint8Array {
    const key = joinToKey(address, slot)
    const cached = this.#storage.get(key)
    if (cached !== undefined) return cached
    const value = this.#store.get('state', storageKey(address, slot)) ?? EMPTY_BYTES
    this.#storage.set(key, value)
    return value
  }

  code(codeHash: Hash): Uint8Array {
    const key = bytesToKey(codeHash)
    const cached = this.#codes.get(key)
    if (cached !== undefined) return cached
    const code = readCode(this.#store, codeHash)
    this.#codes.set(key, code)
    return code
  }

  value(system: Address, key: Uint8Array): Uint8Array | undefined {
    const cacheKey = joinToKey(system, key)
    const cached = this.#values.get(cacheKey)
    if (cached !== undefined) return cached ?? undefined
    const value = this.#store.get('state', valueKey(system, key))
    this.#values.set(cacheKey, value ?? null)
    return value
  }

  values(
    system: Address,
    prefix: Uint8Array,
    limit: number,
    start: Uint8Array = prefix,
  ): (readonly [Uint8Array, Uint8Array])[] {
    return scanValues(this.#store, system, prefix, limit, start)
  }

  noteAccount(address: Address, account: AccountState | undefined): void {
    this.#accounts.set(bytesToKey(address), account ?? null)
  }

  /** `value` without leading zeros; the empty string is zero. */
  noteStorage(address: Address, slot: Uint8Array, value: Uint8Array): void {
    this.#storage.set(joinToKey(address, slot), value)
  }

  noteValue(system: Address, key: Uint8Array, value: Uint8Array | undefined): void {
    this.#values.set(joinToKey(system, key), value ?? null)
  }
}
