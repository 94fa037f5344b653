/** The history of orders on chains full of turmoil: whatever is done to it, it is that of the blocks, and it fits the book. */
import { describe, expect, it } from 'vitest'
import { HistoryFollower } from '../../app/clob-history/follow.ts'
import { ownerOrderKey } from '../../app/clob-history/keys.ts'
import { lotsLeft } from '../../app/clob-history/order-entry.ts'
import { HISTORY_COLUMN, readCursor } from '../../app/clob-history/write-history.ts'
import { beginRollback, finishRollback, planRollback } from '../../app/rollback.ts'
import { BlockPruner } from '../../app/index/prune-blocks.ts'
import { readCommittedBlock } from '../../app/feed/committed-block.ts'
import { ChainReader } from '../../app/index/chain-reader.ts'
import { readHappening } from '../../app/clob-history/happenings.ts'
import { HistoryReader } from '../../query/clob-history/history-reader.ts'
import { concatBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { readBaseHeight, writeBaseHeight } from '../../store/base-height.ts'
import { scanAll } from './oracle.ts'
import { OrderChain } from './orders/order-chain.ts'
import { type Random, seeded } from './random.ts'
import type { SimNode } from './sim-node.ts'

const BLOCKS = 25
const KEPT_BLOCKS = 6
const MAX_STEPS = 10_000
const LIMIT_MS = 60_000
const NODES = [{ name: 'a' }] as const

const grow = async (random: Random, blocks: number, nodes: readonly object[] = NODES): Promise<OrderChain> => {
  const named = nodes.map((node, index) => ({ name: `n${index}`, ...node }))
  const chain = await OrderChain.open({ random, nodes: named, extensionsFrom: 1 })
  for (let i = 0; i < blocks; i++) await chain.turmoil()
  return chain
}

const storeOf = ({ world }: OrderChain, index = 0): KeyValueStore => (world.nodes[index] as SimNode).store

const follow = (store: KeyValueStore, follower = new HistoryFollower(store)): void => {
  for (let steps = 0; follower.step().isMore; steps++) expect(steps).toBeLessThan(MAX_STEPS)
}

const dump = (store: KeyValueStore): unknown => scanAll(store, HISTORY_COLUMN)

/** As a new node makes it. */
const madeAnew = (store: KeyValueStore): unknown => {
  const batch = store.batch()
  for (const [key] of store.scan(HISTORY_COLUMN, { limit: 1_000_000 })) batch.delete(HISTORY_COLUMN, key)
  store.write(batch, { sync: false })
  follow(store)
  return dump(store)
}

/** Every order that the history calls open is in the book with as much left, and the reverse. */
const expectFitsBook = (chain: OrderChain): number => {
  const node = chain.world.nodes[0] as SimNode
  const reader = new HistoryReader(node.store)
  const inBook = new Map<string, number>()
  for (const market of node.application.source.books().markets()) {
    for (const order of market.orders.values()) inBook.set(`${market.id} ${order.seq}`, order.left)
  }
  const open = new Map<string, number>()
  for (const owner of chain.traders.addresses) {
    const every = { before: undefined, limit: 100_000 }
    for (const order of reader.orders(owner, 0, every, () => true).items) {
      if (lotsLeft(order) > 0) open.set(`${order.market} ${order.seq}`, lotsLeft(order))
    }
  }
  expect(open).toEqual(inBook)
  return inBook.size
}

class Cut extends Error {}

/** A store whose write number `left` never happens. */
const cutAt = (store: KeyValueStore, left: number): KeyValueStore => {
  let writes = left
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'write') {
        return (...parameters: Parameters<KeyValueStore['write']>) => {
          if (writes-- === 0) throw new Cut()
          target.write(...parameters)
        }
      }
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

describe('the history of orders', () => {
  it(
    'fits the book after every block, and is the same when it is made of the blocks at once',
    seeded(1901, async (random) => {
      const chain = await grow(random, 0)
      const store = storeOf(chain)
      const follower = new HistoryFollower(store)
      let mostOpen = 0
      for (let i = 0; i < BLOCKS; i++) {
        await chain.turmoil()
        if (random.chance(30)) continue
        follow(store, random.chance(20) ? new HistoryFollower(store) : follower)
        expect(readCursor(store)?.height).toBe(chain.world.driver.height)
        mostOpen = Math.max(mostOpen, expectFitsBook(chain))
      }
      follow(store, follower)
      expect(mostOpen).toBeGreaterThan(5)
      const made = dump(store)
      expect(madeAnew(store)).toEqual(made)
      await chain.world.close()
    }),
    LIMIT_MS,
  )

  it(
    'is whole wherever it was killed',
    seeded(1902, async (random) => {
      const chain = await grow(random, BLOCKS)
      const store = storeOf(chain)
      const expected = madeAnew(store)
      // It is begun anew with a cursor of another chain, so that forgetting is killed, too.
      for (let at = 0; at < 2 * BLOCKS; at++) {
        const cursor = store.scan(HISTORY_COLUMN, { limit: 1 })[0]
        invariant(cursor !== undefined, 'there is a history')
        const batch = store.batch()
        batch.put(HISTORY_COLUMN, cursor[0], concatBytes(cursor[1].subarray(0, 16), new Uint8Array(32)))
        store.write(batch, { sync: false })
        for (let left = at % 7; ; left = random.below(9)) {
          try {
            follow(cutAt(store, left))
            break
          } catch (error) {
            if (!(error instanceof Cut)) throw error
          }
        }
        expect(dump(store)).toEqual(expected)
      }
      await chain.world.close()
    }),
    LIMIT_MS,
  )

  it(
    'is that of the new blocks after a rollback',
    seeded(1903, async (random) => {
      for (const isSeen of [false, true]) {
        const chain = await grow(random, BLOCKS)
        const node = chain.world.nodes[0] as SimNode
        follow(node.store)
        const plan = planRollback(node.store, BLOCKS - 5)
        beginRollback(node.store, plan)
        finishRollback(node.store, plan)
        await node.restart()
        if (isSeen) follow(node.store)
        const blocks = chain.world.driver.decided.slice(BLOCKS - 5)
        for (const { block, response } of blocks) {
          expect(await node.application.finalizeBlock(block)).toEqual(response)
          await node.application.commit()
        }
        follow(node.store)
        const made = dump(node.store)
        expect(madeAnew(node.store)).toEqual(made)
        await chain.world.close()
      }
    }),
    LIMIT_MS,
  )

  it(
    'loses fills and ended orders with their blocks, keeps candles and open orders, and names no order that it has not',
    seeded(1904, async (random) => {
      const chain = await grow(random, 0, [{}, {}])
      const [whole, pruned] = [storeOf(chain, 0), storeOf(chain, 1)]
      const pruner = new BlockPruner(pruned)
      const follower = new HistoryFollower(pruned)
      for (let i = 0; i < 2 * BLOCKS; i++) {
        await chain.turmoil()
        follow(pruned, follower)
        const batch = pruned.batch()
        writeBaseHeight(batch, Math.max(0, chain.world.driver.height - KEPT_BLOCKS))
        pruned.write(batch, { sync: false })
        while (pruner.step(3) > 0);
      }
      follow(pruned, follower)
      follow(whole)
      const base = readBaseHeight(pruned)
      const [all, kept] = [new HistoryReader(whole), new HistoryReader(pruned)]
      const every = { before: undefined, limit: 100_000 }
      const markets = [1, 2, 3]
      let gone = 0
      for (const market of markets) {
        const trades = all.trades(market, every).items
        expect(kept.trades(market, every).items).toEqual(trades.filter(({ height }) => height >= base))
        gone += trades.filter(({ height }) => height < base).length
        expect(kept.candles(market, 60, { fromS: 0, toS: undefined, limit: 100_000 })).toEqual(
          all.candles(market, 60, { fromS: 0, toS: undefined, limit: 100_000 }),
        )
      }
      expect(gone).toBeGreaterThan(5)
      const orders = chain.traders.addresses.flatMap((owner) => all.orders(owner, 0, every, () => true).items)
      for (const order of orders) {
        const isKept = lotsLeft(order) > 0 || order.changedHeight >= base
        expect(kept.order(order.market, order.seq)).toEqual(isKept ? order : undefined)
        const { owner, clientId } = order
        if (clientId.length === 0) continue
        const named = kept.orderByClientId(owner, clientId)
        const newest = all.orderByClientId(owner, clientId)
        invariant(newest !== undefined, 'the whole history knows every id')
        expect(named).toEqual(kept.order(newest.market, newest.seq))
      }
      // No key is left of an order that is gone.
      for (const { owner, market, seq } of orders) {
        const isKept = kept.order(market, seq) !== undefined
        expect(pruned.get(HISTORY_COLUMN, ownerOrderKey(owner, seq)) !== undefined).toBe(isKept)
      }
      await chain.world.close()
    }),
    LIMIT_MS,
  )

  it(
    'has each fill of the blocks once, in pages of any size',
    seeded(1905, async (random) => {
      const chain = await grow(random, BLOCKS)
      const store = storeOf(chain)
      follow(store)
      const blocks = new ChainReader(store)
      const fills: { readonly market: number; readonly sequence: number }[] = []
      for (let height = 1; height <= chain.world.driver.height; height++) {
        const block = readCommittedBlock(blocks, height)
        if (block === undefined) continue
        const events = [...[...block.transactions(0)].flatMap(({ result }) => result.events), ...block.events]
        for (const event of events) {
          const happening = readHappening(event)
          if (happening?.kind === 'fill') fills.push(happening)
        }
      }
      const reader = new HistoryReader(store)
      for (const market of new Set(fills.map((fill) => fill.market))) {
        const expected = fills.filter((fill) => fill.market === market).map(({ sequence }) => sequence)
        const limit = 1 + random.below(7)
        const read: number[] = []
        for (let before: Uint8Array | undefined; ; ) {
          const { items, next } = reader.trades(market, { before, limit })
          read.push(...items.map(({ sequence }) => sequence))
          if (next === undefined) break
          expect(items.length).toBe(limit)
          before = next
        }
        expect(read).toEqual(expected.toReversed())
      }
      expect(fills.length).toBeGreaterThan(10)
      await chain.world.close()
    }),
    LIMIT_MS,
  )
})
