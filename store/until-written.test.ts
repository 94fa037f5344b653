import { describe, expect, it } from 'vitest'
import { readBaseHeight, writeBaseHeight } from './base-height.ts'
import { EVERYTHING_KEPT, readKeptRange, writeKeptRange } from './kept-range.ts'
import type { KeyValueStore } from './store.ts'
import { BACKENDS } from './testing/backends.ts'
import { readUntilWritten } from './until-written.ts'

const KEY = new Uint8Array([1])

const put = (store: KeyValueStore, value: number): void => {
  const batch = store.batch()
  batch.put('meta', KEY, new Uint8Array([value]))
  store.write(batch, { sync: false })
}

describe.each(BACKENDS)('what is read until something is written ($name)', ({ withStore }) => {
  it('reads once between two writes, and after each write', async () => {
    await withStore((store) => {
      let reads = 0
      const read = readUntilWritten((from) => {
        reads++
        return from.get('meta', KEY)?.[0]
      })
      expect([read(store), read(store)]).toEqual([undefined, undefined])
      expect(reads).toBe(1)
      put(store, 7)
      expect([read(store), read(store), reads]).toEqual([7, 7, 2])
      put(store, 8)
      expect([read(store), reads]).toEqual([8, 3])
    })
  })

  it('misses nothing that is written while it reads', async () => {
    await withStore((store) => {
      let isWriting = true
      const read = readUntilWritten((from) => {
        const value = from.get('meta', KEY)?.[0]
        if (isWriting) put(from, 9)
        isWriting = false
        return value
      })
      expect(read(store)).toBeUndefined()
      expect(read(store)).toBe(9)
    })
  })

  it('keeps what it knows of two stores apart', async () => {
    await withStore(async (first) => {
      await withStore((second) => {
        const read = readUntilWritten((from) => from.get('meta', KEY)?.[0])
        put(first, 1)
        put(second, 2)
        expect([read(first), read(second), read(first)]).toEqual([1, 2, 1])
      })
    })
  })

  it('tells which heights are kept and where blocks begin as soon as that is written', async () => {
    await withStore((store) => {
      expect([readKeptRange(store), readBaseHeight(store)]).toEqual([EVERYTHING_KEPT, 0])
      const batch = store.batch()
      const kept = { from: 40, interval: 10, sparseFrom: 20 }
      writeKeptRange(batch, kept)
      writeBaseHeight(batch, 30)
      expect([readKeptRange(store), readBaseHeight(store)]).toEqual([EVERYTHING_KEPT, 0])
      store.write(batch, { sync: true })
      expect([readKeptRange(store), readBaseHeight(store)]).toEqual([kept, 30])
    })
  })
})
