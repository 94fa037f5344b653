import { expect, it } from 'vitest'
import { ownerPrefix } from '../../app/clob-history/keys.ts'
import { HISTORY_COLUMN } from '../../app/clob-history/write-history.ts'
import { concatBytes, uint32ToBytes, uint64ToBytes } from '../../core/bytes.ts'
import type { KeyValueStore, Range } from '../../store/store.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { HistoryReader } from './history-reader.ts'

const OWNER = new Uint8Array(20).fill(7)

/** Opens a history of one owner, with orders of market 1 alone. */
const open = (orders: number): { readonly store: KeyValueStore; readonly scans: () => number } => {
  const store = openMemoryStore()
  const batch = store.batch()
  for (let seq = 0; seq < orders; seq++) {
    batch.put(HISTORY_COLUMN, concatBytes(ownerPrefix(OWNER), uint64ToBytes(seq)), uint32ToBytes(1))
  }
  store.write(batch, { sync: false })
  let scans = 0
  const scan: KeyValueStore['scan'] = (column, range: Range) => {
    scans++
    return store.scan(column, range)
  }
  return {
    store: new Proxy(store, { get: (of, name) => (name === 'scan' ? scan : Reflect.get(of, name)) }),
    scans: () => scans,
  }
}

it('a page on which nothing is wanted is looked for in long scans, and ends', () => {
  const { store, scans } = open(6_000)
  const { items, next } = new HistoryReader(store).orders(OWNER, 2, { before: undefined, limit: 1 }, () => true)
  expect(items).toEqual([])
  expect(next).toEqual(uint64ToBytes(1_000))
  expect(scans()).toBeLessThanOrEqual(1 + Math.ceil(5_000 / 64))
})

it('whoever waits no more ends the search between two scans', () => {
  const { store, scans } = open(1_000)
  let left = 3
  const interrupt = (): void => {
    if (left-- === 0) throw new RangeError('nobody waits')
  }
  const reader = new HistoryReader(store, interrupt)
  expect(() => reader.orders(OWNER, 2, { before: undefined, limit: 1 }, () => true)).toThrow('nobody waits')
  expect(scans()).toBe(3)
})
