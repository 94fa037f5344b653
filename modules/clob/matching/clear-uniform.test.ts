import { describe, expect, it } from 'vitest'
import { readRecord } from '../keeper/index.ts'
import { Random } from '../../../test/sim/random.ts'
import type { Market } from '../domain/market.ts'
import type { OpenOrder } from '../domain/order.ts'
import type { Place } from '../orders/clob-tx.ts'
import { addressOf, buy, type Sent, sell, World } from './testing/world.ts'

const fundedWorld = (changes: Partial<Market> = {}): World => {
  const world = new World([{ mode: 'uniform', ...changes }])
  for (const name of ['alice', 'bob', 'carol', 'dave']) world.fund(name, { base: 1_000_000n, quote: 1_000_000n })
  return world
}

const send = (from: string, ...actions: Sent['actions']): Sent => ({ from, actions })
const spent = (world: World, name: string): bigint => 1_000_000n - world.balance(name, 'quote')
const priceOf = (world: World): number => readRecord(world.state, 1)?.blockPriceTicks ?? 0

describe('a uniform market', () => {
  it('enters all Places of the block, then fills them at one price', () => {
    const world = fundedWorld()
    const became = world.block(
      send('alice', sell(5, 100), sell(5, 102)),
      send('bob', buy(7, 105)),
      send('carol', buy(2, 101)),
    )
    expect(became.flat()).toMatchObject([1, 2, 3, 4].map((orderSeq) => ({ code: 'ok', orderSeq, filledLots: 0 })))
    // The volume is 5 at 100 and 101, and 7 at 102 and 105: at 102 ten are offered, as at 105, and the lower one is
    // taken.
    expect([priceOf(world), world.open()]).toEqual([102, { 2: 3, 4: 2 }])
    expect([spent(world, 'bob'), spent(world, 'alice')]).toEqual([7n * 102n, -7n * 102n])
    expect(readRecord(world.state, 1)).toMatchObject({ bestBidTicks: 101, bestAskTicks: 102 })
    // These records are no transaction's.
    expect(world.last?.after).toHaveLength(2)
  })

  it('takes the price of the least imbalance among those of the greatest volume', () => {
    const world = fundedWorld()
    world.block(send('alice', sell(4, 100), sell(1, 105), sell(2, 110)), send('bob', buy(5, 110), buy(1, 105)))
    // Volume 4 at 100, 5 at 105 and at 110; at 105 six want five, at 110 five want seven.
    expect(priceOf(world)).toBe(105)
  })

  it('takes the nearest to the last block price among equals, then the lower', () => {
    const equal = (world: World) => world.block(send('alice', sell(5, 100)), send('bob', buy(5, 110)))
    const world = fundedWorld()
    equal(world)
    expect(priceOf(world)).toBe(100)
    world.block(send('alice', sell(1, 300)), send('bob', buy(1, 300)))
    equal(world)
    expect(priceOf(world)).toBe(110)
    world.block(send('alice', sell(1, 105)), send('bob', buy(1, 105)))
    equal(world)
    expect(priceOf(world)).toBe(100)
  })

  it('judges post-only by what rests when it enters, and leaves nothing of an IOC order', () => {
    const world = fundedWorld()
    const post = { tif: 'post_only' } as const
    const became = world.block(
      send('alice', sell(5, 100)),
      send('bob', buy(5, 100, post), buy(5, 99, post), buy(9, 100, { tif: 'ioc' })),
    )
    expect(became[1]?.map(({ code }) => code)).toEqual(['wouldTake', 'ok', 'ok'])
    expect([world.open(), world.escrow('quote')]).toEqual([{ 2: 5 }, 495n])
  })

  it('lets nothing that entered in the block become post-only, or meet more, without paying for it', () => {
    const world = fundedWorld()
    world.act('alice', ...Array.from({ length: 6 }, () => sell(1, 100)))
    const target = { kind: 'seq', orderSeq: 7 } as const
    // Two units of weight: what it takes would be up to 200 fills.
    const { place } = buy(6, 100, { tif: 'post_only', maxFills: 200 }) as { readonly place: Place }
    const became = world.act('bob', buy(6, 100, { maxFills: 1 }), {
      kind: 'replace',
      target,
      place,
      keepPriority: true,
    })
    expect(became.map(({ code }) => code)).toEqual(['ok', 'wouldTake'])
    expect([world.open(), spent(world, 'bob')]).toEqual([{ 2: 1, 3: 1, 4: 1, 5: 1, 6: 1 }, 100n])
    // What rested before keeps its place.
    const again = world.act('alice', {
      kind: 'replace',
      ...{ target: { kind: 'seq', orderSeq: 6 } as const, keepPriority: true },
      place: (sell(1, 100, { tif: 'post_only' }) as { readonly place: Place }).place,
    })
    expect(again).toMatchObject([{ code: 'ok', orderSeq: 6 }])
  })

  it('counts fills for the newer order of each pair, and cancels it after max_fills', () => {
    const world = fundedWorld()
    world.act('alice', sell(1, 100), sell(1, 100), sell(1, 100))
    world.act('bob', buy(5, 100, { maxFills: 2 }))
    expect([world.open(), world.escrow('quote')]).toEqual([{ 3: 1 }, 0n])
    const other = fundedWorld()
    other.act('bob', buy(5, 100, { maxFills: 2 }))
    other.act('alice', sell(1, 100), sell(1, 100), sell(1, 100))
    // The resting order is the older one: nothing counts for it.
    expect(other.open()).toEqual({ 1: 2 })
  })

  it('cancels, newest first, what still crosses', () => {
    const world = fundedWorld()
    world.act('alice', buy(1, 103), buy(9, 103))
    // Ten meet ten at 100. The seller of ten may meet one order alone, so that nine are left, and the offer at 103
    // crosses.
    const few = sell(10, 100, { maxFills: 1 })
    world.block(send('bob', few), send('carol', sell(5, 103)), send('dave', sell(1, 104)))
    expect([priceOf(world), world.open()]).toEqual([100, { 2: 9, 5: 1 }])
    expect(readRecord(world.state, 1)).toMatchObject({ bestBidTicks: 103, bestAskTicks: 104 })
  })

  it.each([
    ['cancel_maker', { 2: 5 }, 0],
    ['cancel_taker', { 1: 2 }, 0],
    ['cancel_both', {}, 0],
    ['decrement', { 2: 3 }, 0],
  ] as const)('prevents self-trade by the newer order: %s', (stp, open, filled) => {
    const world = fundedWorld()
    world.block(send('alice', sell(2, 100, { stp: 'cancel_both' }), buy(5, 100, { stp })))
    expect([world.open(), priceOf(world)]).toEqual([open, filled])
    expect(world.balance('alice', 'base') + world.escrow('base')).toBe(1_000_000n)
    expect(world.balance('alice', 'quote') + world.escrow('quote')).toBe(1_000_000n)
  })

  it('does not see dead orders', () => {
    const world = fundedWorld()
    const expireS = Math.floor(world.timeMs / 1_000) + 1
    world.setParameters({ maxRemovals: 0 })
    world.act('alice', sell(2, 100, { expireS }), sell(2, 101))
    world.act('bob', buy(3, 101))
    expect([world.open(), spent(world, 'bob') - world.escrow('quote')]).toEqual([{ 1: 2, 3: 1 }, 202n])
    expect(world.books.openOrderCount(addressOf('alice'))).toBe(1)
  })

  it('keeps triggers and FOK out, and is left alone while nothing enters', () => {
    const world = fundedWorld({ mode: 'continuous' })
    world.act('alice', sell(5, 50, { triggerKind: 'stop', triggerTicks: 100 }))
    world.block(send('bob', sell(1, 90)), send('carol', buy(1, 90)))
    expect(world.open()).toEqual({ 4: 5 })
    world.setMarket({ mode: 'uniform' })
    world.block()
    expect(world.open()).toEqual({ 4: 5 })
  })
})

/** All orders at all prices: what the clearing says in its first sentence, and nothing cleverer. */
const slowPrice = (orders: readonly Pick<OpenOrder, 'side' | 'priceTicks' | 'left'>[], last: number) => {
  const sum = (side: string, meets: (ticks: number) => boolean): number =>
    orders.reduce((lots, order) => lots + (order.side === side && meets(order.priceTicks) ? order.left : 0), 0)
  const prices = [...new Set(orders.map(({ priceTicks }) => priceTicks))].map((ticks) => {
    const [demand, supply] = [sum('buy', (at) => at >= ticks), sum('sell', (at) => at <= ticks)]
    const far = last === 0 ? 0 : Math.abs(ticks - last)
    return { ticks, volume: Math.min(demand, supply), imbalance: Math.abs(demand - supply), far }
  })
  const [best] = prices.toSorted(
    (a, b) => b.volume - a.volume || a.imbalance - b.imbalance || a.far - b.far || a.ticks - b.ticks,
  )
  return best === undefined || best.volume === 0 ? undefined : best.ticks
}

it.each([1, 2, 3, 4])('a uniform price is the one that a look at all orders finds (seed %i)', (seed) => {
  const random = new Random(seed)
  const world = new World([{ mode: 'uniform' }])
  for (const name of ['alice', 'bob']) world.fund(name, { base: 10n ** 9n, quote: 10n ** 9n })
  let cleared = 0
  for (let block = 0; block < 400; block++) {
    const last = priceOf(world)
    const sent = Array.from({ length: random.below(10) }, () => {
      const [lots, ticks] = [1 + random.below(4), 1 + random.below(12)]
      // A block's own orders meet up to 200 others, so that no price comes out otherwise than by volume.
      return random.below(2) === 0
        ? send('alice', buy(lots, ticks, { maxFills: 200 }))
        : send('bob', sell(lots, ticks, { maxFills: 200 }))
    })
    const resting = [...world.books.market(1).orders.values()].map(({ side, priceTicks, left }) => ({
      side,
      priceTicks,
      left,
    }))
    const entering = sent.flatMap(({ actions }) =>
      actions.flatMap((action) => (action.kind === 'place' ? { ...action.place, left: action.place.qtyLots } : [])),
    )
    const expected = slowPrice([...resting, ...entering], last)
    world.block(...sent)
    if (expected !== undefined) {
      cleared++
      expect(priceOf(world)).toBe(expected)
    }
    if (block % 3 === 0) {
      const all = { kind: 'cancelAll', market: 1, side: undefined } as const
      world.block(send('alice', all), send('bob', all))
    }
  }
  expect(cleared).toBeGreaterThan(200)
})

it('a uniform price costs no more for all that rests behind it', () => {
  const world = new World([{ mode: 'uniform' }])
  world.fund('alice', { base: 10n ** 9n })
  world.fund('bob', { quote: 10n ** 12n })
  world.setParameters({ maxOpenOrders: 5_000, maxActions: 10_000 })
  world.setMarket({ mode: 'uniform', maxOpenOrders: 5_000 })
  const sells = Array.from({ length: 1_000 }, (_, at) => sell(1, 100 + at, { tif: 'post_only' }))
  for (let at = 0; at < sells.length; at += 50) world.block(send('alice', ...sells.slice(at, at + 50)))
  const asks = world.books.market(1).asks
  const levels = asks.levels.bind(asks)
  let looked = 0
  asks.levels = function* () {
    for (const level of levels()) {
      looked++
      yield level
    }
    return undefined
  }
  world.block(send('bob', buy(3, 2 ** 32 - 1, { maxFills: 200 })))
  expect(priceOf(world)).toBe(102)
  expect(looked).toBeLessThan(10)
})
