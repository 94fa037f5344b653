/** Builds the whole state trie anew from the flat state, and names the first thing that is not as its root says. */
import type { Address } from '../core/address.ts'
import { bytesToHex } from '../core/hex.ts'
import { bytesToKey, compareBytes, EMPTY_BYTES, equalBytes, keyToBytes, trimLeadingZeros } from '../core/bytes.ts'
import { InvariantError } from '../core/errors.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, type Hash, keccak256 } from '../core/hash.ts'
import { encodeRlp } from '../core/rlp.ts'
import { decodeAccount, encodeTrieAccount } from './account-codec.ts'
import {
  accountKey,
  accountTriePath,
  type IsModule,
  prefixEnd,
  storagePrefix,
  storageTriePath,
  valueKey,
} from './keys.ts'
import type { AccountState } from './state.ts'
import type { Column, Entry, KeyValueStore } from './store.ts'
import { readTrie } from './trie/read-trie.ts'
import type { TrieChange, TrieNodeReader, TrieUpdate } from './trie/trie.ts'
import { updateTrie } from './trie/update-trie.ts'

/** Nodes compared at once. */
const NODES_A_READ = 1_000
const ADDRESS_BYTES = 20
const NOTHING: TrieNodeReader = { getMany: (paths) => paths.map(() => undefined) }

/** A key of the flat state as the trie has it. */
interface Leaf extends TrieChange {
  readonly value: Uint8Array
  /** Names the key in words. */
  readonly name: () => string
}

export interface VerifiedState {
  readonly accounts: number
  readonly slots: number
  readonly values: number
  readonly nodes: number
  /** That accounts name. The database keeps code that none names any more too. */
  readonly codes: number
}

export type StateVerdict = VerifiedState | { readonly difference: string }

function* entriesWith(store: KeyValueStore, column: Column, prefix: Uint8Array): Generator<Entry, void> {
  const end = prefixEnd(prefix)
  const cursor = store.cursor(column)
  try {
    for (let entry = cursor.seek(prefix); entry !== undefined; entry = cursor.next()) {
      if (end !== undefined && compareBytes(entry[0], end) >= 0) return
      yield entry
    }
  } finally {
    cursor.close()
  }
}

const countWith = (store: KeyValueStore, column: Column, prefix: Uint8Array): number => {
  let count = 0
  for (const _ of entriesWith(store, column, prefix)) count++
  return count
}

/** The slots and module values of an account. Their trie keys are hashes of hashes where they are a module's. */
const storageLeaves = (store: KeyValueStore, address: Address): { slots: Leaf[]; values: Leaf[] } => {
  const slotPrefix = storagePrefix(address)
  const valuePrefix = valueKey(address, EMPTY_BYTES)
  const owner = bytesToHex(address)
  const slots: Leaf[] = []
  for (const [key, value] of entriesWith(store, 'state', slotPrefix)) {
    const slot = key.slice(slotPrefix.length)
    slots.push({
      key: keccak256(slot),
      value: encodeRlp(value),
      name: () => `storage slot ${bytesToHex(slot)} of ${owner}`,
    })
  }
  const values: Leaf[] = []
  for (const [key, value] of entriesWith(store, 'state', valuePrefix)) {
    const own = key.slice(valuePrefix.length)
    values.push({
      key: keccak256(keccak256(own)),
      value: encodeRlp(trimLeadingZeros(keccak256(value))),
      name: () => `module value ${bytesToHex(own)} of ${owner}`,
    })
  }
  return { slots, values }
}

class StateVerifier {
  readonly #store: KeyValueStore
  readonly #isModule: IsModule
  /** The hashes of codes, as `bytesToKey` gives them. */
  readonly #codes = new Set<string>()
  #slots = 0
  #values = 0
  #nodes = 0

  constructor(store: KeyValueStore, isModule: IsModule) {
    this.#store = store
    this.#isModule = isModule
  }

  verify(stateRoot: Hash): StateVerdict {
    const accounts: Leaf[] = []
    for (const [key, bytes] of entriesWith(this.#store, 'state', accountKey(EMPTY_BYTES))) {
      const address = key.slice(-ADDRESS_BYTES)
      const account = attempt(() => decodeAccount(bytes))
      if (account instanceof InvariantError) return { difference: `account ${bytesToHex(address)}: ${account.message}` }
      if (!equalBytes(account.codeHash, EMPTY_CODE_HASH)) this.#codes.add(bytesToKey(account.codeHash))
      const difference = this.#storageDifference(address, account)
      if (difference !== undefined) return { difference }
      const name = (): string => `account ${bytesToHex(address)}`
      accounts.push({ key: keccak256(address), value: encodeTrieAccount(account), name })
    }
    const difference = this.#trieDifference(accountTriePath(EMPTY_BYTES), stateRoot, accounts, 'the state root')
    if (difference !== undefined) return { difference }
    const left = this.left ?? this.#codeDifference()
    if (left !== undefined) return { difference: left }
    const codes = this.#codes.size
    return { accounts: accounts.length, slots: this.#slots, values: this.#values, nodes: this.#nodes, codes }
  }

  /** What no account leads to. */
  get left(): string | undefined {
    const count = (column: Column, prefix: Uint8Array): number => countWith(this.#store, column, prefix)
    const slots = count('state', storagePrefix(EMPTY_BYTES)) - this.#slots
    if (slots !== 0) return `${slots} storage slots belong to no account`
    const values = count('state', valueKey(EMPTY_BYTES, EMPTY_BYTES)) - this.#values
    if (values !== 0) return `${values} module values belong to no account`
    const nodes = count('trie', EMPTY_BYTES) - this.#nodes
    return nodes === 0 ? undefined : `${nodes} trie nodes belong to no trie`
  }

  #storageDifference(address: Address, { storageRoot }: AccountState): string | undefined {
    const { slots, values } = storageLeaves(this.#store, address)
    const [wrong] = this.#isModule(address) ? slots : values
    if (wrong !== undefined) {
      return `${wrong.name()} stands at the address of ${this.#isModule(address) ? 'a module' : 'no module'}`
    }
    this.#slots += slots.length
    this.#values += values.length
    const prefix = storageTriePath(keccak256(address), EMPTY_BYTES)
    const leaves = values.length === 0 ? slots : [...slots, ...values]
    return this.#trieDifference(prefix, storageRoot, leaves, `the storage root of ${bytesToHex(address)}`)
  }

  /** All code has its hash, and accounts have theirs. */
  #codeDifference(): string | undefined {
    let found = 0
    for (const [hash, code] of entriesWith(this.#store, 'code', EMPTY_BYTES)) {
      if (!equalBytes(keccak256(code), hash)) return `code ${bytesToHex(hash)} does not have its hash`
      if (this.#codes.has(bytesToKey(hash))) found++
    }
    return found === this.#codes.size ? undefined : `${this.#codes.size - found} codes that accounts name are missing`
  }

  /** Compares the trie of `leaves` with its root and with its stored nodes. `prefix` stands before their paths. */
  #trieDifference(prefix: Uint8Array, root: Hash, leaves: readonly Leaf[], rootName: string): string | undefined {
    const built = updateTrie(NOTHING, EMPTY_TRIE_ROOT, leaves, { prefix })
    if (!equalBytes(built.root, root)) {
      const leaf = this.#leafDifference(prefix, root, leaves)
      return `${leaf ?? 'something is missing in the flat state'} (${rootName} is ${bytesToHex(built.root)}, not ${bytesToHex(root)})`
    }
    this.#nodes += built.nodes.size
    return this.#nodeDifference(built)
  }

  #nodeDifference({ nodes }: TrieUpdate): string | undefined {
    const entries = [...nodes]
    for (let from = 0; from < entries.length; from += NODES_A_READ) {
      const some = entries.slice(from, from + NODES_A_READ)
      const stored = this.#store.getMany(
        'trie',
        some.map(([key]) => keyToBytes(key)),
      )
      for (const [index, [key, node]] of some.entries()) {
        const found = stored[index]
        if (found !== undefined && node !== undefined && equalBytes(found, node)) continue
        const what = found === undefined ? 'missing' : 'not what its place in the trie demands'
        return `the trie node ${bytesToHex(keyToBytes(key))} is ${what}`
      }
    }
    return undefined
  }

  /** The first leaf that the stored trie under `root` has otherwise. */
  #leafDifference(prefix: Uint8Array, root: Hash, leaves: readonly Leaf[]): string | undefined {
    const reader: TrieNodeReader = {
      getMany: (paths) =>
        this.#store.getMany(
          'trie',
          paths.map((path) => Uint8Array.from([...prefix, ...path])),
        ),
    }
    for (const { key, value, name } of leaves) {
      const held = attempt(() => readTrie(reader, root, key))
      if (held instanceof InvariantError) return `${name()} cannot be found: ${held.message}`
      if (held === undefined) return `${name()} is not in the trie`
      if (!equalBytes(held, value)) return `${name()} differs from the trie`
    }
    return undefined
  }
}

/** What is checked here may break any invariant: that is a finding. */
const attempt = <T>(read: () => T): T | InvariantError => {
  try {
    return read()
  } catch (error) {
    if (error instanceof InvariantError) return error
    throw error
  }
}

/** Takes memory for the whole account trie: some 500 bytes an account. */
export const verifyState = (store: KeyValueStore, stateRoot: Hash, isModule: IsModule): StateVerdict =>
  new StateVerifier(store, isModule).verify(stateRoot)
