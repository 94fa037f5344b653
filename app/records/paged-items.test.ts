import { describe, expect, it } from 'vitest'
import { uint64ToBytes } from '../../core/bytes.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { BACKENDS } from '../../store/testing/backends.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { deleteItems, ItemsReader, PAGE_BYTES, putItems, readItems } from './paged-items.ts'

const keyOf = (height: number): Uint8Array => uint64ToBytes(height)

const makeItems = (random: Random): Uint8Array[] => {
  const size = random.pick([0, 1, 100, 5_000, PAGE_BYTES - 1, PAGE_BYTES, PAGE_BYTES + 1])
  const count = random.pick([1, 2, 3, 40, size > 5_000 ? 5 : 400])
  return Array.from({ length: count }, () => random.bytes(random.chance(10) ? random.below(200_000) : size))
}

const write = (store: KeyValueStore, blocks: ReadonlyMap<number, readonly Uint8Array[]>): void => {
  const batch = store.batch()
  for (const [height, items] of blocks) putItems(batch, keyOf(height), items)
  store.write(batch, { sync: false })
}

const held = (store: KeyValueStore): number => store.scan('blocks', { limit: 100_000 }).length

describe.each(BACKENDS)('items in pages ($name)', ({ withStore }) => {
  it(
    'are read one at a time and all in order, whatever their sizes, and go without a trace',
    seeded(77, async (random) => {
      await withStore((store) => {
        const blocks = new Map(Array.from({ length: 24 }, (_, height) => [height, makeItems(random)] as const))
        write(store, blocks)
        expect(held(store)).toBeGreaterThan(3 * blocks.size)
        const reader = new ItemsReader(store, keyOf)
        for (let look = 0; look < 400; look++) {
          const height = random.below(blocks.size)
          const items = blocks.get(height) ?? []
          const index = random.below(items.length + 1)
          expect(reader.at(height, index)).toEqual(items[index])
        }
        for (const [height, items] of blocks) {
          expect([...reader.all(height)]).toEqual(items)
          expect([...readItems(store, keyOf(height))]).toEqual(items)
        }
        const batch = store.batch()
        for (const height of blocks.keys()) if (height !== 7) deleteItems(batch, store, keyOf(height))
        store.write(batch, { sync: false })
        expect([...readItems(store, keyOf(7))]).toEqual(blocks.get(7))
        const last = store.batch()
        deleteItems(last, store, keyOf(7))
        store.write(last, { sync: false })
        expect(held(store)).toBe(0)
      })
    }),
  )

  it('are none where there is no record', async () => {
    await withStore((store) => {
      expect(new ItemsReader(store, keyOf).at(3, 0)).toBeUndefined()
      expect([...readItems(store, keyOf(3))]).toEqual([])
    })
  })

  it('of a large block cost a reader of one of them a page, once', async () => {
    await withStore((store) => {
      const items = Array.from({ length: 2_000 }, (_, index) => new Uint8Array(10_000).fill(index))
      write(store, new Map([[1, items]]))
      let bytes = 0
      const counting: KeyValueStore = Object.assign(Object.create(store) as KeyValueStore, {
        get: (...asked: Parameters<KeyValueStore['get']>) => {
          const value = store.get(...asked)
          bytes += value?.length ?? 0
          return value
        },
      })
      const reader = new ItemsReader(counting, keyOf)
      expect(reader.at(1, 1_234)).toEqual(items[1_234])
      expect(bytes).toBeLessThan(2 * PAGE_BYTES)
      const before = bytes
      expect(reader.at(1, 1_234)).toEqual(items[1_234])
      expect(bytes).toBe(before)
    })
  })
})
