import { describe, expect, it } from 'vitest'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { Overlay } from '../../../store/overlay.ts'
import { Random } from '../../../test/sim/random.ts'
import { Books } from '../book/books.ts'
import { MAX_FACTOR, MAX_LOT_SIZE } from '../domain/market-rules.ts'
import type { FeeTier, Market } from '../domain/market.ts'
import type { Action, Place } from '../orders/clob-tx.ts'
import { describeBooks } from './testing/describe-books.ts'
import { escrowOf } from './testing/escrow-of.ts'
import { buy, sell, type Sent, World } from './testing/world.ts'

const OWNERS = ['alice', 'bob', 'carol', 'dave']
const MAX_LOTS = Number.MAX_SAFE_INTEGER
const MAX_TICKS = 2 ** 32 - 1
const FUNDS = 2n ** 128n

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random.below(items.length)] as Item

/** Near the ends of what is possible, and small ones to be filled by. */
const lotsOf = (random: Random): number =>
  pick(random, [1, 1, 2, 3, 7, 1_000, 2 ** 31, 2 ** 40 + 1, MAX_LOTS - 1, MAX_LOTS])
const ticksOf = (random: Random): number => pick(random, [1, 1, 2, 3, 1_000_003, 2 ** 31, MAX_TICKS - 1, MAX_TICKS])

const anyPlace = (random: Random, world: World): Place => {
  const hasTrigger = random.below(8) === 0
  const action = pick(random, [buy, sell])(lotsOf(random), ticksOf(random), {
    market: 1 + random.below(3),
    tif: pick<Place['tif']>(random, ['gtc', 'gtc', 'gtc', 'ioc', 'fok', 'post_only']),
    stp: pick(random, ['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement']),
    clientId: utf8ToBytes(pick(random, ['', '', 'a', 'b'])),
    maxFills: pick(random, [0, 1, 2, 200]),
    postOnlyMode: pick(random, ['reject', 'slide']),
    triggerTicks: hasTrigger ? ticksOf(random) : 0,
    triggerKind: hasTrigger ? pick(random, ['stop', 'take_profit']) : 'none',
  })
  if (action.kind !== 'place') throw new TypeError('a place is a place')
  const { tif } = action.place
  const mayExpire = (tif === 'gtc' || tif === 'post_only') && random.below(5) === 0
  const nowS = Math.floor(world.timeMs / 1_000)
  return mayExpire ? { ...action.place, expireS: pick(random, [nowS + 1, nowS + 3, MAX_LOTS]) } : action.place
}

const anyAction = (random: Random, world: World): Action => {
  const target =
    random.below(2) === 0
      ? ({ kind: 'client', clientId: utf8ToBytes(pick(random, ['a', 'b'])) } as const)
      : ({ kind: 'seq', orderSeq: 1 + random.below(Math.max(1, world.nextSeq())) } as const)
  switch (random.below(10)) {
    case 0:
      return { kind: 'cancel', market: 1 + random.below(3), target }
    case 1:
    case 2:
      return { kind: 'replace', target, place: anyPlace(random, world), keepPriority: random.below(2) === 0 }
    case 3:
      return { kind: 'cancelAll', market: random.below(4), side: pick(random, ['buy', 'sell', undefined]) }
    default:
      return { kind: 'place', place: anyPlace(random, world) }
  }
}

const FEES: readonly (readonly FeeTier[])[] = [
  [{ volume: 0n, makerPpm: -99_998, takerPpm: 99_999 }],
  [{ volume: 0n, makerPpm: 99_999, takerPpm: 99_999 }],
  [
    { volume: 0n, makerPpm: -1, takerPpm: 2 },
    { volume: 1n, makerPpm: 0, takerPpm: 2 },
  ],
]

const worldOf = (random: Random, mode: Market['mode']): World => {
  const sizes = [1n, 3n, 2n ** 40n + 1n, 2n ** 60n, MAX_LOT_SIZE]
  const factors = [1n, 7n, 2n ** 42n - 1n, 2n ** 60n + 1n, MAX_FACTOR]
  const world = new World(
    [1, 2, 3].map((id) => ({
      ...{ id, mode, fees: FEES[random.below(FEES.length)] ?? [] },
      ...{ lotSize: pick(random, sizes), factor: pick(random, factors), bandPpm: pick(random, [0, 0, 10_000_000]) },
    })),
  )
  world.setParameters({ maxRemovals: 3, maxTriggers: 3 })
  for (const name of OWNERS) world.fund(name, { base: FUNDS, quote: FUNDS })
  return world
}

const blockOf = (random: Random, world: World): Sent[] =>
  Array.from({ length: 1 + random.below(8) }, () => ({
    from: pick(random, OWNERS),
    actions: Array.from({ length: 1 + random.below(4) }, () => anyAction(random, world)),
  }))

describe.each(['continuous', 'uniform'] as const)('amounts at the ends of what %s markets allow', (mode) => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('neither break a step nor make or lose a unit (seed %i)', (seed) => {
    const random = new Random(seed)
    const world = worldOf(random, mode)
    let fills = 0
    for (let block = 0; block < 40; block++) {
      world.run(
        blockOf(random, world).map((each) => world.item(each)),
        new Overlay(world.state),
      )
      for (const became of world.block(...blockOf(random, world)).flat()) fills += became.filledLots > 0 ? 1 : 0
      for (const denom of ['base', 'quote']) {
        const balances = OWNERS.map((name) => world.balance(name, denom))
        expect(balances.every((balance) => balance >= 0n)).toBe(true)
        const all = balances.reduce((sum, balance) => sum + balance, world.escrow(denom) + world.fees(denom))
        expect(all).toBe(FUNDS * BigInt(OWNERS.length))
        expect(escrowOf(world, denom)).toBe(world.escrow(denom))
      }
      if (block % 10 === 0) expect(describeBooks(world.books)).toEqual(describeBooks(Books.load(world.state)))
    }
    if (mode === 'continuous') expect(fills).toBeGreaterThan(0)
  })
})
