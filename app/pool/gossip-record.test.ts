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
const HALF = COMET_MEMPOOL_TRANSACTIONS / 2
const entryOf = (bytes: number) => ({ raw: { length: bytes } }) as unknown as PoolEntry

it('other families take half of its places, and half of its bytes', () => {
  const record = new GossipRecord({} as Pool, WORLD)
  const many = Array.from({ length: HALF }, () => entryOf(100))
  for (const entry of many) {
    expect(record.hasRoom(entry)).toBe(true)
    record.keep(entry)
  }
  const more = entryOf(100)
  expect(record.hasRoom(more)).toBe(false)
  expect(record.hasRoom(many[7] as PoolEntry)).toBe(true)
  record.delete(many[7] as PoolEntry, true)
  expect(record.hasRoom(more)).toBe(true)
  record.clear()

  const large = entryOf(COMET_MEMPOOL_BYTES / 2 - 100)
  record.keep(large)
  record.keep(large)
  expect([record.hasRoom(entryOf(100)), record.hasRoom(entryOf(101))]).toEqual([true, false])
  record.giveBack(large)
  expect(record.hasRoom(entryOf(101))).toBe(true)
})

it('a place is free once CometBFT has asked again after what left the pool, and at once where a block took it', () => {
  const record = new GossipRecord({} as Pool, WORLD)
  const many = Array.from({ length: HALF }, () => entryOf(100))
  for (const entry of many) record.keep(entry)
  const [displaced, included] = many as [PoolEntry, PoolEntry]
  const more = entryOf(100)
  record.delete(displaced, false)
  expect(record.hasRoom(more)).toBe(false)
  // The block is committed, and CometBFT asks of all that it holds.
  record.settle(1)
  expect(record.hasRoom(more)).toBe(false)
  record.settle(2)
  expect(record.hasRoom(more)).toBe(true)
  record.keep(more)
  expect(record.hasRoom(entryOf(100))).toBe(false)
  record.delete(included, true)
  expect(record.hasRoom(entryOf(100))).toBe(true)
})

it('orders take no more than the half that is for orders, whoever has sent them', () => {
  const gossip = new OrderGossip({} as OrderPool, WORLD)
  const orderOf = (rank: number) => ({ rank, raw: { length: 300 } }) as PooledOrder
  const many = Array.from({ length: HALF }, (_, index) => orderOf(index % 3))
  for (const order of many) {
    expect(gossip.mayKeep(order)).toBe(true)
    gossip.keep(order)
  }
  expect([0, 1, 2].map((rank) => gossip.mayKeep(orderOf(rank)))).toEqual([false, false, false])
  const [displaced, included] = many as [PooledOrder, PooledOrder]
  gossip.delete(displaced, 'displaced')
  gossip.settle(1)
  expect(gossip.mayKeep(orderOf(2))).toBe(false)
  // Somebody waits for a place: all that CometBFT lacks is offered with the next block.
  expect([gossip.isDue(), gossip.isDue()]).toEqual([true, false])
  gossip.settle(2)
  expect(gossip.mayKeep(orderOf(2))).toBe(true)
  gossip.keep(displaced)
  // Past its good_til_block it is refused, and gone from CometBFT at once.
  const expired = many[2] as PooledOrder
  gossip.refuse(expired)
  expect(gossip.mayKeep(orderOf(2))).toBe(true)
  gossip.keep(expired)
  gossip.delete(included, 'included')
  expect(gossip.mayKeep(orderOf(2))).toBe(true)
})
