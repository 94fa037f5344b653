/** The history of orders on chains full of turmoil: whatever is done to it, it is that of the blocks, and it fits the book. */
import { describe, expect, it } from 'vitest'
import { RESOLUTIONS_S } from '../../app/clob-history/candle.ts'
import { HistoryFollower } from '../../app/clob-history/follow.ts'
import { ownerOrderKey } from '../../app/clob-history/keys.ts'
import { lotsLeft } from '../../app/clob-history/order-entry.ts'
import { HISTORY_COLUMN, readCursor } from '../../app/clob-history/write-history.ts'
import { beginRollback, finishRollback, planRollback } from '../../app/rollback.ts'
import { BlockPruner } from '../../app/index/prune-blocks.ts'
import { readCommittedBlock } from '../../app/feed/committed-block.ts'
import { ChainReader } from '../../app/index/chain-reader.ts'
import {
  type Filled,
  type Happening,
  type Placed,
  readHappening,
  type Removed,
} from '../../app/clob-history/happenings.ts'
import { HistoryReader, type Page, type PageRequest } from '../../query/clob-history/history-reader.ts'
import { concatBytes, equalBytes } from '../../core/bytes.ts'
import type { Address } from '../../core/address.ts'
import { invariant } from '../../core/errors.ts'
import { bytesToHex } from '../../core/hex.ts'
import { CLOB_ERRORS, CLOB_TX_BYTE, codeOf, decodeClobBody, decodeClobResult } from '../../modules/clob/index.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { readBaseHeight, writeBaseHeight } from '../../store/base-height.ts'
import { scanAll } from './oracle.ts'
import { OrderChain } from './orders/order-chain.ts'
import { type Random, seeded } from './random.ts'
import type { SimNode } from './sim-node.ts'

const BLOCKS = 25
const KEPT_BLOCKS = 6
const MAX_STEPS = 10_000
/** Blocks are taken in by several writes. */
const HAPPENINGS_A_WRITE = 3
const NODES = [{ name: 'a' }] as const

const grow = async (random: Random, blocks: number, nodes: readonly object[] = NODES): Promise<OrderChain> => {
  const named = nodes.map((node, index) => ({ name: `n${index}`, ...node }))
  const chain = await OrderChain.open({ random, nodes: named, extensionsFrom: 1 })
  for (let i = 0; i < blocks; i++) await chain.turmoil()
  return chain
}

const storeOf = ({ world }: OrderChain, index = 0): KeyValueStore => (world.nodes[index] as SimNode).store

const followerOf = (store: KeyValueStore): HistoryFollower => new HistoryFollower(store, HAPPENINGS_A_WRITE)

const follow = (store: KeyValueStore, follower = followerOf(store)): void => {
  for (let steps = 0; follower.step().isMore; steps++) expect(steps).toBeLessThan(MAX_STEPS)
}

const dump = (store: KeyValueStore): unknown => scanAll(store, HISTORY_COLUMN)

/** The history as a new node makes it. */
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

interface At {
  readonly height: number
  readonly timeMs: number
}

/** The happenings of all blocks, in their order. */
const happeningsOf = (store: KeyValueStore, head: number): readonly (Happening & At)[] => {
  const blocks = new ChainReader(store)
  const told: (Happening & At)[] = []
  for (let height = 1; height <= head; height++) {
    const block = readCommittedBlock(blocks, height)
    if (block === undefined) continue
    const events = [...[...block.transactions(0)].flatMap(({ result }) => result.events), ...block.events]
    for (const event of events) {
      const happening = readHappening(event)
      if (happening !== undefined) told.push({ ...happening, height, timeMs: Number(block.timeNs / 1_000_000n) })
    }
  }
  return told
}

const UNVERIFIED = [...(['notInPlan', 'phase', 'signature'] as const).map(codeOf), CLOB_ERRORS.codes.notPlanned]

/** The newest placement that failed by owner and id, from the results of all transactions. */
const plainRejections = (store: KeyValueStore, head: number) => {
  const blocks = new ChainReader(store)
  const found = new Map<string, { owner: Address; clientId: Uint8Array; height: number; code: number; lots: number }>()
  for (let height = 1; height <= head; height++) {
    for (const { raw, result } of readCommittedBlock(blocks, height)?.transactions(0) ?? []) {
      if (raw[0] !== CLOB_TX_BYTE || UNVERIFIED.includes(result.code)) continue
      const { owner, actions } = decodeClobBody(raw).tx
      const results = result.code === 0 ? decodeClobResult(result.data).results : actions.map(() => result)
      for (const [at, { code }] of results.entries()) {
        const action = actions[at]
        if (code === 0 || (action?.kind !== 'place' && action?.kind !== 'replace')) continue
        const { clientId, qtyLots: lots } = action.place
        if (clientId.length > 0)
          found.set(bytesToHex(concatBytes(owner, clientId)), { owner, clientId, height, code, lots })
      }
    }
  }
  return [...found.values()]
}

/** Each order by a sum over everything that was told of it. */
const plainOrders = (told: readonly (Happening & At)[]) => {
  const placed = told.filter(({ kind }) => kind === 'placed') as (Placed & At)[]
  return placed.map(({ market, seq, owner, lots, height }) => {
    const ofMarket = told.filter((each) => each.market === market)
    const fills = (ofMarket.filter(({ kind }) => kind === 'fill') as Filled[]).filter(
      ({ makerSeq, takerSeq }) => makerSeq === seq || takerSeq === seq,
    )
    const removals = (ofMarket.filter(({ kind }) => kind === 'removed') as Removed[]).filter((each) => each.seq === seq)
    return {
      ...{ market, seq, owner, lots, height, reason: removals.at(-1)?.reason ?? 0 },
      filledLots: fills.reduce((sum, fill) => sum + fill.lots, 0),
      filledTicks: fills.reduce((sum, fill) => sum + BigInt(fill.lots) * BigInt(fill.priceTicks), 0n),
      cancelledLots: removals.reduce((sum, removal) => sum + removal.lots, 0),
    }
  })
}

const plainCandles = (fills: readonly (Filled & At)[], resolutionS: number) => {
  const spans = Map.groupBy(fills, ({ timeMs }) => Math.floor(timeMs / 1_000 / resolutionS) * resolutionS)
  return [...spans].map(([startS, inside]) => {
    const prices = inside.map(({ priceTicks }) => priceTicks)
    const candle = {
      ...{ openTicks: prices[0], closeTicks: prices.at(-1) },
      ...{ highTicks: Math.max(...prices), lowTicks: Math.min(...prices), trades: prices.length },
      lots: inside.reduce((sum, { lots }) => sum + BigInt(lots), 0n),
      ticks: inside.reduce((sum, { lots, priceTicks }) => sum + BigInt(lots) * BigInt(priceTicks), 0n),
    }
    return { startS, candle }
  })
}

const readPages = <T>(random: Random, read: (page: PageRequest) => Page<T>): readonly T[] => {
  const all: T[] = []
  for (let before: Uint8Array | undefined; ; ) {
    const limit = 1 + random.below(7)
    const { items, next } = read({ before, limit })
    all.push(...items)
    if (next === undefined) return all
    expect(items.length).toBe(limit)
    before = next
  }
}

const keysOf = (fills: readonly { readonly market: number; readonly sequence: number }[]): readonly string[] =>
  fills.map(({ market, sequence }) => `${market} ${sequence}`).toSorted()

describe('the history of orders', () => {
  it(
    'fits the book after every block, and is the same when it is made of the blocks at once',
    seeded(1901, async (random) => {
      const chain = await grow(random, 0)
      const store = storeOf(chain)
      const follower = followerOf(store)
      let mostOpen = 0
      for (let i = 0; i < BLOCKS; i++) {
        await chain.turmoil()
        if (random.chance(30)) continue
        follow(store, random.chance(20) ? followerOf(store) : follower)
        expect(readCursor(store)?.height).toBe(chain.world.driver.height)
        mostOpen = Math.max(mostOpen, expectFitsBook(chain))
      }
      follow(store, follower)
      expect(mostOpen).toBeGreaterThan(5)
      const made = dump(store)
      expect(madeAnew(store)).toEqual(made)
      await chain.world.close()
    }),
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
        batch.put(HISTORY_COLUMN, cursor[0], concatBytes(cursor[1].subarray(0, 20), new Uint8Array(32)))
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
  )

  it(
    'loses fills and ended orders with their blocks, keeps candles and open orders, and names no order that it has not',
    seeded(1904, async (random) => {
      const chain = await grow(random, 0, [{}, {}])
      const [whole, pruned] = [storeOf(chain, 0), storeOf(chain, 1)]
      const pruner = new BlockPruner(pruned)
      const follower = followerOf(pruned)
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
        const there = all.orderByClientId(owner, clientId, order)
        invariant(there?.market === order.market, 'the whole history knows every id by market and subaccount')
        expect(there.seq).toBeGreaterThanOrEqual(order.seq)
        expect(kept.orderByClientId(owner, clientId, order)).toEqual(kept.order(there.market, there.seq))
      }
      // No key is left of an order that is gone.
      for (const { owner, market, seq } of orders) {
        const isKept = kept.order(market, seq) !== undefined
        expect(pruned.get(HISTORY_COLUMN, ownerOrderKey(owner, seq)) !== undefined).toBe(isKept)
      }
      await chain.world.close()
    }),
  )

  it(
    'that begins late has a final word for every order that was open then',
    seeded(1906, async (random) => {
      const chain = await grow(random, 10, [{}, {}])
      const [whole, late] = [storeOf(chain, 0), storeOf(chain, 1)]
      const begins = chain.world.driver.height + 1
      const batch = late.batch()
      writeBaseHeight(batch, begins)
      late.write(batch, { sync: false })
      const pruner = new BlockPruner(late)
      while (pruner.step(3) > 0);
      const follower = followerOf(late)
      const every = { before: undefined, limit: 100_000 }
      const [all, known] = [new HistoryReader(whole), new HistoryReader(late)]
      await chain.turmoil()
      follow(late, follower)
      follow(whole)
      // Before anything happens to them, too, by number, owner and id.
      let quiet = 0
      for (const owner of chain.traders.addresses) {
        for (const order of all.orders(owner, 0, every, (each) => lotsLeft(each) > 0).items) {
          if (order.changedHeight >= begins) continue
          quiet++
          const { market, seq, clientId, lots, side, tif, priceTicks } = order
          const told = known.order(market, seq)
          expect(told).toMatchObject({ owner, market, seq, clientId, lots, side, tif, priceTicks, height: 0 })
          expect(told && lotsLeft(told)).toBe(lotsLeft(order))
          expect(known.orders(owner, market, every, (each) => each.seq === seq).items).toEqual([told])
          if (clientId.length > 0) expect(known.orderByClientId(owner, clientId, order)).toEqual(told)
        }
      }
      expect(quiet).toBeGreaterThan(3)
      for (let i = 1; i < 2 * BLOCKS; i++) {
        await chain.turmoil()
        follow(late, follower)
      }
      follow(whole)
      const orders = chain.traders.addresses.flatMap((owner) => all.orders(owner, 0, every, () => true).items)
      let old = 0
      for (const order of orders) {
        if (order.height >= begins || order.changedHeight < begins) continue
        old++
        const { owner, side, tif, priceTicks, lots, clientId, changedHeight, changedMs } = order
        const told = known.order(order.market, order.seq)
        expect(told).toMatchObject({
          owner,
          side,
          tif,
          priceTicks,
          lots,
          clientId,
          changedHeight,
          changedMs,
          height: 0,
        })
        invariant(told !== undefined, 'it was changed since')
        expect(lotsLeft(told)).toBe(lotsLeft(order))
        expect(told.filledLots + told.cancelledLots).toBe(order.filledLots + order.cancelledLots)
        expect(known.orders(owner, 0, every, ({ seq }) => seq === order.seq).items).toEqual([told])
      }
      expect(old).toBeGreaterThan(3)
      for (const market of [1, 2, 3]) {
        const trades = all.trades(market, every).items.filter(({ height }) => height >= begins)
        // Makers that are older than the history are named, too.
        expect(known.trades(market, every).items).toEqual(trades)
      }
      await chain.world.close()
    }),
  )

  it(
    'is what a plain sum over the events of all blocks gives, in pages of any size',
    seeded(1905, async (random) => {
      const chain = await grow(random, BLOCKS)
      const store = storeOf(chain)
      follow(store)
      const told = happeningsOf(store, chain.world.driver.height)
      const fills = told.filter(({ kind }) => kind === 'fill') as (Filled & At)[]
      const reader = new HistoryReader(store)
      for (const market of new Set(fills.map((fill) => fill.market))) {
        const ofMarket = fills.filter((fill) => fill.market === market)
        const read = readPages(random, (page) => reader.trades(market, page))
        expect(read.map(({ sequence }) => sequence)).toEqual(ofMarket.map(({ sequence }) => sequence).toReversed())
        for (const resolutionS of RESOLUTIONS_S) {
          const candles = reader.candles(market, resolutionS, { fromS: 0, toS: undefined, limit: 100_000 })
          expect(candles).toEqual(plainCandles(ofMarket, resolutionS))
        }
      }
      const orders = plainOrders(told)
      for (const owner of chain.traders.addresses) {
        const own = orders.filter((order) => equalBytes(order.owner, owner))
        const read = readPages(random, (page) => reader.orders(owner, 0, page, () => true))
        // The numbers are given out as orders are accepted.
        expect(read).toMatchObject(own.toReversed())
        const seqs = new Set(own.map(({ seq }) => seq))
        const ownFills = fills.filter(({ makerSeq, takerSeq }) => seqs.has(makerSeq) || seqs.has(takerSeq))
        const readFills = readPages(random, (page) => reader.fills(owner, 0, page))
        expect(keysOf(readFills)).toEqual(keysOf(ownFills))
      }
      const rejections = plainRejections(store, chain.world.driver.height)
      for (const rejection of rejections) {
        expect(reader.rejection(rejection.owner, rejection.clientId)).toMatchObject(rejection)
      }
      expect(rejections.length).toBeGreaterThan(5)
      expect(fills.length).toBeGreaterThan(10)
      expect(orders.filter(({ cancelledLots }) => cancelledLots > 0).length).toBeGreaterThan(5)
      await chain.world.close()
    }),
  )
})
