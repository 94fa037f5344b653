/** Trie nodes with changes over them that are written nowhere. */
import { bytesToKey } from '../../core/bytes.ts'
import type { TrieNodeReader, TrieUpdate } from './trie.ts'

export class LayeredNodes implements TrieNodeReader {
  readonly #base: TrieNodeReader
  readonly #nodes = new Map<string, Uint8Array | undefined>()

  constructor(base: TrieNodeReader) {
    this.#base = base
  }

  add(nodes: TrieUpdate['nodes']): void {
    for (const [key, node] of nodes) this.#nodes.set(key, node)
  }

  getMany(paths: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const keys = paths.map(bytesToKey)
    const below = this.#base.getMany(paths.filter((_, index) => !this.#nodes.has(keys[index] as string)))
    let at = 0
    return keys.map((key) => (this.#nodes.has(key) ? this.#nodes.get(key) : below[at++]))
  }
}
