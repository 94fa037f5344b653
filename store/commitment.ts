/** Computes, from what a block wrote, the new state root and the writes of the database. */
import { bytesToKey, EMPTY_BYTES, equalBytes, keyToBytes, trimLeadingZeros } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { EMPTY_TRIE_ROOT, keccak256, type Hash } from '../core/hash.ts'
import { encodeRlp } from '../core/rlp.ts'
import { encodeTrieAccount } from './account-codec.ts'
import { accountTriePath, prefixEnd, storagePrefix, storageTriePath } from './keys.ts'
import type { StateChanges, StorageLayer } from './overlay.ts'
import { EMPTY_ACCOUNT, type AccountState, type StateReader } from './state.ts'
import type { KeyValueStore } from './store.ts'
import type { TrieChange, TrieNodeReader, TrieUpdate } from './trie/trie.ts'
import { updateTrie } from './trie/update-trie.ts'

/** A changed account with its new storage root. */
export interface AccountChange {
  readonly address: Uint8Array
  /** keccak256 of the address: its key in the state trie. */
  readonly hash: Hash
  readonly before: AccountState | undefined
  readonly after: AccountState | undefined
}

export interface SlotChange {
  readonly address: Uint8Array
  readonly slot: Uint8Array
  readonly before: Uint8Array
  readonly after: Uint8Array
}

export interface ValueChange {
  readonly system: Uint8Array
  readonly key: Uint8Array
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
}

/** The effective changes of a block (a write of the value that was there already is none) and their root. */
export interface Commitment {
  readonly stateRoot: Hash
  readonly accounts: readonly AccountChange[]
  readonly slots: readonly SlotChange[]
  readonly values: readonly ValueChange[]
  readonly codes: ReadonlyMap<string, Uint8Array>
  /** Trie nodes by database key (bytesToKey); undefined deletes. */
  readonly nodes: ReadonlyMap<string, Uint8Array | undefined>
  /** What the database holds at those keys before this block; nothing where a key is left out. */
  readonly nodesBefore: ReadonlyMap<string, Uint8Array>
}

const ACCOUNT_TRIE_PREFIX = accountTriePath(EMPTY_BYTES)

/** What is asked of the database: what a storage that is cleared held, and nodes where no other reader is given. */
type ScannedStore = Pick<KeyValueStore, 'scan' | 'getMany'>

/** Most slots, or nodes, of an account whose storage is cleared: since EIP-6780 it was made in the same transaction. */
const MAX_CLEARED = 1_000_000

const sameAccount = (a: AccountState | undefined, b: AccountState | undefined): boolean => {
  if (a === undefined || b === undefined) return a === b
  return (
    a.balance === b.balance &&
    a.nonce === b.nonce &&
    equalBytes(a.codeHash, b.codeHash) &&
    equalBytes(a.storageRoot, b.storageRoot)
  )
}

class CommitmentBuilder {
  readonly #store: ScannedStore
  /** Nodes by their keys in the `trie` column. */
  readonly #reader: TrieNodeReader
  readonly #base: StateReader
  readonly #changes: StateChanges
  readonly accounts: AccountChange[] = []
  readonly slots: SlotChange[] = []
  readonly values: ValueChange[] = []
  readonly nodes = new Map<string, Uint8Array | undefined>()
  readonly nodesBefore = new Map<string, Uint8Array>()

  constructor(store: ScannedStore, reader: TrieNodeReader, base: StateReader, changes: StateChanges) {
    this.#store = store
    this.#reader = reader
    this.#base = base
    this.#changes = changes
  }

  build(stateRoot: Hash): Commitment {
    const touched = new Set([
      ...this.#changes.accounts.keys(),
      ...this.#changes.storage.keys(),
      ...this.#changes.values.keys(),
    ])
    const trieChanges: TrieChange[] = []
    for (const key of touched) {
      const address = keyToBytes(key)
      const before = this.#base.account(address)
      const written = this.#changes.accounts.has(key) ? this.#changes.accounts.get(key) : before
      const accountHash = keccak256(address)
      const storageRoot = this.#storageRoot(key, address, accountHash, before, written !== undefined)
      const after = this.#afterStorage(key, written, storageRoot)
      if (sameAccount(before, after)) continue
      this.accounts.push({ address, hash: accountHash, before, after })
      trieChanges.push({ key: accountHash, value: after === undefined ? undefined : encodeTrieAccount(after) })
    }
    const update = updateTrie(this.#reader, stateRoot, trieChanges, { prefix: ACCOUNT_TRIE_PREFIX })
    this.#takeNodes(update)
    const { accounts, slots, values, nodes, nodesBefore } = this
    return { stateRoot: update.root, accounts, slots, values, codes: this.#changes.codes, nodes, nodesBefore }
  }

  #afterStorage(key: string, written: AccountState | undefined, storageRoot: Hash): AccountState | undefined {
    if (written !== undefined) {
      return equalBytes(written.storageRoot, storageRoot) ? written : { ...written, storageRoot }
    }
    // Slots of an account that does not exist: only a genesis or a vector writes them; they make the account.
    return equalBytes(storageRoot, EMPTY_TRIE_ROOT) || this.#changes.accounts.has(key)
      ? undefined
      : { ...EMPTY_ACCOUNT, storageRoot }
  }

  #storageRoot(
    key: string,
    address: Uint8Array,
    accountHash: Hash,
    before: AccountState | undefined,
    exists: boolean,
  ): Hash {
    const layer = this.#changes.storage.get(key)
    const values = this.#changes.values.get(key)
    const held = before?.storageRoot ?? EMPTY_TRIE_ROOT
    if (layer === undefined && values === undefined) return held
    const cleared = layer?.cleared === true
    if (cleared && !equalBytes(held, EMPTY_TRIE_ROOT)) this.#clear(address, accountHash, exists ? layer : undefined)
    const root = cleared ? EMPTY_TRIE_ROOT : held
    const trieChanges: TrieChange[] = []
    if (layer !== undefined && exists) this.#slotChanges(address, layer, trieChanges)
    if (values !== undefined) this.#valueChanges(address, values, trieChanges)
    if (trieChanges.length === 0) return root
    const prefix = storageTriePath(accountHash, EMPTY_BYTES)
    const update = updateTrie(this.#reader, root, trieChanges, { prefix })
    this.#takeNodes(update)
    return update.root
  }

  #slotChanges(address: Uint8Array, layer: StorageLayer, out: TrieChange[]): void {
    for (const [slotKey, after] of layer.slots) {
      const slot = keyToBytes(slotKey)
      const before = this.#base.storage(address, slot)
      const same = equalBytes(before, after)
      if (!same) this.slots.push({ address, slot, before, after })
      // A cleared trie begins empty: what is the same as before is put into it anew.
      if (same && !layer.cleared) continue
      if (after.length > 0) out.push({ key: keccak256(slot), value: encodeRlp(after) })
      else if (!layer.cleared) out.push({ key: keccak256(slot), value: undefined })
    }
  }

  /** A module's value stands in the trie as slot keccak256(key) with value keccak256(value). */
  #valueChanges(system: Uint8Array, values: ReadonlyMap<string, Uint8Array | undefined>, out: TrieChange[]): void {
    for (const [mapKey, after] of values) {
      const key = keyToBytes(mapKey)
      const before = this.#base.value(system, key)
      if (before === undefined ? after === undefined : after !== undefined && equalBytes(before, after)) continue
      this.values.push({ system, key, before, after })
      const value = after === undefined ? undefined : encodeRlp(trimLeadingZeros(keccak256(after)))
      out.push({ key: keccak256(keccak256(key)), value })
    }
  }

  /** Drops every node of an account, and every slot that is not written anew. */
  #clear(address: Uint8Array, accountHash: Hash, rewritten: StorageLayer | undefined): void {
    const prefix = storagePrefix(address)
    for (const [key, before] of this.#scanPrefix('state', prefix)) {
      const slot = key.slice(prefix.length)
      if (rewritten?.slots.has(bytesToKey(slot)) !== true) {
        this.slots.push({ address, slot, before, after: EMPTY_BYTES })
      }
    }
    for (const [key, node] of this.#scanPrefix('trie', storageTriePath(accountHash, EMPTY_BYTES))) {
      this.nodes.set(bytesToKey(key), undefined)
      this.nodesBefore.set(bytesToKey(key), node)
    }
  }

  #scanPrefix(column: 'state' | 'trie', prefix: Uint8Array): (readonly [Uint8Array, Uint8Array])[] {
    const end = prefixEnd(prefix)
    const range = { gte: prefix, ...(end === undefined ? {} : { lt: end }), limit: MAX_CLEARED + 1 }
    const found = this.#store.scan(column, range)
    invariant(found.length <= MAX_CLEARED, `a storage of more than ${MAX_CLEARED} entries would be cleared`)
    return found
  }

  #takeNodes(update: TrieUpdate): void {
    for (const [key, node] of update.nodes) this.nodes.set(key, node)
    for (const [key, node] of update.before) this.nodesBefore.set(key, node)
  }
}

/**
 * The root of the state after `changes` on top of `stateRoot`, without writing anything: several candidates of one
 * height can be committed to side by side. `base`, `store` and `reader` must all show the state of `stateRoot`.
 */
export const computeCommitment = (
  store: ScannedStore,
  base: StateReader,
  stateRoot: Hash,
  changes: StateChanges,
  reader: TrieNodeReader = { getMany: (keys) => store.getMany('trie', keys) },
): Commitment => new CommitmentBuilder(store, reader, base, changes).build(stateRoot)
