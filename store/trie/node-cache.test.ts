import { describe, expect, it } from 'vitest'
import { bytesToKey } from '../../core/bytes.ts'
import { openMemoryStore } from '../memory/memory-store.ts'
import { seededRandom } from '../testing/seeded-random.ts'
import { TrieNodeCache } from './node-cache.ts'

describe('TrieNodeCache', () => {
  it('answers as the store does, whatever is written, deleted and dropped in between', () => {
    const pick = seededRandom(1)
    const store = openMemoryStore()
    // Room for about a third of the nodes.
    const cache = new TrieNodeCache(store, 20 * 500)
    for (let round = 0; round < 300; round++) {
      const batch = store.batch()
      const changes = new Map<string, Uint8Array | undefined>()
      for (let i = 0; i < pick(10); i++) {
        const key = Uint8Array.of(65, pick(60))
        const node = pick(4) === 0 ? undefined : new Uint8Array(33 + pick(100)).fill(pick(256))
        if (node === undefined) batch.delete('trie', key)
        else batch.put('trie', key, node)
        changes.set(bytesToKey(key), node)
      }
      store.write(batch, { sync: false })
      for (const [key, node] of changes) cache.note(key, node)
      const keys = Array.from({ length: 20 }, () => Uint8Array.of(65, pick(60)))
      expect(cache.getMany(keys)).toEqual(store.getMany('trie', keys))
    }
  })
})
