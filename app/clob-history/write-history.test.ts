import { describe, expect, it } from 'vitest'
import { readUint64 } from '../../core/bytes.ts'
import type { OpenOrder } from '../../modules/clob/index.ts'
import type { Event } from '../../modules/module.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { forgetBlocks } from './forget.ts'
import { clientIdKey, fillPrefix, heightPrefix, labelKey, orderKey, ownerOrderKey } from './keys.ts'
import { decodeOrderEntry } from './order-entry.ts'
import { blockOf, filled, OWNER, placed, removed } from './testing/blocks.ts'
import { HISTORY_COLUMN, readCursor, wholeHeight, writeHistory } from './write-history.ts'

/** The weight of a block lets no more than so many actions into it that do not take. */
const FULL = 39_001
const MOST_CHANGES = 20_000

const every = (count: number, make: (seq: number) => Event): Event[] =>
  Array.from({ length: count }, (_, index) => make(index + 1))

const storeWith = (beforeWrite: (changes: number) => void): KeyValueStore => {
  const store = openMemoryStore()
  const write = store.write.bind(store)
  store.write = (batch, options) => {
    beforeWrite(batch.size)
    write(batch, options)
  }
  return store
}

const count = (store: KeyValueStore): number => store.scan(HISTORY_COLUMN, { limit: 1_000_000 }).length

describe('writing the history', () => {
  it('leaves a name to the newer order, whatever happens to one that is older than the history', () => {
    const store = openMemoryStore()
    const id = Uint8Array.of(7)
    const old: OpenOrder = {
      ...{ market: 2, seq: 1, owner: OWNER, subaccount: 0, side: 'buy', tif: 'gtc', priceTicks: 9, lots: 10, left: 4 },
      ...{ lockedPpm: 0, clientId: id, expireS: 0, triggerTicks: 0, triggerKind: 'none', maxFills: 20 },
      ...{ stp: 'cancel_maker', postOnlyMode: 'reject' },
    }
    const nameOf = (): number | undefined => {
      const value = store.get(HISTORY_COLUMN, clientIdKey(OWNER, id))
      return value === undefined ? undefined : readUint64(value, 4)
    }
    const before = (market: number, seq: number) => (market === 2 && seq === 1 ? old : undefined)
    writeHistory(store, blockOf(1, [placed(7, { client_id: '07' })]), undefined, before)
    expect(nameOf()).toBe(7)
    // In the same write as its own, and in a later one.
    writeHistory(store, blockOf(2, [placed(8, { client_id: '07' }), removed(1, 3, 2)]), undefined, before)
    expect(nameOf()).toBe(8)
    writeHistory(store, blockOf(3, []))
    while (forgetBlocks(store, 3));
    expect(nameOf()).toBe(8)
  })

  it('takes the fullest block in and forgets it again, in writes of bounded size', () => {
    const changes: number[] = []
    const store = storeWith((size) => changes.push(size))
    writeHistory(
      store,
      blockOf(
        1,
        every(FULL, (seq) => placed(seq)),
      ),
    )
    writeHistory(
      store,
      blockOf(
        2,
        every(FULL, (seq) => removed(seq, FULL + seq)),
      ),
    )
    expect(readCursor(store)).toMatchObject({ height: 2, taken: 0 })
    const key = orderKey(1, FULL)
    expect(decodeOrderEntry(1, FULL, store.get(HISTORY_COLUMN, key) ?? key)).toMatchObject({
      cancelledLots: 5,
      reason: 1,
    })
    while (forgetBlocks(store, 3));
    expect(count(store)).toBe(1)
    expect(Math.max(...changes)).toBeLessThan(MOST_CHANGES)
  })

  it('goes on where it was killed within a block, and takes nothing twice', () => {
    const events = [...every(60, (seq) => placed(seq)), ...every(30, (at) => filled(at, 30 + at, 60 + at))]
    const whole = openMemoryStore()
    writeHistory(whole, blockOf(1, events), 7)
    const expected = whole.scan(HISTORY_COLUMN, { limit: 1_000 })
    const fills = { gte: fillPrefix(1), lt: fillPrefix(2), limit: 100 }
    for (let kills = 1; kills < 10; kills++) {
      let left = kills
      const store = storeWith(() => {
        if (left-- === 0) throw new RangeError('killed')
      })
      expect(() => writeHistory(store, blockOf(1, events), 7)).toThrow('killed')
      const cursor = readCursor(store)
      expect(cursor).toMatchObject({ height: 1, taken: 7 * kills })
      expect(cursor && wholeHeight(cursor)).toBe(0)
      writeHistory(store, blockOf(1, events), 7)
      expect(store.scan(HISTORY_COLUMN, { limit: 1_000 })).toEqual(expected)
      expect(store.scan(HISTORY_COLUMN, fills).length).toBe(30)
    }
  })

  it('keeps an order that was changed in its place, wherever a write ends', () => {
    for (const [before, happeningsAWrite] of [
      [0, 1],
      [1, 2],
      [2, 3],
    ] as const) {
      const store = openMemoryStore()
      writeHistory(store, blockOf(1, [placed(1)]))
      const others = every(before, (at) => placed(100 + at))
      writeHistory(store, blockOf(2, [...others, removed(1, 3), placed(1, { lots: 3 })]), happeningsAWrite)
      while (forgetBlocks(store, 3));
      const value = store.get(HISTORY_COLUMN, orderKey(1, 1))
      expect(value && decodeOrderEntry(1, 1, value)).toMatchObject({ lots: 3, cancelledLots: 0, changedHeight: 2 })
      expect(store.get(HISTORY_COLUMN, ownerOrderKey(OWNER, 1))).toBeDefined()
    }
  })

  it('forgets an id that an order gave up with the block in which it did, unless another order has it', () => {
    const [first, second, taken] = ['00000000000000a1', '00000000000000a2', '00000000000000a3']
    const idKey = (id: string) => clientIdKey(OWNER, Buffer.from(id, 'hex'))
    const store = openMemoryStore()
    writeHistory(store, blockOf(1, [placed(1, { client_id: first }), placed(2, { client_id: taken })]))
    const changes = [removed(1, 3), placed(1, { client_id: second }), removed(2, 5), placed(2, { client_id: 'ff' })]
    writeHistory(store, blockOf(2, [...changes, placed(3, { client_id: taken })]))
    expect(store.get(HISTORY_COLUMN, idKey(first))).toBeDefined()
    while (forgetBlocks(store, 3));
    for (const keyOf of [idKey, (id: string) => labelKey(OWNER, 1, 0, Buffer.from(id, 'hex'))]) {
      const left = [first, second, taken, 'ff'].map((id) => store.get(HISTORY_COLUMN, keyOf(id)) !== undefined)
      expect(left).toEqual([false, true, true, true])
    }
  })

  it('keeps what a block that is pruned did not end', () => {
    const store = openMemoryStore()
    writeHistory(store, blockOf(1, [placed(1), placed(2), removed(1, 3)]))
    while (forgetBlocks(store, 2));
    expect(store.get(HISTORY_COLUMN, orderKey(1, 1))).toBeUndefined()
    expect(store.get(HISTORY_COLUMN, orderKey(1, 2))).toBeDefined()
    expect(store.scan(HISTORY_COLUMN, { gte: heightPrefix(0), lt: heightPrefix(9), limit: 1 })).toEqual([])
  })
})
