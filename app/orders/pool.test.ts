/** What a full pool gives up, and what it never does. */
import { describe, expect, it } from 'vitest'
import { bytesToKey } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { CLOB_ERRORS } from '../../modules/clob/errors.ts'
import type { ClobBody } from '../../modules/clob/orders/index.ts'
import { idOf, type ListedId } from '../../modules/clob/plan/index.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { EMPTY_EXTENSION, encodeExtension } from '../attestations/envelope.ts'
import { OrderPool } from './pool.ts'
import type { PooledOrder } from './pooled-order.ts'
import {
  cancelAll,
  commit,
  makeTrader,
  openWorld,
  place,
  START_HEIGHT,
  START_MS,
  type Trader,
  type World,
} from './testing/world.ts'

const { codes } = CLOB_ERRORS
const BYTES_OF_A_BODY = Math.ceil((64 * 1024 * 1024) / 20_000)
const WEIGHT_OF_A_BODY = 20

/** Unsigned, as the pool does not care: only lengths, owners and ends differ. */
const makeBody = (number: number, owner: number, bytes: number, goodTilBlock: number): ClobBody => {
  const raw = new Uint8Array(bytes)
  new DataView(raw.buffer).setUint32(0, number)
  const tx = { owner: new Uint8Array(20).fill(owner), goodTilBlock, actions: [cancelAll()] }
  const weight = number % 5 === 0 ? 1_000 : 1 + (number % 30)
  return { raw, hash: sha256(raw), phase: 0, weight, tx } as unknown as ClobBody
}

/** The size of what an owner has of one class. */
const shareOf = (orders: readonly PooledOrder[]): number =>
  Math.max(
    orders.length,
    Math.ceil(orders.reduce((sum, { raw }) => sum + raw.length, 0) / BYTES_OF_A_BODY),
    Math.ceil(orders.reduce((sum, { weight }) => sum + weight, 0) / WEIGHT_OF_A_BODY),
  )

/** Why this was not the one to leave; undefined where it was. Looks at everything. */
const wrongVictim = (victim: PooledOrder, held: readonly PooledOrder[]): string | undefined => {
  if (victim.isProtected) return 'it is protected'
  const open = held.filter(({ isProtected }) => !isProtected)
  if (open.some(({ rank }) => rank < victim.rank)) return 'others are of a lower rank'
  const ofClass = held.filter(({ rank }) => rank === victim.rank)
  const shares = new Map<string, PooledOrder[]>()
  for (const order of ofClass) shares.set(order.ownerKey, [...(shares.get(order.ownerKey) ?? []), order])
  const own = shares.get(victim.ownerKey) ?? []
  const largest = [...shares.values()]
    .filter((orders) => orders.some(({ isProtected }) => !isProtected))
    .map(shareOf)
    .reduce((most, share) => Math.max(most, share), 0)
  return shareOf(own) < largest ? `another owner has ${largest}, this one ${shareOf(own)}` : undefined
}

describe('a pool of orders', () => {
  it(
    'gives up, when it is full, what is without funds, then of the owner with most: any run of arrivals, ends and protections',
    seeded(17, (random: Random) => {
      for (let run = 0; run < 40; run++) {
        const bounds = { orders: 5 + random.below(40), bytes: 2_000 + random.below(60_000) }
        const held = new Map<string, PooledOrder>()
        let isAdding = false
        let faults: readonly string[] = []
        const pool = new OrderPool((order) => {
          if (isAdding) {
            // The arrival is in the pool by now, and the listener has not seen it.
            const all = new Map(held).set(order.key, order)
            const arrival = pool.get(order.hash) ?? order
            for (const each of pool.orders()) all.set(each.key, each)
            const fault = wrongVictim(order, [...all.set(arrival.key, arrival).values()])
            if (fault !== undefined) faults = [...faults, fault]
          }
          held.delete(order.key)
        }, bounds)
        let height = 100
        for (let step = 0; step < 400; step++) {
          const some = [...held.values()]
          const kind = random.below(20)
          if (kind === 0 && some.length > 0) pool.delete(random.pick(some))
          else if (kind <= 2 && some.length > 0) pool.protect(random.pick(some), held.size < bounds.orders / 3)
          else if (kind === 4) pool.expire(++height)
          else {
            const bytes = 100 + random.below(random.chance(20) ? 3_900 : 200)
            const body = makeBody(run * 1_000 + step, random.below(9), bytes, height - 3 + random.below(20))
            isAdding = true
            const order = pool.add(body, START_MS + step, random.pick([0, 1, 1, 2] as const))
            isAdding = false
            if (order !== undefined) held.set(order.key, order)
          }
          expect(faults).toEqual([])
          expect([...pool.orders()].map(({ key }) => key).toSorted()).toEqual([...held.keys()].toSorted())
          const isOver = pool.size > bounds.orders || pool.bytes > bounds.bytes
          expect(isOver && [...held.values()].some(({ isProtected }) => !isProtected)).toBe(false)
          expect(pool.bytes).toBe([...held.values()].reduce((sum, { raw }) => sum + raw.length, 0))
          expect([...held.values()].every(({ tx }) => tx.goodTilBlock >= height - 3 || height === 100)).toBe(true)
        }
        pool.clear()
        expect([pool.size, pool.bytes, held.size]).toEqual([0, 0, 0])
      }
    }),
  )
})

it('a pool with room takes few orders of owners without funds, and of those the most of whoever has least', () => {
  const pool = new OrderPool(undefined, { orders: 100, bytes: 1_000_000, unfunded: 10 })
  const add = (number: number, owner: number, rank: 0 | 1 | 2): boolean =>
    pool.add(makeBody(1 + 5 * number, owner, 100, 200), START_MS, rank) !== undefined
  for (let number = 0; number < 10; number++) expect(add(number, 1, 0)).toBe(true)
  expect(add(10, 1, 0)).toBe(false)
  // Another owner has a place: the newest of the greediest leaves.
  expect(add(11, 2, 0)).toBe(true)
  expect([pool.size, pool.actionCount(new Uint8Array(20).fill(1))]).toEqual([10, 9])
  for (let owner = 3; owner < 30; owner++) add(owner + 20, owner, 0)
  expect(pool.size).toBe(10)
  for (let owner = 30; owner < 60; owner++) expect(add(owner + 20, owner, owner % 2 === 0 ? 1 : 2)).toBe(true)
  expect(pool.size).toBe(40)
  // What left makes room.
  const [first] = pool.orders()
  if (first !== undefined) pool.delete(first)
  expect(add(99, 99, 0)).toBe(true)
  expect(add(100, 100, 0)).toBe(false)
})

const BOUNDS = { orders: 20, bytes: 1_000_000 }
const check = (world: World, raw: Uint8Array): number => world.orders.check(raw, false).code
const holds = (world: World, raw: Uint8Array): boolean => world.orders.pool.get(sha256(raw)) !== undefined

const funded = (world: World, number: number): Trader => {
  const trader = makeTrader(number)
  world.fund(trader.address, 1_000n)
  return trader
}

describe('a flood of names without funds', () => {
  const flood = Array.from({ length: 50 }, (_, number) => makeTrader(100 + number).sign({ actions: [cancelAll()] }))

  it('pushes out nothing of those who have funds, and is refused once they fill the pool', () => {
    const world = openWorld({ bounds: BOUNDS })
    const trader = funded(world, 1)
    const own = Array.from({ length: 12 }, () => trader.sign())
    for (const raw of own.slice(0, 6)) expect(check(world, raw)).toBe(0)
    const answers = flood.map((raw) => check(world, raw))
    // Nobody of the flood has more than the others: what came is kept, what comes is refused, and nothing moves.
    expect(answers).toEqual([
      ...Array.from({ length: 14 }, () => 0),
      ...Array.from({ length: 36 }, () => codes.poolFull),
    ])
    for (const raw of own.slice(6)) expect(check(world, raw)).toBe(0)
    expect(own.every((raw) => holds(world, raw))).toBe(true)
    expect(flood.filter((raw) => holds(world, raw))).toHaveLength(8)
    const others = Array.from({ length: 8 }, (_, number) => funded(world, 10 + number).sign())
    for (const raw of others) expect(check(world, raw)).toBe(0)
    expect(flood.some((raw) => holds(world, raw))).toBe(false)
    expect(check(world, flood[0] as Uint8Array)).toBe(codes.poolFull)
    expect([...own, ...others].every((raw) => holds(world, raw))).toBe(true)
  })

  it('with a market that asks for funds: less than these is none', () => {
    const world = openWorld({ bounds: { orders: 4, bytes: 100_000 }, market: { minEquity: 500n } })
    const rich = funded(world, 1)
    const raws = Array.from({ length: 4 }, (_, number) => {
      const trader = makeTrader(20 + number)
      world.fund(trader.address, 499n)
      return trader.sign()
    })
    for (const raw of raws) expect(check(world, raw)).toBe(0)
    const own = Array.from({ length: 4 }, () => rich.sign())
    for (const raw of own) expect(check(world, raw)).toBe(0)
    expect(own.every((raw) => holds(world, raw))).toBe(true)
    expect(check(world, raws[0] as Uint8Array)).toBe(codes.poolFull)
  })

  it('with a market that takes no small orders: less than the smallest is none', () => {
    const world = openWorld({ bounds: { orders: 4, bytes: 100_000 }, market: { minNotional: 500n } })
    const rich = funded(world, 1)
    const dust = Array.from({ length: 4 }, (_, number) => {
      const trader = makeTrader(20 + number)
      world.fund(trader.address, 499n)
      return trader.sign()
    })
    for (const raw of dust) expect(check(world, raw)).toBe(0)
    const own = Array.from({ length: 4 }, () => rich.sign())
    for (const raw of own) expect(check(world, raw)).toBe(0)
    expect(own.every((raw) => holds(world, raw))).toBe(true)
  })

  it('that merely has coins keeps nobody out who has an open order', () => {
    const world = openWorld({ bounds: BOUNDS })
    const flood = Array.from({ length: 20 }, (_, number) => funded(world, 300 + number).sign())
    for (const raw of flood) expect(check(world, raw)).toBe(0)
    // The last of the flood has something at stake now, and is taken; a name more is not.
    expect(check(world, funded(world, 400).sign())).toBe(codes.poolFull)
    const makers = Array.from({ length: 20 }, (_, number) => makeTrader(500 + number))
    for (const { address } of makers) world.open.set(bytesToKey(address), [1])
    const own = makers.map((maker) => maker.sign({ actions: [cancelAll()] }))
    for (const raw of own) expect(check(world, raw)).toBe(0)
    expect([own.every((raw) => holds(world, raw)), flood.some((raw) => holds(world, raw))]).toEqual([true, false])
    expect(check(world, flood[0] as Uint8Array)).toBe(codes.poolFull)
  })

  it('of one owner with funds hits this owner', () => {
    const world = openWorld({ bounds: BOUNDS })
    const [greedy, modest] = [funded(world, 1), funded(world, 2)]
    const spam = Array.from({ length: 40 }, () => greedy.sign())
    for (const raw of spam) check(world, raw)
    const own = Array.from({ length: 9 }, () => modest.sign())
    for (const raw of own) expect(check(world, raw)).toBe(0)
    expect(own.every((raw) => holds(world, raw))).toBe(true)
    // The oldest stay, and the newest leave.
    expect(spam.slice(0, 11).every((raw) => holds(world, raw))).toBe(true)
    expect(spam.slice(11).some((raw) => holds(world, raw))).toBe(false)
  })
})

describe('a flood of names with some funds', () => {
  it('and one transaction of the greatest weight each silences nobody who wants to cancel', () => {
    const world = openWorld({ bounds: BOUNDS })
    const heavy = Array.from({ length: 5 }, () => place({ tif: 'ioc', maxFills: 200 }))
    const flood = Array.from({ length: 40 }, (_, number) => funded(world, 200 + number).sign({ actions: heavy }))
    for (const raw of flood) check(world, raw)
    const own = Array.from({ length: 8 }, (_, number) => funded(world, 10 + number).sign({ actions: [cancelAll()] }))
    for (const raw of own) expect(check(world, raw)).toBe(0)
    expect(own.every((raw) => holds(world, raw))).toBe(true)
  })
})

describe('a full pool', () => {
  it('never gives up what this node attested last, nor what is carried', () => {
    const world = openWorld({ bounds: { orders: 6, bytes: 100_000 } })
    const poor = makeTrader(1)
    const [attested, carried] = [poor.sign({ actions: [cancelAll()] }), poor.sign({ actions: [cancelAll()] })]
    check(world, attested)
    const salt = new Uint8Array(32).fill(5)
    const listed = (raw: Uint8Array): ListedId => ({
      id: idOf(salt, sha256(raw)),
      phase: 0,
      salt,
      age: 1,
      isWidelyAttested: true,
    })
    world.wallMs += 1_000
    const block = world.block()
    const said = world.orders.section.attest(block, world.chain, 0, 100_000)
    expect(said.attestations?.length).toBeGreaterThan(0)
    check(world, carried)
    commit(world, [], [listed(carried)])
    const flood = (from: number): void => {
      for (let number = 0; number < 10; number++) check(world, funded(world, from + number).sign({ nonceMs: START_MS }))
    }
    flood(100)
    expect([attested, carried].map((raw) => holds(world, raw))).toEqual([true, true])
    expect(world.orders.pool.size).toBe(6)
    // The next extension attests others, and the next block carries nothing.
    world.orders.section.attest(world.block({ hash: new Uint8Array(32).fill(9) }), world.chain, 0, 48)
    commit(world, [], [])
    flood(200)
    expect([attested, carried].map((raw) => holds(world, raw))).toEqual([false, false])
  })

  it('also knows after a start what it attested last', () => {
    const before = openWorld()
    const raws = Array.from({ length: 3 }, (_, number) => makeTrader(number).sign({ actions: [cancelAll()] }))
    for (const raw of raws) check(before, raw)
    before.wallMs += 1_000
    const block = before.block()
    const said = before.orders.section.attest(block, before.chain, 0, 100_000)
    const extension = encodeExtension({ ...EMPTY_EXTENSION, ...said })
    const answers = [{ height: block.height, hash: block.hash, extension }]
    const bounds = { orders: 4, bytes: 100_000 }
    for (const [given, kept] of [
      [answers, 3],
      [[], 0],
    ] as const) {
      const world = openWorld({ bounds, journal: [...before.journal], answers: given })
      world.orders.load()
      for (let number = 100; number < 110; number++) check(world, funded(world, number).sign())
      expect(raws.filter((raw) => holds(world, raw))).toHaveLength(kept)
      expect(world.orders.pool.size).toBe(4)
    }
  })

  it('finds a body by its id as long as it has it, also when it left and came again', () => {
    const world = openWorld({ bounds: { orders: 1, bytes: 100_000 } })
    const salt = new Uint8Array(32).fill(5)
    const raw = makeTrader(1).sign({ actions: [cancelAll()] })
    const found = (): boolean => world.orders.findBody({ salt, id: idOf(salt, sha256(raw)) }) !== undefined
    expect(found()).toBe(false)
    check(world, raw)
    expect(found()).toBe(true)
    const other = funded(world, 2).sign()
    check(world, other)
    expect(found()).toBe(false)
    commit(world, [sha256(other)])
    check(world, raw)
    expect(found()).toBe(true)
    world.orders.clear()
    expect(found()).toBe(false)
  })

  it('lets nobody who kept a body that left touch the one that came in its place', () => {
    const pool = new OrderPool(() => undefined, { orders: 2, bytes: 100_000 })
    const first = pool.add(makeBody(1, 1, 100, 9), 0, 2) as PooledOrder
    pool.delete(first)
    const second = pool.add(makeBody(1, 1, 100, 9), 0, 2) as PooledOrder
    pool.protect(first, true)
    pool.delete(first)
    expect(pool.byKey(first.key)).toBe(second)
    expect([pool.size, pool.bytes, pool.actionCount(second.tx.owner)]).toEqual([1, 100, 1])
    // Not protected: it leaves for others.
    for (const number of [2, 3]) pool.add(makeBody(number, 1, 100, 9), 0, 2)
    expect(pool.size).toBe(2)
  })

  it('that is full of protected bodies refuses all others', () => {
    const world = openWorld({ bounds: { orders: 3, bytes: 100_000 } })
    const trader = funded(world, 1)
    const own = Array.from({ length: 3 }, () => trader.sign({ goodTilBlock: START_HEIGHT + 30 }))
    for (const raw of own) check(world, raw)
    world.wallMs += 1_000
    world.orders.section.attest(world.block(), world.chain, 0, 100_000)
    expect(check(world, funded(world, 2).sign())).toBe(codes.poolFull)
    expect(own.every((raw) => holds(world, raw))).toBe(true)
    expect(world.orders.pool.actionCount(trader.address)).toBe(3)
  })
})
