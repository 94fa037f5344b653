/** Where no more orders may be open, one gives way: that of its side which locks least. docs/clob-spec.md, Room. */
import { describe, expect, it } from 'vitest'
import { Books } from '../book/books.ts'
import { readRecord } from '../keeper/index.ts'
import type { Action, Place } from '../orders/clob-tx.ts'
import { buy, cancelSeq, sell, World } from './testing/world.ts'

const NAMES = ['alice', 'bob', 'carol']

const smallWorld = (side: number, all = 1_000): World => {
  const world = new World([{}, { id: 2 }], { side, all })
  for (const name of NAMES) world.fund(name, { base: 1_000_000n, quote: 1_000_000n })
  return world
}

const codesOf = (world: World, from: string, ...actions: readonly Action[]): readonly string[] =>
  world.act(from, ...actions).map(({ code }) => code)

const trigger: Partial<Place> = { triggerKind: 'stop', triggerTicks: 500 }

describe('a side that is full', () => {
  it('gives up what locks least, the newest of equals, and refuses what locks no more', () => {
    const world = smallWorld(3)
    world.act('alice', buy(1, 10), buy(1, 20), buy(1, 10))
    expect(codesOf(world, 'bob', buy(1, 10))).toEqual(['marketOrders'])
    expect(world.open()).toEqual({ 1: 1, 2: 1, 3: 1 })
    // 11 of quote against 10.
    expect(codesOf(world, 'bob', buy(1, 11))).toEqual(['ok'])
    expect(world.open()).toEqual({ 1: 1, 2: 1, 4: 1 })
    expect(world.escrow('quote')).toBe(10n + 20n + 11n)
    expect(world.balance('alice', 'quote')).toBe(1_000_000n - 30n)
  })

  it('measures sells by their lots, whatever price they ask', () => {
    const world = smallWorld(2)
    world.act('alice', sell(1, 2 ** 32 - 1), sell(1, 1_000))
    expect(codesOf(world, 'bob', sell(1, 2 ** 32 - 1), sell(2, 900), sell(2, 901))).toEqual([
      'marketOrders',
      'ok',
      'ok',
    ])
    expect(world.open()).toEqual({ 3: 2, 4: 2 })
  })

  it('leaves the other side alone', () => {
    const world = smallWorld(2)
    world.act('alice', buy(1, 10), buy(1, 10))
    expect(codesOf(world, 'bob', sell(1, 20), sell(1, 20), sell(1, 20))).toEqual(['ok', 'ok', 'marketOrders'])
    expect(Object.keys(world.open())).toEqual(['1', '2', '3', '4'])
  })

  it('counts orders with a trigger, and lets a fired one find its own place', () => {
    const world = smallWorld(2)
    world.act('alice', buy(1, 600, trigger), buy(5, 600, trigger))
    expect(codesOf(world, 'bob', buy(1, 10), buy(2, 450))).toEqual(['marketOrders', 'ok'])
    expect(world.open()).toEqual({ 2: 5, 3: 2 })
  })

  it('cancels what a taker leaves where that locks least, with its fills', () => {
    const world = smallWorld(2)
    world.act('alice', buy(5, 10), buy(5, 10))
    world.act('carol', sell(9, 12))
    expect(world.act('bob', buy(10, 12))).toMatchObject([{ code: 'marketOrders', orderSeq: 4, filledLots: 9 }])
    expect(world.open()).toEqual({ 1: 5, 2: 5 })
    expect(world.balance('bob', 'quote')).toBe(1_000_000n - 108n)
  })

  it('measures what is left, not what was placed', () => {
    const world = smallWorld(2)
    world.act('alice', buy(100, 10), buy(2, 10))
    world.act('carol', sell(99, 10))
    expect(codesOf(world, 'bob', buy(2, 10))).toEqual(['ok'])
    expect(world.open()).toEqual({ 2: 2, 4: 2 })
  })

  it('is not full of dead orders', () => {
    const world = smallWorld(2)
    world.setParameters({ maxRemovals: 0 })
    const expireS = Math.floor(world.timeMs / 1_000) + 1
    world.act('alice', buy(9, 10, { expireS }), buy(9, 10, { expireS }))
    expect(codesOf(world, 'bob', buy(1, 10), buy(1, 10), buy(1, 10))).toEqual(['ok', 'ok', 'marketOrders'])
    expect(Object.keys(world.open())).toEqual(['1', '2', '3', '4'])
  })

  it('takes back the whole replace that it refuses', () => {
    const world = smallWorld(1)
    world.act('alice', buy(9, 10))
    world.act('bob', sell(1, 20))
    const replace: Action = {
      kind: 'replace',
      target: { kind: 'seq', orderSeq: 2 },
      place: { ...placeOf(buy(1, 9)) },
      keepPriority: false,
    }
    expect(codesOf(world, 'bob', replace)).toEqual(['marketOrders'])
    expect(world.open()).toEqual({ 1: 9, 2: 1 })
  })
})

const placeOf = (action: Action): Place => {
  if (action.kind !== 'place') throw new RangeError('a place is a place')
  return action.place
}

describe('an IOC order of a uniform market', () => {
  const ioc: Partial<Place> = { tif: 'ioc' }
  const uniformWorld = (side: number, all = 1_000): World => {
    const world = smallWorld(side, all)
    world.setMarket({ mode: 'uniform' })
    return world
  }

  it('needs no room: nothing that rests gives way to what leaves in the same step', () => {
    for (const world of [uniformWorld(2), uniformWorld(100, 2)]) {
      world.act('alice', buy(1, 10), buy(2, 10))
      expect(codesOf(world, 'bob', buy(50, 10, ioc), buy(1, 1, ioc))).toEqual(['ok', 'ok'])
      expect(world.open()).toEqual({ 1: 1, 2: 2 })
      expect(world.balance('bob', 'quote')).toBe(1_000_000n)
    }
  })

  it('takes none from others, alive or dead', () => {
    const world = uniformWorld(2, 3)
    world.setParameters({ maxRemovals: 0 })
    world.act('alice', buy(1, 10))
    const many = Array.from({ length: 22 }, () => buy(9, 10, ioc))
    const cancelAll: Action = { kind: 'cancelAll', market: 1, side: undefined }
    world.block({ from: 'bob', actions: [...many, cancelAll] }, { from: 'carol', actions: [buy(1, 10), buy(1, 10)] })
    expect(Object.keys(world.open())).toEqual(['1', '24'])
    expect([world.books.size, world.books.firstDead]).toEqual([2, undefined])
  })

  it('does not become one that rests without finding room', () => {
    const world = uniformWorld(1)
    world.act('alice', buy(9, 10))
    const target = { kind: 'seq', orderSeq: 2 } as const
    const replace: Action = { kind: 'replace', target, place: placeOf(buy(5, 10)), keepPriority: true }
    expect(codesOf(world, 'bob', buy(5, 10, ioc), replace)).toEqual(['ok', 'marketOrders'])
    expect(world.open()).toEqual({ 1: 9 })
  })
})

describe('all markets together', () => {
  it('give up a dead order first, that with the lowest order_seq, wherever it is', () => {
    const world = smallWorld(100, 3)
    world.setParameters({ maxRemovals: 0 })
    const expireS = Math.floor(world.timeMs / 1_000) + 1
    world.act('alice', buy(9, 10), buy(9, 10, { expireS, market: 2 }), buy(9, 10, { expireS }))
    expect(codesOf(world, 'bob', buy(1, 1))).toEqual(['ok'])
    expect([world.open(1), world.open(2)]).toEqual([{ 1: 9, 3: 9, 4: 1 }, {}])
  })

  it('give up the least of the longest side, so that no market closes another', () => {
    const world = smallWorld(100, 4)
    world.act('alice', buy(1, 10), buy(2, 10), buy(3, 10), buy(4, 10))
    expect(codesOf(world, 'bob', buy(1, 1, { market: 2 }), sell(1, 20, { market: 2 }))).toEqual(['ok', 'ok'])
    expect([world.open(1), world.open(2)]).toEqual([
      { 3: 3, 4: 4 },
      { 5: 1, 6: 1 },
    ])
    // The buys of market 1 would be the longest again, by this one.
    expect(codesOf(world, 'bob', buy(1, 1))).toEqual(['bookOrders'])
    expect(codesOf(world, 'bob', buy(4, 1, { market: 2 }))).toEqual(['ok'])
    expect([world.open(1), world.open(2)]).toEqual([{ 4: 4 }, { 5: 1, 6: 1, 7: 4 }])
    expect(world.books.size).toBe(4)
    world.act('alice', cancelSeq(4))
    expect(codesOf(world, 'bob', buy(1, 1))).toEqual(['ok'])
  })

  it('are counted again when the books are made from state', () => {
    const world = smallWorld(2, 3)
    world.act('alice', buy(1, 10), buy(1, 11), sell(5, 20))
    world.books = Books.load(world.state, { side: 2, all: 3 })
    expect(world.books.size).toBe(3)
    expect(codesOf(world, 'bob', buy(1, 10), sell(1, 20), buy(1, 19))).toEqual(['marketOrders', 'ok', 'ok'])
    // Both sides would have two then: the buys give way.
    expect(world.open()).toEqual({ 3: 5, 4: 1, 5: 1 })
  })
})

it('a dead order is no best price, and stands in no way of a post-only one', () => {
  const world = smallWorld(10)
  world.setParameters({ maxRemovals: 0 })
  const expireS = Math.floor(world.timeMs / 1_000) + 1
  world.act('alice', sell(1, 100, { expireS }), sell(1, 110))
  world.block()
  expect(readRecord(world.state, 1)).toMatchObject({ bestAskTicks: 110, openOrders: 2 })
  expect(codesOf(world, 'bob', buy(1, 105, { tif: 'post_only' }), buy(1, 109, { tif: 'gtc' }))).toEqual(['ok', 'ok'])
  expect(readRecord(world.state, 1)).toMatchObject({ bestBidTicks: 109, bestAskTicks: 110 })
})
