/** The trie nodes that were used last, in front of the database: a look-up here costs a tenth of a read there. */
import { bytesToKey } from '../../core/bytes.ts'
import { BoundedCache } from '../cache.ts'
import type { KeyValueStore } from '../store.ts'

/** What a cached node costs beside its bytes: objects, key and place in the map. */
const ENTRY_BYTES = 400

/**
 * Committed nodes by their key in the `trie` column. Candidates read through it and never write to it; whoever commits
 * a block calls `note` for every node that the block changed, right after the write and before the next read.
 */
export class TrieNodeCache {
  readonly #store: KeyValueStore
  readonly #nodes: BoundedCache<Uint8Array>

  constructor(store: KeyValueStore, cacheBytes: number) {
    this.#store = store
    this.#nodes = new BoundedCache(cacheBytes, (node) => node.length + ENTRY_BYTES)
  }

  /** As KeyValueStore.getMany of the `trie` column. */
  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const missing: Uint8Array[] = []
    const places: number[] = []
    const names: string[] = []
    const nodes: (Uint8Array | undefined)[] = []
    for (const [i, key] of keys.entries()) {
      const name = bytesToKey(key)
      const node = this.#nodes.get(name)
      nodes.push(node)
      if (node !== undefined) continue
      missing.push(key)
      places.push(i)
      names.push(name)
    }
    if (missing.length === 0) return nodes
    for (const [i, node] of this.#store.getMany('trie', missing).entries()) {
      nodes[places[i] as number] = node
      if (node !== undefined) this.#nodes.set(names[i] as string, node)
    }
    return nodes
  }

  /** `key` is bytesToKey of the node's key in the `trie` column; undefined was deleted. */
  note(key: string, node: Uint8Array | undefined): void {
    // A copy: nodes of an update share large blocks, which one cached node would keep alive.
    if (node === undefined) this.#nodes.delete(key)
    else this.#nodes.set(key, node.slice())
  }
}
