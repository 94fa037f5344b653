/** How CometBFT's mempool is shared between the order book and all others. */
import { expect, it } from 'vitest'
import { OrderGossip } from '../orders/order-gossip.ts'
import type { OrderPool } from '../orders/pool.ts'
import type { PooledOrder } from '../orders/pooled-order.ts'
import type { PoolEntry } from './entry.ts'
import { GossipRecord } from './gossip-record.ts'
import { COMET_MEMPOOL_BYTES, COMET_MEMPOOL_TRANSACTIONS } from './limits.ts'
import type { Pool } from './pool.ts'

const WORLD = {
  gossip: { offer: () => undefined },
  consensusStatus: () => ({ catchingUp: false, peers: 3, highestHeight: 0 }),
}
const entryOf = (bytes: number) => ({ raw: { length: bytes } }) as unknown as PoolEntry

it('other families take half of its places, and half of its bytes', () => {
  const record = new GossipRecord({} as Pool, WORLD)
  const many = Array.from({ length: COMET_MEMPOOL_TRANSACTIONS / 2 }, () => entryOf(100))
  for (const entry of many) {
    expect(record.hasRoom(entry)).toBe(true)
    record.keep(entry)
  }
  const more = entryOf(100)
  expect(record.hasRoom(more)).toBe(false)
  expect(record.hasRoom(many[7] as PoolEntry)).toBe(true)
  record.delete(many[7] as PoolEntry)
  expect(record.hasRoom(more)).toBe(true)
  record.clear()

  const large = entryOf(COMET_MEMPOOL_BYTES / 2 - 100)
  record.keep(large)
  record.keep(large)
  expect([record.hasRoom(entryOf(100)), record.hasRoom(entryOf(101))]).toEqual([true, false])
  record.giveBack(large)
  expect(record.hasRoom(entryOf(101))).toBe(true)
})

it('orders of owners without funds take no more than the half that is for orders', () => {
  const gossip = new OrderGossip({} as OrderPool, WORLD)
  const orderOf = (isFunded: boolean) => ({ rank: isFunded ? 1 : 0 }) as PooledOrder
  for (let count = 0; count < COMET_MEMPOOL_TRANSACTIONS / 2; count++) {
    expect(gossip.mayKeep(orderOf(false))).toBe(true)
    gossip.keep(orderOf(false))
  }
  expect([gossip.mayKeep(orderOf(false)), gossip.mayKeep(orderOf(true))]).toEqual([false, true])
})
