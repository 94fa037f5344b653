/** Trie nodes as they were at a height, beside a writer that goes on. */
import { bytesToKey, equalBytes } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { keccak256 } from '../core/hash.ts'
import { encodeTrieAccount } from './account-codec.ts'
import { BoundedCache } from './cache.ts'
import { ACCOUNT_TRIE_PREFIX_BYTES } from './keys.ts'
import type { StateReader } from './state.ts'
import type { Cursor, Entry, KeyValueStore } from './store.ts'
import { ByteArena } from './trie/byte-arena.ts'
import { encodeShort } from './trie/node.ts'
import { unpack } from './trie/sorted-changes.ts'
import type { TrieNodeReader } from './trie/trie.ts'
import { BranchChildren, NODE_ABSENT, NODE_DIFFERENCE, NODE_LEAF, NODE_WHOLE, trieHistoryKey } from './trie-history.ts'

/** A node at one height never changes: what was read is kept, up to this many bytes. */
const CACHE_BYTES = 2 * 1024 * 1024
/** What a cached node costs beside its bytes. */
const ENTRY_BYTES = 400
const HEIGHT_BYTES = 8
const HASH_NIBBLES = 64

const isOfNode = (entry: Entry | undefined, from: Uint8Array): entry is Entry =>
  entry !== undefined &&
  entry[0].length === from.length &&
  equalBytes(entry[0].subarray(0, -HEIGHT_BYTES), from.subarray(0, -HEIGHT_BYTES))

/**
 * The latest node is read first and decides where no block above the height has begun to be written, or where none of
 * them changed the node. Otherwise the entries above the height do, in a view opened after that read: see
 * HistoricalState. A difference and the latest node that completes it agree, for a child that the view's entries do
 * not name did not change between the two reads.
 *
 * Holds a cursor after reads below the head: close it when done, and before the store is closed.
 */
export class HistoricalTrieNodes implements TrieNodeReader {
  readonly #store: KeyValueStore
  readonly #height: number
  readonly #committedHeight: () => number
  readonly #state: StateReader
  readonly #nodes = new BoundedCache<Uint8Array>(CACHE_BYTES, (node) => node.length + ENTRY_BYTES)
  #history: Cursor | undefined
  #historySequence = -1

  /** `state` is that of the same height: leaves of accounts are made from it. */
  constructor(store: KeyValueStore, height: number, committedHeight: () => number, state: StateReader) {
    this.#store = store
    this.#height = height
    this.#committedHeight = committedHeight
    this.#state = state
  }

  /** Answers as `KeyValueStore.getMany` does for the `trie` column. */
  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const nodes = keys.map((key) => this.#nodes.get(bytesToKey(key)))
    const missing = keys.flatMap((key, place) => (nodes[place] === undefined ? [{ key, place }] : []))
    if (missing.length === 0) return nodes
    const latest = this.#store.getMany(
      'trie',
      missing.map(({ key }) => key),
    )
    const isHead = this.#committedHeight() <= this.#height
    for (const [i, { key, place }] of missing.entries()) {
      const node = isHead ? latest[i] : this.#readHistory(key, latest[i])
      nodes[place] = node
      if (node !== undefined) this.#nodes.set(bytesToKey(key), node)
    }
    return nodes
  }

  /** Frees the cursor; another read opens one again. */
  close(): void {
    this.#history?.close()
    this.#history = undefined
    this.#historySequence = -1
  }

  #readHistory(key: Uint8Array, latest: Uint8Array | undefined): Uint8Array | undefined {
    const from = trieHistoryKey(key, this.#height + 1)
    const cursor = this.#currentHistory()
    let children: BranchChildren | undefined
    for (let entry = cursor.seek(from); isOfNode(entry, from); entry = cursor.next()) {
      const [, value] = entry
      if (value[0] !== NODE_DIFFERENCE) return this.#standing(key, value, children)
      children ??= new BranchChildren()
      children.addDifference(value)
      if (children.complete) return children.node()
    }
    if (children === undefined) return latest
    invariant(latest !== undefined, 'a branch is missing that its history ends with')
    children.addNode(latest)
    return children.node()
  }

  /** An entry that needs none behind it. */
  #standing(key: Uint8Array, value: Uint8Array, children: BranchChildren | undefined): Uint8Array | undefined {
    const kind = value[0]
    const body = value.subarray(1)
    if (kind === NODE_WHOLE) {
      if (children === undefined) return body
      children.addNode(body)
      return children.node()
    }
    invariant(children === undefined, 'a difference of a branch is followed by another node')
    if (kind === NODE_ABSENT) return undefined
    invariant(kind === NODE_LEAF, 'an entry of the trie history is of no known kind')
    return this.#leaf(key, body)
  }

  #leaf(key: Uint8Array, address: Uint8Array): Uint8Array {
    const account = this.#state.account(address)
    invariant(account !== undefined, 'the account of a leaf in the trie history is missing')
    const nibbles = new Uint8Array(HASH_NIBBLES)
    unpack(keccak256(address), nibbles, 0)
    const path = nibbles.subarray(key.length - ACCOUNT_TRIE_PREFIX_BYTES)
    return encodeShort(new ByteArena(0), path, encodeTrieAccount(account), undefined)
  }

  /** A history view that holds every write made until now. */
  #currentHistory(): Cursor {
    const sequence = this.#store.sequence()
    if (this.#history !== undefined && this.#historySequence === sequence) return this.#history
    this.#history?.close()
    this.#history = this.#store.cursor('trie_history')
    this.#historySequence = sequence
    return this.#history
  }
}
