import { expect, it } from 'vitest'
import { encodeAccount } from './account-codec.ts'
import { accountKey, historyKey } from './keys.ts'
import { openMemoryStore } from './memory/memory-store.ts'
import { OpenHeights } from './open-heights.ts'
import { EMPTY_ACCOUNT } from './state.ts'
import type { KeyValueStore } from './store.ts'

const ADDRESS = new Uint8Array(20).fill(7)
const HEAD = 6

/** An account whose nonce was the height at every height below the head. */
const openStore = (): KeyValueStore => {
  const store = openMemoryStore()
  const batch = store.batch()
  const at = (nonce: number): Uint8Array => encodeAccount({ ...EMPTY_ACCOUNT, nonce: BigInt(nonce) })
  batch.put('state', accountKey(ADDRESS), at(HEAD))
  for (let height = 1; height <= HEAD; height++) {
    batch.put('history', historyKey(accountKey(ADDRESS), height), Uint8Array.of(1, ...at(height - 1)))
  }
  store.write(batch, { sync: false })
  return store
}

it('old heights hold no cursor while they rest, and read on after it', () => {
  const store = openStore()
  let open = 0
  const counting: KeyValueStore = {
    get: (column, key) => store.get(column, key),
    getMany: (column, keys) => store.getMany(column, keys),
    scan: (column, range) => store.scan(column, range),
    batch: () => store.batch(),
    write: (batch, options) => store.write(batch, options),
    sequence: () => store.sequence(),
    close: () => store.close(),
    cursor: (column) => {
      const cursor = store.cursor(column)
      open++
      return {
        seek: (key) => cursor.seek(key),
        next: () => cursor.next(),
        close: () => {
          open--
          cursor.close()
        },
      }
    },
  }
  const heights = new OpenHeights(counting, () => HEAD, 3)
  const other = (height: number): Uint8Array => new Uint8Array(20).fill(100 + height)
  for (const height of [1, 2, 3, 4]) expect(heights.stateAt(height).account(ADDRESS)?.nonce).toBe(BigInt(height))
  expect(open).toBe(3)
  heights.rest()
  expect(open).toBe(0)
  for (const height of [2, 3, 4]) {
    expect(heights.stateAt(height).account(ADDRESS)?.nonce).toBe(BigInt(height))
    expect(heights.stateAt(height).account(other(height))).toBeUndefined()
  }
  expect(open).toBe(3)
  heights.close()
  expect(open).toBe(0)
})
