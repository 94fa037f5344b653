/** One chunk of a snapshot: checks its entries, writes them flat, and extends the tries by them. */
import {
  bytesToBigint,
  bytesToKey,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
  keyToBytes,
  trimLeadingZeros,
  utf8ToBytes,
} from '../../core/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, type Hash, keccak256 } from '../../core/hash.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../core/rlp.ts'
import { decodeAccount, encodeAccount, encodeTrieAccount } from '../account-codec.ts'
import { type IsModule, accountKey, accountTriePath, storageTriePath } from '../keys.ts'
import type { AccountState } from '../state.ts'
import type { Batch, KeyValueStore } from '../store.ts'
import type { TrieChange, TrieNodeReader } from '../trie/trie.ts'
import { updateTrie } from '../trie/update-trie.ts'
import { BLOCK_SECTION, CODE_SECTION, STATE_SECTION } from './chunk.ts'
import { snapshotError } from './errors.ts'
import type { RestoreProgress } from './progress.ts'

const ADDRESS_BYTES = 20
const HASH_BYTES = 32
/** A tag and an address: what the keys of one storage begin with. */
const OWNER_BYTES = 1 + ADDRESS_BYTES
const SLOT_KEY_BYTES = OWNER_BYTES + HASH_BYTES
const MAX_SLOT_VALUE_BYTES = 32

const ACCOUNT_TAG = 'a'.charCodeAt(0)
const SLOT_TAG = 's'.charCodeAt(0)
const VALUE_TAG = 'v'.charCodeAt(0)

/**
 * Most bytes of the block section, which is read at once when the state is complete: the logs of 1,000,000,000 gas take
 * 125 MB, and transactions 8 MiB.
 */
export const MAX_BLOCK_SECTION_BYTES = 256 * 1024 * 1024

/** Column `meta`: parts of the block wait there, behind this prefix, until the state is complete. */
export const STAGED_BLOCK_PREFIX = utf8ToBytes('restore/block/')
/** Column `meta`: hashes of codes that some account names, until the state is complete. */
export const NAMED_CODE_PREFIX = utf8ToBytes('restore/code/')
const NAMED = Uint8Array.of(1)

export interface RestoreRules {
  readonly isModule: IsModule
  /** The most bytes of a section of blocks, at most {@link MAX_BLOCK_SECTION_BYTES}. */
  readonly maxBlockBytes?: number
}

const fail = (what: string): never => {
  throw snapshotError('content', `the snapshot holds what is no state: ${what}`)
}

const isBytes = (item: RlpItem | undefined, lengths: (length: number) => boolean): item is Uint8Array =>
  item instanceof Uint8Array && lengths(item.length)

/** Only the one encoding that this chain writes is taken. */
const parseAccount = (bytes: Uint8Array): AccountState => {
  let fields: RlpItem
  try {
    fields = decodeRlp(bytes)
  } catch {
    return fail('an account')
  }
  if (!Array.isArray(fields) || fields.length !== 4) return fail('an account')
  const [nonce, balance, storageRoot, codeHash] = fields
  const isHash = (length: number): boolean => length === 0 || length === HASH_BYTES
  if (
    !isBytes(nonce, (length) => length <= 8) ||
    !isBytes(balance, (length) => length <= 32) ||
    !isBytes(storageRoot, isHash) ||
    !isBytes(codeHash, isHash)
  ) {
    return fail('an account')
  }
  const account: AccountState = {
    nonce: bytesToBigint(nonce),
    balance: bytesToBigint(balance),
    storageRoot: storageRoot.length === 0 ? EMPTY_TRIE_ROOT : storageRoot.slice(),
    codeHash: codeHash.length === 0 ? EMPTY_CODE_HASH : codeHash.slice(),
  }
  return equalBytes(encodeAccount(account), bytes) ? account : fail('an account')
}

/** Writes nothing but the batch; the database must show the chunks before. */
export class ChunkRestore {
  readonly #store: KeyValueStore
  readonly #batch: Batch
  readonly #rules: RestoreRules
  /** Nodes of this chunk, which the database does not show yet. */
  readonly #nodes = new Map<string, Uint8Array | undefined>()
  readonly #reader: TrieNodeReader
  readonly #newCodes = new Set<string>()
  readonly #neededCodes = new Map<string, Hash>()
  readonly #storageRoots = new Map<string, Hash>()
  #accountChanges: TrieChange[] = []
  #storageChanges: TrieChange[] = []
  #lastKey: Uint8Array
  #openStorage: Uint8Array
  #openRoot: Hash
  #storages: number
  #complete: number
  #blockBytes: number
  #named: number
  readonly #counts

  constructor(store: KeyValueStore, batch: Batch, rules: RestoreRules, before: RestoreProgress) {
    this.#store = store
    this.#batch = batch
    this.#rules = rules
    this.#reader = { getMany: (keys) => this.#readNodes(keys) }
    this.#lastKey = before.lastKey
    this.#openStorage = before.openStorage
    this.#openRoot = before.openRoot
    this.#storages = before.storages
    this.#complete = before.complete
    this.#blockBytes = before.blockBytes
    this.#named = before.named
    this.#counts = { ...before.counts }
  }

  /** `key` has its section before it; both are copied. Throws snapshot/3. */
  add(key: Uint8Array, value: Uint8Array): void {
    const section = key[0]
    const rest = key.subarray(1)
    if (section === STATE_SECTION) this.#addState(rest, value)
    else if (section === CODE_SECTION) this.#addCode(rest, value)
    else if (section === BLOCK_SECTION) this.#addBlockItem(rest, value)
    else fail('an entry of an unknown section')
    this.#lastKey = key
  }

  /** Brings the tries up to date. The batch holds the whole chunk then, but for the progress. Throws snapshot/3. */
  end(before: RestoreProgress): RestoreProgress {
    this.#requireCodes()
    this.#extendStorage()
    const accounts = updateTrie(this.#reader, before.accountRoot, this.#accountChanges, {
      prefix: accountTriePath(EMPTY_BYTES),
    })
    for (const [key, node] of accounts.nodes) this.#nodes.set(key, node)
    for (const [key, node] of this.#nodes) {
      if (node === undefined) this.#batch.delete('trie', keyToBytes(key))
      else this.#batch.put('trie', keyToBytes(key), node)
    }
    return {
      snapshot: before.snapshot,
      next: before.next + 1,
      lastKey: this.#lastKey.slice(),
      accountRoot: accounts.root,
      openStorage: this.#openStorage,
      openRoot: this.#openRoot,
      storages: this.#storages,
      complete: this.#complete,
      counts: this.#counts,
      named: this.#named,
      blockBytes: this.#blockBytes,
    }
  }

  #addBlockItem(key: Uint8Array, value: Uint8Array): void {
    this.#blockBytes += key.length + value.length
    const { maxBlockBytes = MAX_BLOCK_SECTION_BYTES } = this.#rules
    if (this.#blockBytes > maxBlockBytes) fail(`a block of more than ${maxBlockBytes} bytes`)
    this.#batch.put('meta', concatBytes(STAGED_BLOCK_PREFIX, key), value)
  }

  #addCode(hash: Uint8Array, code: Uint8Array): void {
    if (code.length === 0 || !equalBytes(keccak256(code), hash)) fail('code that does not have its hash')
    this.#batch.put('code', hash, code)
    this.#newCodes.add(bytesToKey(hash))
    this.#counts.codes++
  }

  #addState(key: Uint8Array, value: Uint8Array): void {
    const tag = key[0]
    if (tag === ACCOUNT_TAG && key.length === OWNER_BYTES) this.#addAccount(key.slice(1), value)
    else if (tag === SLOT_TAG && key.length === SLOT_KEY_BYTES) this.#addSlot(key, value)
    else if (tag === VALUE_TAG && key.length > OWNER_BYTES) this.#addValue(key, value)
    else fail('an entry of an unknown kind')
    this.#batch.put('state', key, value)
  }

  #addAccount(address: Uint8Array, value: Uint8Array): void {
    const account = parseAccount(value)
    if (!equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)) {
      this.#storages++
      this.#storageRoots.set(bytesToKey(address), account.storageRoot)
    }
    if (!equalBytes(account.codeHash, EMPTY_CODE_HASH)) {
      this.#neededCodes.set(bytesToKey(account.codeHash), account.codeHash)
    }
    this.#accountChanges.push({ key: keccak256(address), value: encodeTrieAccount(account) })
    this.#counts.accounts++
  }

  #addSlot(key: Uint8Array, value: Uint8Array): void {
    if (value.length === 0 || value.length > MAX_SLOT_VALUE_BYTES || value[0] === 0) fail('a storage value')
    // A module's value looks like a slot in the trie: given as slots, the values would have the right root, and would
    // be lost.
    if (this.#rules.isModule(key.subarray(1, OWNER_BYTES))) fail('storage slots at the address of a module')
    this.#enterStorage(key.subarray(0, OWNER_BYTES))
    this.#storageChanges.push({ key: keccak256(key.subarray(OWNER_BYTES)), value: encodeRlp(value) })
    this.#counts.slots++
  }

  /** Enters a module's value as store/commitment.ts does. */
  #addValue(key: Uint8Array, value: Uint8Array): void {
    if (!this.#rules.isModule(key.subarray(1, OWNER_BYTES))) fail('module values at the address of no module')
    this.#enterStorage(key.subarray(0, OWNER_BYTES))
    this.#storageChanges.push({
      key: keccak256(keccak256(key.subarray(OWNER_BYTES))),
      value: encodeRlp(trimLeadingZeros(keccak256(value))),
    })
    this.#counts.values++
  }

  #enterStorage(owner: Uint8Array): void {
    if (equalBytes(owner, this.#openStorage)) return
    this.#closeStorage()
    this.#openStorage = owner.slice()
    this.#openRoot = EMPTY_TRIE_ROOT
  }

  #closeStorage(): void {
    if (this.#openStorage.length === 0) return
    this.#extendStorage()
    const address = this.#openStorage.subarray(1)
    const expected = this.#storageRoots.get(bytesToKey(address)) ?? storedRoot(this.#store, address)
    requireStorageRoot(expected, this.#openRoot)
    this.#complete++
  }

  #extendStorage(): void {
    if (this.#storageChanges.length === 0) return
    const prefix = storageTriePath(keccak256(this.#openStorage.subarray(1)), EMPTY_BYTES)
    const update = updateTrie(this.#reader, this.#openRoot, this.#storageChanges, { prefix })
    for (const [key, node] of update.nodes) this.#nodes.set(key, node)
    this.#openRoot = update.root
    this.#storageChanges = []
  }

  #requireCodes(): void {
    const missing = [...this.#neededCodes].filter(([key]) => !this.#newCodes.has(key)).map(([, hash]) => hash)
    const held = this.#store.getMany('code', missing)
    if (held.includes(undefined)) fail('an account whose code is missing')
    const needed = [...this.#neededCodes.values()].map((hash) => concatBytes(NAMED_CODE_PREFIX, hash))
    for (const [index, mark] of this.#store.getMany('meta', needed).entries()) {
      if (mark !== undefined) continue
      this.#batch.put('meta', needed[index] as Uint8Array, NAMED)
      this.#named++
    }
  }

  #readNodes(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const nodes = this.#store.getMany('trie', keys)
    if (this.#nodes.size === 0) return nodes
    return keys.map((key, index) => this.#nodes.get(bytesToKey(key)) ?? nodes[index])
  }
}

const storedRoot = (store: KeyValueStore, address: Uint8Array): Hash | undefined => {
  const bytes = store.get('state', accountKey(address))
  return bytes === undefined ? undefined : decodeAccount(bytes).storageRoot
}

const requireStorageRoot = (expected: Hash | undefined, root: Hash): void => {
  if (expected === undefined || !equalBytes(expected, root)) fail('storage that does not have the root of its account')
}

/** The storage whose end no chunk has shown. Throws snapshot/3. */
export const requireOpenStorage = (store: KeyValueStore, { openStorage, openRoot }: RestoreProgress): void => {
  if (openStorage.length > 0) requireStorageRoot(storedRoot(store, openStorage.subarray(1)), openRoot)
}
