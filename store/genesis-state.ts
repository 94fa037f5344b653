/** The state of a genesis, written in portions: one of millions of accounts does not fit into an overlay. */
import type { Address } from '../core/address.ts'
import { keyToBytes } from '../core/bytes.ts'
import { EMPTY_TRIE_ROOT, type Hash } from '../core/hash.ts'
import { encodeAccount } from './account-codec.ts'
import { buildStateTrie } from './build-state-trie.ts'
import { accountKey, prefixEnd, storageKey, storagePrefix, valueKey } from './keys.ts'
import { LatestState } from './latest.ts'
import { Overlay } from './overlay.ts'
import type { AccountState, StateReader, StateWriter } from './state.ts'
import type { Batch, KeyValueStore } from './store.ts'

/** Writes between two portions: some 50 MB of memory. */
const PORTION_WRITES = 100_000
const CACHE_ENTRIES = 1_000
/** Slots deleted at once where a storage is cleared. */
const CLEARED_AT_ONCE = 10_000

/**
 * Writes go to an overlay, and from there into the flat state whenever it is full; the tries are built at the end. The
 * database must be empty, and holds a part of the state after a failure: what makes it a chain is written last, by
 * others. Storage roots are not known before the end: accounts are read with the empty one.
 */
export class GenesisState implements StateWriter {
  readonly #store: KeyValueStore
  readonly #portionWrites: number
  #overlay: Overlay
  #writes = 0
  #checkpoints = 0

  constructor(store: KeyValueStore, portionWrites: number = PORTION_WRITES) {
    this.#store = store
    this.#portionWrites = portionWrites
    this.#overlay = new Overlay(this.#base())
  }

  /** Writes what is left, and the tries. Returns the state root. */
  finish(): Hash {
    this.#flush()
    return buildStateTrie(this.#store)
  }

  account(address: Address): AccountState | undefined {
    return this.#overlay.account(address)
  }
  storage(address: Address, slot: Uint8Array): Uint8Array {
    return this.#overlay.storage(address, slot)
  }
  code(codeHash: Hash): Uint8Array {
    return this.#overlay.code(codeHash)
  }
  value(system: Address, key: Uint8Array): Uint8Array | undefined {
    return this.#overlay.value(system, key)
  }
  values(
    system: Address,
    prefix: Uint8Array,
    limit: number,
    start?: Uint8Array,
  ): (readonly [Uint8Array, Uint8Array])[] {
    return this.#overlay.values(system, prefix, limit, start)
  }

  setAccount(address: Address, account: AccountState | undefined): void {
    this.#makeRoom()
    this.#overlay.setAccount(address, account === undefined ? undefined : { ...account, storageRoot: EMPTY_TRIE_ROOT })
  }
  setStorage(address: Address, slot: Uint8Array, value: Uint8Array): void {
    this.#makeRoom()
    this.#overlay.setStorage(address, slot, value)
  }
  clearStorage(address: Address): void {
    this.#makeRoom()
    this.#overlay.clearStorage(address)
  }
  setCode(code: Uint8Array): Hash {
    this.#makeRoom()
    return this.#overlay.setCode(code)
  }
  setValue(system: Address, key: Uint8Array, value: Uint8Array | undefined): void {
    this.#makeRoom()
    this.#overlay.setValue(system, key, value)
  }

  originalStorage(address: Address, slot: Uint8Array): Uint8Array {
    return this.#overlay.originalStorage(address, slot)
  }
  beginTransaction(): void {
    this.#overlay.beginTransaction()
  }
  checkpoint(): void {
    this.#checkpoints++
    this.#overlay.checkpoint()
  }
  commit(): void {
    this.#checkpoints--
    this.#overlay.commit()
  }
  revert(): void {
    this.#checkpoints--
    this.#overlay.revert()
  }

  #base(): StateReader {
    return new LatestState(this.#store, CACHE_ENTRIES)
  }

  #makeRoom(): void {
    if (this.#writes >= this.#portionWrites && this.#checkpoints === 0) this.#flush()
    this.#writes++
  }

  #flush(): void {
    const { accounts, storage, values, codes } = this.#overlay.changes()
    const batch = this.#store.batch()
    for (const [key, account] of accounts) {
      put(batch, accountKey(keyToBytes(key)), account && encodeAccount(account))
    }
    for (const [owner, { cleared, slots }] of storage) {
      const address = keyToBytes(owner)
      if (cleared) this.#clear(address)
      for (const [slot, value] of slots) {
        put(batch, storageKey(address, keyToBytes(slot)), value.length === 0 ? undefined : value)
      }
    }
    for (const [owner, written] of values) {
      const system = keyToBytes(owner)
      for (const [key, value] of written) put(batch, valueKey(system, keyToBytes(key)), value)
    }
    for (const [hash, code] of codes) batch.put('code', keyToBytes(hash), code)
    this.#store.write(batch, { sync: false })
    this.#overlay = new Overlay(this.#base())
    this.#writes = 0
  }

  #clear(address: Address): void {
    const gte = storagePrefix(address)
    const lt = prefixEnd(gte)
    for (;;) {
      const some = this.#store.scan('state', { gte, ...(lt === undefined ? {} : { lt }), limit: CLEARED_AT_ONCE })
      if (some.length === 0) return
      const batch = this.#store.batch()
      for (const [key] of some) batch.delete('state', key)
      this.#store.write(batch, { sync: false })
    }
  }
}

const put = (batch: Batch, key: Uint8Array, value: Uint8Array | undefined): void => {
  if (value === undefined) batch.delete('state', key)
  else batch.put('state', key, value)
}
