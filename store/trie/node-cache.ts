/** The trie nodes that were used last, in front of the database: a look-up here costs a tenth of a read there. */
import { bytesToKey } from '../../core/bytes.ts'
import type { KeyValueStore } from '../store.ts'
import { ByteArena } from './byte-arena.ts'
import type { TrieNodeReader } from './trie.ts'

/** What a cached node costs beside its bytes: key, view and place in the map. */
const ENTRY_BYTES = 300

/**
 * Committed nodes by their key in the `trie` column. Candidates read through it and never write to it; whoever commits
 * a block calls `note` for every node that the block changed, right after the write and before the next read. That
 * writes over the bytes: what `getMany` returned holds until then.
 *
 * Two generations, as in BoundedCache; the bytes of each lie in large blocks, for memory of its own costs a node more
 * than copying it, and the collector far more.
 */
export class TrieNodeCache implements TrieNodeReader {
  readonly #store: KeyValueStore
  readonly #half: number
  #young = new Map<string, Uint8Array>()
  #old = new Map<string, Uint8Array>()
  #arena = new ByteArena()
  /** The weight of the young generation, with what lies in its blocks and was replaced. */
  #weight = 0

  constructor(store: KeyValueStore, cacheBytes: number) {
    this.#store = store
    this.#half = cacheBytes / 2
  }

  /** Answers as `KeyValueStore.getMany` does for the `trie` column. */
  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const missing: Uint8Array[] = []
    const places: number[] = []
    const names: string[] = []
    const nodes: (Uint8Array | undefined)[] = []
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as Uint8Array
      const name = bytesToKey(key)
      const node = this.#get(name)
      nodes.push(node)
      if (node !== undefined) continue
      missing.push(key)
      places.push(i)
      names.push(name)
    }
    if (missing.length === 0) return nodes
    for (const [i, node] of this.#store.getMany('trie', missing).entries()) {
      if (node === undefined) continue
      nodes[places[i] as number] = node
      this.#add(names[i] as string, node)
    }
    return nodes
  }

  /** `key` is bytesToKey of the node's key in the `trie` column; undefined was deleted. */
  note(key: string, node: Uint8Array | undefined): void {
    const held = this.#young.get(key)
    if (node === undefined) {
      this.#young.delete(key)
      this.#old.delete(key)
    } else if (held?.length === node.length) held.set(node)
    else this.#add(key, node)
  }

  #get(name: string): Uint8Array | undefined {
    const young = this.#young.get(name)
    if (young !== undefined) return young
    const old = this.#old.get(name)
    return old === undefined ? undefined : this.#add(name, old)
  }

  #add(name: string, node: Uint8Array): Uint8Array {
    const weight = node.length + ENTRY_BYTES
    if (this.#weight + weight > this.#half) {
      this.#old = this.#young
      this.#young = new Map()
      this.#arena = new ByteArena()
      this.#weight = 0
    }
    this.#weight += weight
    const copy = this.#arena.allocate(node.length)
    copy.set(node)
    this.#young.set(name, copy)
    return copy
  }
}
