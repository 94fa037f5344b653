import { describe, expect, it } from 'vitest'
import { bytesToKey, compareBytes, equalBytes, keyToBytes } from '../core/bytes.ts'
import { COLUMNS, type Column, type Entry, type KeyValueStore, type Range } from './store.ts'
import { BACKENDS } from './testing/backends.ts'
import { seededRandom, type Pick } from './testing/seeded-random.ts'

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)

const put = (store: KeyValueStore, column: Column, entries: readonly (readonly [Uint8Array, Uint8Array])[]): void => {
  const batch = store.batch()
  for (const [key, value] of entries) batch.put(column, key, value)
  store.write(batch, { sync: false })
}

/** A column as a plain map, sorted when asked. */
class Model {
  readonly map = new Map<string, Uint8Array>()

  sorted(): Entry[] {
    return [...this.map].map(([key, value]): Entry => [keyToBytes(key), value]).sort(([a], [b]) => compareBytes(a, b))
  }

  scan({ gte, lt, reverse, limit }: Range): Entry[] {
    const inRange = this.sorted().filter(
      ([key]) => (gte === undefined || compareBytes(key, gte) >= 0) && (lt === undefined || compareBytes(key, lt) < 0),
    )
    return (reverse === true ? inRange.reverse() : inRange).slice(0, limit)
  }
}

/** Short keys of few values, so that they meet, with 0x00 and 0xff among them. */
const randomKey = (pick: Pick): Uint8Array =>
  Uint8Array.from({ length: 1 + pick(4) }, () => [0, 1, 2, 127, 128, 254, 255][pick(7)] as number)

const randomRange = (pick: Pick): Range => ({
  ...(pick(4) === 0 ? {} : { gte: randomKey(pick) }),
  ...(pick(4) === 0 ? {} : { lt: randomKey(pick) }),
  ...(pick(3) === 0 ? {} : { reverse: pick(2) === 0 }),
  limit: pick(3) === 0 ? 1000 : pick(6),
})

const asHex = (entries: readonly Entry[]): string[] =>
  entries.map(([key, value]) => `${Buffer.from(key).toString('hex')}=${Buffer.from(value).toString('hex')}`)

describe.each(BACKENDS)('the $name store', ({ withStore }) => {
  it('answers as a sorted map does over a random sequence, in every column', async () => {
    await withStore((store) => {
      const pick = seededRandom(1)
      const models = new Map(COLUMNS.map((column) => [column, new Model()]))
      for (let round = 0; round < 400; round++) {
        const batch = store.batch()
        const count = pick(12)
        for (let i = 0; i < count; i++) {
          const column = COLUMNS[pick(COLUMNS.length)] as Column
          const key = randomKey(pick)
          const value = Uint8Array.from({ length: pick(40) }, () => pick(256))
          if (pick(3) === 0) {
            batch.delete(column, key)
            models.get(column)?.map.delete(bytesToKey(key))
          } else {
            batch.put(column, key, value)
            models.get(column)?.map.set(bytesToKey(key), value)
          }
        }
        expect(batch.size).toBe(count)
        store.write(batch, { sync: pick(20) === 0 })
        const column = COLUMNS[pick(COLUMNS.length)] as Column
        const model = models.get(column) as Model
        const keys = Array.from({ length: 8 }, () => randomKey(pick))
        const expected = keys.map((key) => model.map.get(bytesToKey(key)))
        expect(store.getMany(column, keys)).toEqual(expected)
        expect(keys.map((key) => store.get(column, key))).toEqual(expected)
        const range = randomRange(pick)
        expect(asHex(store.scan(column, range))).toEqual(asHex(model.scan(range)))
        const from = randomKey(pick)
        const cursor = store.cursor(column)
        const walked: Entry[] = []
        for (let entry = cursor.seek(from); entry !== undefined; entry = cursor.next()) walked.push(entry)
        expect(cursor.next()).toBeUndefined()
        cursor.close()
        expect(asHex(walked)).toEqual(asHex(model.scan({ gte: from, limit: 1000 })))
      }
    })
  })

  it('gives plain byte arrays that stay as they are', async () => {
    await withStore((store) => {
      const key = bytes(1, 2)
      const value = bytes(3, 4)
      put(store, 'state', [[key, value]])
      key[0] = 9
      value[0] = 9
      const read = [
        store.get('state', bytes(1, 2)),
        store.getMany('state', [bytes(1, 2)])[0],
        store.scan('state', { limit: 1 })[0]?.[1],
      ]
      put(store, 'state', [[bytes(1, 2), bytes(7, 7)]])
      for (const held of read) {
        expect(held).toEqual(bytes(3, 4))
        expect(Object.getPrototypeOf(held)).toBe(Uint8Array.prototype)
      }
      expect(Object.getPrototypeOf(store.scan('state', { limit: 1 })[0]?.[0])).toBe(Uint8Array.prototype)
    })
  })

  it('tells an empty value from none, and takes an empty bound', async () => {
    await withStore((store) => {
      put(store, 'state', [[bytes(5), bytes()]])
      expect(store.get('state', bytes(5))).toEqual(bytes())
      expect(store.get('state', bytes(6))).toBeUndefined()
      expect(store.getMany('state', [])).toEqual([])
      expect(store.scan('state', { gte: bytes(), limit: 9 })).toHaveLength(1)
      expect(store.scan('state', { lt: bytes(), limit: 9 })).toEqual([])
      expect(store.scan('state', { limit: 0 })).toEqual([])
      const cursor = store.cursor('state')
      expect(cursor.seek(bytes())).toEqual([bytes(5), bytes()])
      cursor.close()
      const unmoved = store.cursor('state')
      expect(unmoved.next()).toEqual([bytes(5), bytes()])
      unmoved.close()
    })
  })

  it('keeps a cursor on the view it was opened on, through read-ahead and seeks', async () => {
    await withStore((store) => {
      const entries = Array.from({ length: 500 }, (_, i) => [bytes(i >> 8, i & 255), bytes(i & 255)] as const)
      put(store, 'history', entries)
      const cursor = store.cursor('history')
      expect(cursor.seek(bytes(0, 10))?.[1]).toEqual(bytes(10))
      const batch = store.batch()
      for (let i = 0; i < 500; i += 2) batch.delete('history', bytes(i >> 8, i & 255))
      for (let i = 1; i < 500; i += 2) batch.put('history', bytes(i >> 8, i & 255), bytes(0, 0))
      store.write(batch, { sync: false })
      for (let i = 11; i < 500; i++) expect(cursor.next()).toEqual([bytes(i >> 8, i & 255), bytes(i & 255)])
      expect(cursor.next()).toBeUndefined()
      expect(cursor.seek(bytes(0, 4))).toEqual([bytes(0, 4), bytes(4)])
      cursor.close()
      const fresh = store.cursor('history')
      expect(fresh.seek(bytes(0, 4))).toEqual([bytes(0, 5), bytes(0, 0)])
      fresh.close()
    })
  })

  it('applies the last of several operations on a key, and a batch in all columns or not at all', async () => {
    await withStore((store) => {
      const batch = store.batch()
      batch.put('state', bytes(1), bytes(1))
      batch.delete('state', bytes(1))
      batch.put('meta', bytes(1), bytes(2))
      batch.put('meta', bytes(1), bytes(3))
      expect(store.get('meta', bytes(1))).toBeUndefined()
      store.write(batch, { sync: true })
      expect(store.get('state', bytes(1))).toBeUndefined()
      expect(store.get('meta', bytes(1))).toEqual(bytes(3))
    })
  })

  it('takes a batch once, and begins the next one empty', async () => {
    await withStore((store) => {
      const batch = store.batch()
      batch.put('state', bytes(1), bytes(1))
      const other = store.batch()
      other.put('state', bytes(2), bytes(2))
      store.write(batch, { sync: false })
      expect(() => batch.put('state', bytes(3), bytes(3))).toThrow('after it was written')
      expect(() => batch.delete('state', bytes(3))).toThrow('after it was written')
      expect(() => store.write(batch, { sync: false })).toThrow('after it was written')
      put(store, 'state', [[bytes(4), bytes(4)]])
      expect(store.scan('state', { limit: 9 }).map(([key]) => key[0])).toEqual([1, 4])
      store.write(other, { sync: false })
      expect(store.scan('state', { limit: 9 }).map(([key]) => key[0])).toEqual([1, 2, 4])
    })
  })

  it('raises its sequence number with every write and not otherwise', async () => {
    await withStore((store) => {
      const first = store.sequence()
      put(store, 'blocks', [[bytes(1), bytes(1)]])
      const second = store.sequence()
      expect(second).toBeGreaterThan(first)
      store.get('blocks', bytes(1))
      store.cursor('blocks').close()
      expect(store.sequence()).toBe(second)
    })
  })

  it('refuses to be used after it was closed', async () => {
    await withStore((store) => {
      const cursor = store.cursor('state')
      cursor.close()
      expect(() => cursor.seek(bytes(1))).toThrow('closed')
      store.close()
      expect(() => store.get('state', bytes(1))).toThrow('closed')
      expect(() => store.cursor('state')).toThrow('closed')
    })
  })

  it('holds 100,000 keys', async () => {
    await withStore((store) => {
      const keyOf = (i: number): Uint8Array => bytes((i * 7) & 255, i >> 16, (i >> 8) & 255, i & 255)
      for (let from = 0; from < 100_000; from += 10_000) {
        put(
          store,
          'index',
          Array.from({ length: 10_000 }, (_, i) => [keyOf(from + i), keyOf(i)] as const),
        )
      }
      const all = store.scan('index', { limit: 200_000 })
      expect(all).toHaveLength(100_000)
      expect(all.every(([key], i) => i === 0 || compareBytes((all[i - 1] as Entry)[0], key) < 0)).toBe(true)
      expect(equalBytes(store.get('index', keyOf(54_321)) ?? bytes(), keyOf(4_321))).toBe(true)
    })
  })
})
