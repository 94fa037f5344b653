import { describe, expect, it } from 'vitest'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { Overlay } from '../../../store/overlay.ts'
import { Random } from '../../../test/sim/random.ts'
import { Books } from '../book/books.ts'
import type { Market } from '../domain/market.ts'
import type { Action, Place } from '../orders/clob-tx.ts'
import { readAccount, readRecord } from '../keeper/index.ts'
import { describeBooks } from './testing/describe-books.ts'
import { escrowOf } from './testing/escrow-of.ts'
import { addressOf, buy, sell, type Sent, World } from './testing/world.ts'

const OWNERS = ['alice', 'bob', 'carol', 'dave', 'erin']
const IDS = ['', '', 'a', 'b', 'c']

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random.below(items.length)] as Item

const anyPlace = (random: Random, world: World): Action => {
  const trigger = random.below(8) === 0
  const changes: Partial<Place> = {
    market: 1 + random.below(2),
    tif: pick(random, ['gtc', 'gtc', 'gtc', 'ioc', 'fok', 'post_only']),
    stp: pick(random, ['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement']),
    clientId: utf8ToBytes(pick(random, IDS)),
    maxFills: random.below(4),
    postOnlyMode: pick(random, ['reject', 'slide']),
    triggerTicks: trigger ? 90 + random.below(20) : 0,
    triggerKind: trigger ? pick(random, ['stop', 'take_profit']) : 'none',
  }
  const mayExpire = changes.tif === 'gtc' || changes.tif === 'post_only'
  const expireS = mayExpire && random.below(4) === 0 ? Math.floor(world.timeMs / 1_000) + random.below(6) : 0
  const make = random.below(2) === 0 ? buy : sell
  return make(1 + random.below(20), 90 + random.below(20), { ...changes, expireS })
}

const anyAction = (random: Random, world: World): Action => {
  const target =
    random.below(2) === 0
      ? ({ kind: 'client', clientId: utf8ToBytes(pick(random, ['a', 'b', 'c'])) } as const)
      : ({ kind: 'seq', orderSeq: 1 + random.below(Math.max(1, world.nextSeq())) } as const)
  switch (random.below(12)) {
    case 0:
    case 1:
      return { kind: 'cancel', market: 1 + random.below(2), target }
    case 2:
      return { kind: 'cancelAll', market: random.below(3), side: pick(random, ['buy', 'sell', undefined]) }
    case 3:
    case 4: {
      const action = anyPlace(random, world)
      if (action.kind !== 'place') return action
      return { kind: 'replace', target, place: action.place, keepPriority: random.below(2) === 0 }
    }
    case 5:
      return { kind: 'scheduleCancel', atMs: random.below(3) === 0 ? 0 : world.timeMs + random.below(5_000) }
    default:
      return anyPlace(random, world)
  }
}

const anyBlock = (random: Random, world: World): Sent[] =>
  Array.from({ length: random.below(12) }, () => ({
    from: pick(random, OWNERS),
    actions: Array.from({ length: 1 + random.below(4) }, () => anyAction(random, world)),
    changes: { subaccount: random.below(2) },
  }))

const worldOf = (mode: Market['mode']): World => {
  const fees = [{ volume: 0n, makerPpm: -2_000, takerPpm: 5_000 }]
  const world = new World([
    { mode, fees, factor: 3n },
    { id: 2, mode, fees: [{ ...fees[0], volume: 0n, makerPpm: 1_500, takerPpm: 3_333 }], lotSize: 7n },
  ])
  world.setParameters({ maxRemovals: 5, maxTriggers: 3 })
  for (const name of OWNERS) world.fund(name, { base: 100_000n, quote: 300_000n })
  return world
}

const supply = (world: World, denom: string): bigint =>
  OWNERS.reduce((sum, name) => sum + world.balance(name, denom), world.escrow(denom) + world.fees(denom))

const expectSound = (world: World): void => {
  for (const denom of ['base', 'quote']) {
    expect(supply(world, denom)).toBe(BigInt(OWNERS.length) * (denom === 'base' ? 100_000n : 300_000n))
    expect(escrowOf(world, denom)).toBe(world.escrow(denom))
  }
  for (const book of world.books.markets()) {
    const [bid, ask] = [book.bids.best?.ticks ?? 0, book.asks.best?.ticks ?? Number.POSITIVE_INFINITY]
    expect(bid).toBeLessThan(ask)
    const record = readRecord(world.state, book.id)
    expect(record?.openOrders ?? 0).toBe(book.orders.size)
    if (record !== undefined) expect(record.bookRoot).toEqual(book.buckets.root)
  }
  for (const name of OWNERS) {
    expect(readAccount(world.state, addressOf(name)).openOrders).toBe(world.books.openOrderCount(addressOf(name)))
  }
}

describe.each(['continuous', 'uniform'] as const)('random blocks of %s markets', (mode) => {
  it.each([1, 2, 3, 4, 5, 6])('leave the books as they are rebuilt, and coins where they were (seed %i)', (seed) => {
    const random = new Random(seed)
    const world = worldOf(mode)
    for (let block = 0; block < 60; block++) {
      const sent = anyBlock(random, world)
      const before = describeBooks(world.books)
      // Candidates that are never decided: each leaves the books as they were.
      for (let candidate = random.below(3); candidate > 0; candidate--) {
        world.run(
          anyBlock(random, world).map((each) => world.item(each)),
          new Overlay(world.state),
        )
        expect(describeBooks(world.books)).toEqual(before)
      }
      world.block(...sent)
      expectSound(world)
      if (block % 5 === 0) expect(describeBooks(world.books)).toEqual(describeBooks(Books.load(world.state)))
    }
  })
})
