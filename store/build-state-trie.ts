/** The tries of a flat state that has none yet, in portions and in the order of their keys: each node is made once. */
import type { Address } from '../core/address.ts'
import { bytesToKey, EMPTY_BYTES, keyToBytes, trimLeadingZeros } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { EMPTY_TRIE_ROOT, type Hash, keccak256 } from '../core/hash.ts'
import { encodeRlp } from '../core/rlp.ts'
import { decodeAccount, encodeAccount, encodeTrieAccount } from './account-codec.ts'
import { accountKey, accountTriePath, storagePrefix, storageTriePath, valueKey } from './keys.ts'
import { scanStateAt } from './scan-at.ts'
import { EMPTY_ACCOUNT } from './state.ts'
import type { KeyValueStore } from './store.ts'
import type { TrieChange, TrieNodeReader } from './trie/trie.ts'
import { updateTrie } from './trie/update-trie.ts'

/** Leaves of one portion: some 50 MB of memory. */
const PORTION_LEAVES = 50_000
const ADDRESS_BYTES = 20
const OWNER_BYTES = 1 + ADDRESS_BYTES
/** Accounts are dealt out by the first byte of their hashes. */
const BUCKETS = 256

class StateTrieBuilder {
  readonly #store: KeyValueStore
  readonly #reader: TrieNodeReader
  /** The roots of storage by `bytesToKey` of the address. */
  readonly #storageRoots = new Map<string, Hash>()

  constructor(store: KeyValueStore) {
    this.#store = store
    this.#reader = { getMany: (keys) => store.getMany('trie', keys) }
  }

  build(): Hash {
    this.#buildStorages(storagePrefix(EMPTY_BYTES), (key, value) => ({ key: keccak256(key), value: encodeRlp(value) }))
    // A module's value stands in the trie as slot keccak256(key) with value keccak256(value).
    this.#buildStorages(valueKey(EMPTY_BYTES, EMPTY_BYTES), (key, value) => ({
      key: keccak256(keccak256(key)),
      value: encodeRlp(trimLeadingZeros(keccak256(value))),
    }))
    this.#writeStorageRoots()
    let root = EMPTY_TRIE_ROOT
    for (const addresses of this.#accountPortions()) root = this.#addAccounts(root, addresses)
    return root
  }

  #buildStorages(prefix: Uint8Array, toLeaf: (key: Uint8Array, value: Uint8Array) => TrieChange): void {
    let owner: Uint8Array | undefined
    let leaves: TrieChange[] = []
    const extend = (): void => {
      if (owner === undefined || leaves.length === 0) return
      const name = bytesToKey(owner)
      const path = storageTriePath(keccak256(owner), EMPTY_BYTES)
      this.#storageRoots.set(name, this.#extend(this.#storageRoots.get(name) ?? EMPTY_TRIE_ROOT, leaves, path))
      leaves = []
    }
    for (const [key, value] of scanStateAt(this.#latest(), prefix)) {
      const address = key.subarray(1, OWNER_BYTES)
      if (owner === undefined || Buffer.compare(owner, address) !== 0) {
        extend()
        owner = address.slice()
      } else if (leaves.length >= PORTION_LEAVES) extend()
      leaves.push(toLeaf(key.subarray(OWNER_BYTES), value))
    }
    extend()
  }

  /** Slots of an account that does not exist make it, as in commitment.ts. */
  #writeStorageRoots(): void {
    let batch = this.#store.batch()
    for (const [name, storageRoot] of this.#storageRoots) {
      const key = accountKey(keyToBytes(name))
      const held = this.#store.get('state', key)
      const account = held === undefined ? EMPTY_ACCOUNT : decodeAccount(held)
      batch.put('state', key, encodeAccount({ ...account, storageRoot }))
      if (batch.size < PORTION_LEAVES) continue
      this.#store.write(batch, { sync: false })
      batch = this.#store.batch()
    }
    this.#store.write(batch, { sync: false })
    this.#storageRoots.clear()
  }

  /** All addresses in the order of the first byte of their hashes. */
  *#accountPortions(): Generator<readonly Address[], void> {
    const buckets: Address[][] = Array.from({ length: BUCKETS }, () => [])
    for (const [key] of scanStateAt(this.#latest(), accountKey(EMPTY_BYTES))) {
      const address = key.slice(1)
      buckets[keccak256(address)[0] as number]?.push(address)
    }
    let portion: Address[] = []
    for (const bucket of buckets) {
      portion = portion.concat(bucket)
      if (portion.length < PORTION_LEAVES) continue
      yield portion
      portion = []
    }
    yield portion
  }

  #addAccounts(root: Hash, addresses: readonly Address[]): Hash {
    const accounts = this.#store.getMany('state', addresses.map(accountKey))
    const leaves = addresses.map((address, index) => {
      const account = accounts[index]
      invariant(account !== undefined, 'an account left the flat state')
      return { key: keccak256(address), value: encodeTrieAccount(decodeAccount(account)) }
    })
    return this.#extend(root, leaves, accountTriePath(EMPTY_BYTES))
  }

  #extend(root: Hash, leaves: readonly TrieChange[], prefix: Uint8Array): Hash {
    const update = updateTrie(this.#reader, root, leaves, { prefix })
    const batch = this.#store.batch()
    for (const [key, node] of update.nodes) {
      if (node === undefined) batch.delete('trie', keyToBytes(key))
      else batch.put('trie', keyToBytes(key), node)
    }
    this.#store.write(batch, { sync: false })
    return update.root
  }

  #latest() {
    return { store: this.#store, height: 0, committedHeight: () => 0 }
  }
}

/**
 * Writes all tries, and the storage roots into the accounts of the flat state. Returns the state root. The `trie` column
 * must be empty; nobody else writes.
 */
export const buildStateTrie = (store: KeyValueStore): Hash => new StateTrieBuilder(store).build()
