import { describe, expect, it } from 'vitest'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { readAccount } from '../keeper/index.ts'
import type { Side } from '../domain/order.ts'
import type { Action, Place } from '../orders/clob-tx.ts'
import { addressOf, buy, cancelId, cancelSeq, sell, World } from './testing/world.ts'

const fundedWorld = (): World => {
  const world = new World([{}, { id: 2 }])
  for (const name of ['alice', 'bob']) world.fund(name, { base: 1_000_000n, quote: 1_000_000n })
  return world
}

const codes = (world: World, from: string, ...actions: Action[]): string[] =>
  world.act(from, ...actions).map(({ code }) => code)

const cancelAll = (market = 0, side?: Side): Action => ({ kind: 'cancelAll', market, side })
const schedule = (atMs: number): Action => ({ kind: 'scheduleCancel', atMs })
const many = (count: number, changes: Partial<Place> = {}): Action[] =>
  Array.from({ length: count }, () => buy(1, 10, changes))
const account = (world: World, name = 'alice') => readAccount(world.state, addressOf(name))
const ALL = { subaccount: undefined, market: 0, side: undefined }

describe('CancelAll', () => {
  it('names label, market and side', () => {
    const world = fundedWorld()
    const second = { from: 'alice', actions: [buy(1, 10)], changes: { subaccount: 1 } }
    world.block({ from: 'alice', actions: [buy(1, 10), sell(1, 20), buy(1, 10, { market: 2 })] }, second)
    world.act('bob', buy(1, 10))
    expect(codes(world, 'alice', cancelAll(1, 'sell'))).toEqual(['ok'])
    expect([world.open(1), world.open(2)]).toEqual([{ 1: 1, 4: 1, 5: 1 }, { 3: 1 }])
    expect(codes(world, 'alice', cancelAll())).toEqual(['ok'])
    expect([world.open(1), world.open(2)]).toEqual([{ 4: 1, 5: 1 }, {}])
    expect(codes(world, 'alice', cancelAll(3), cancelAll(2))).toEqual(['unknownMarket', 'ok'])
  })

  it('removes twenty at once and kills the others by a floor, which goes with the last of them', () => {
    const world = fundedWorld()
    world.setParameters({ maxRemovals: 3 })
    world.act('alice', ...many(30))
    expect(codes(world, 'alice', cancelAll(1))).toEqual(['ok'])
    // Twenty at once, three at the end of the block.
    expect(Object.keys(world.open())).toHaveLength(7)
    expect(account(world)).toEqual({
      openOrders: 7,
      switchMs: 0,
      floors: [{ subaccount: 0, market: 1, side: undefined, nextSeq: 31 }],
    })
    // Nobody meets a dead order; three more go at the end of the block.
    const became = world.act('bob', sell(1, 10, { maxFills: 2, tif: 'ioc' }))
    expect(became).toMatchObject([{ code: 'ok', filledLots: 0 }])
    expect(Object.keys(world.open())).toEqual(['27', '28', '29', '30'])
    world.block()
    world.act('alice', buy(1, 10))
    expect([world.open(), account(world)]).toEqual([{ 32: 1 }, { openOrders: 1, switchMs: 0, floors: [] }])
  })

  it('leaves one floor for what it names, and at most sixteen', () => {
    const world = fundedWorld()
    world.setParameters({ maxRemovals: 0, maxOpenOrders: 2_000, maxActions: 2_000 })
    world.setMarket({ maxOpenOrders: 2_000 })
    const labels = Array.from({ length: 17 }, (_, subaccount) => ({ subaccount }))
    world.block(...labels.map((changes) => ({ from: 'alice', actions: many(25), changes })))
    const sent = labels.map((changes) => ({ from: 'alice', actions: [cancelAll(1)], changes }))
    expect(world.block(...sent).map(([each]) => each?.code)).toEqual([...Array(16).fill('ok'), 'tooManyFloors'])
    expect(account(world).floors).toHaveLength(16)
    // The last one changed nothing.
    expect(account(world).openOrders).toBe(16 * 5 + 25)
    // One that names more takes the place of those that it covers.
    const wider = { from: 'alice', actions: [...many(21), cancelAll(0)], changes: { subaccount: 3 } }
    expect(world.block(wider)[0]?.at(-1)?.code).toBe('ok')
    const { floors } = account(world)
    expect(floors.filter(({ subaccount }) => subaccount === 3)).toEqual([
      { subaccount: 3, market: 0, side: undefined, nextSeq: 25 * 17 + 22 },
    ])
  })

  it('lets a Cancel and a Place with the client id remove a dead order; for a Replace it is not there', () => {
    const world = fundedWorld()
    world.setParameters({ maxRemovals: 0 })
    const ids = ['a', 'b', 'c'].map((id) => ({ clientId: utf8ToBytes(id) }))
    world.act('alice', ...many(20), ...ids.map((id) => buy(1, 10, id)))
    world.act('alice', cancelAll(1))
    expect(world.open()).toEqual({ 21: 1, 22: 1, 23: 1 })
    const place = buy(1, 10, ids[2])
    if (place.kind !== 'place') return
    const target = { kind: 'client', clientId: utf8ToBytes('c') } as const
    const replace: Action = { kind: 'replace', target, place: place.place, keepPriority: true }
    expect(codes(world, 'alice', cancelId('a'), buy(1, 11, ids[1]), replace)).toEqual(['ok', 'ok', 'orderNotFound'])
    expect(world.open()).toEqual({ 23: 1, 24: 1 })
  })
})

describe('ScheduleCancel', () => {
  it('needs an open order, and a time within 24 hours', () => {
    const world = fundedWorld()
    const day = 24 * 3_600_000
    expect(codes(world, 'alice', schedule(world.timeMs + 1), schedule(0))).toEqual(['noOpenOrder', 'ok'])
    world.act('alice', buy(1, 10))
    const { timeMs } = world
    const times = [timeMs, timeMs + day + 1, timeMs + day, 0, timeMs + 1].map(schedule)
    expect(codes(world, 'alice', ...times)).toEqual(['switchTime', 'switchTime', 'ok', 'ok', 'ok'])
    expect(account(world).switchMs).toBe(timeMs + 1)
  })

  it('kills all orders of the owner when its time comes, and removes them at the end of the block', () => {
    const world = fundedWorld()
    const second = { from: 'alice', actions: [buy(1, 10, { market: 2 })], changes: { subaccount: 1 } }
    world.block({ from: 'alice', actions: [buy(5, 10), schedule(world.timeMs + 1_000)] }, second)
    // The time of this block is that of the switch.
    expect(world.act('bob', sell(5, 10, { tif: 'ioc' }))).toMatchObject([{ code: 'ok', filledLots: 0 }])
    expect([world.open(1), world.open(2), world.escrow('quote')]).toEqual([{}, {}, 0n])
    // It stays until the owner sends something.
    expect(account(world)).toMatchObject({ openOrders: 0, floors: [] })
    world.act('alice', buy(1, 10))
    expect([account(world).switchMs, world.open()]).toEqual([0, { 4: 1 }])
  })

  it('becomes a floor over all with the next transaction of the owner, so that new orders live', () => {
    const world = fundedWorld()
    world.setParameters({ maxRemovals: 1 })
    world.act('alice', buy(1, 10), buy(2, 10), buy(3, 10), schedule(world.timeMs + 1))
    expect(codes(world, 'alice', buy(4, 10))).toEqual(['ok'])
    expect(account(world)).toEqual({ openOrders: 3, switchMs: 0, floors: [{ ...ALL, nextSeq: 4 }] })
    expect(world.open()).toEqual({ 2: 2, 3: 3, 4: 4 })
    expect(world.act('bob', sell(4, 10, { tif: 'ioc' }))).toMatchObject([{ code: 'ok', filledLots: 4 }])
    // Two dead ones were left before: one goes with each block, and none of them was met.
    expect(account(world)).toEqual({ openOrders: 1, switchMs: 0, floors: [{ ...ALL, nextSeq: 4 }] })
    world.block()
    expect(account(world)).toEqual({ openOrders: 0, switchMs: 0, floors: [] })
  })
})

describe('the removals at the end of a block', () => {
  it('take dead orders by order_seq, whatever killed them, and as many as the parameters say', () => {
    const world = fundedWorld()
    world.setParameters({ maxRemovals: 2 })
    const expireS = Math.floor(world.timeMs / 1_000) + 1
    world.act('bob', buy(1, 10, { expireS }), buy(1, 10))
    world.act('alice', buy(1, 10))
    // The order is dead in the first block of its second.
    expect(world.open()).toEqual({ 2: 1, 3: 1 })
    world.act('alice', buy(1, 11, { expireS: expireS + 3, market: 2 }), schedule(world.timeMs + 1))
    world.act('bob', buy(1, 12, { expireS: expireS + 3 }), schedule(world.timeMs + 500))
    expect([world.open(1), world.open(2)]).toEqual([{ 2: 1, 5: 1 }, {}])
    world.block()
    expect([world.open(1), world.open(2)]).toEqual([{}, {}])
    expect(world.escrow('quote')).toBe(0n)
  })

  it("run in a block without transactions, and are no transaction's", () => {
    const world = fundedWorld()
    const expireS = Math.floor(world.timeMs / 1_000) + 1
    world.act('bob', buy(1, 10, { expireS }))
    world.block()
    expect([world.open(), world.last?.after.length, world.last?.results]).toEqual([{}, 1, []])
    world.block()
    expect(world.last?.after).toEqual([])
  })
})

describe('a Cancel', () => {
  it('by order_seq finds an order of its owner in the market that it names', () => {
    const world = fundedWorld()
    world.act('alice', buy(1, 10))
    expect(codes(world, 'bob', cancelSeq(1))).toEqual(['orderNotFound'])
    expect(codes(world, 'alice', cancelSeq(1, 2), cancelSeq(2), cancelSeq(1, 3))).toEqual([
      'orderNotFound',
      'orderNotFound',
      'unknownMarket',
    ])
    const other = { from: 'alice', actions: [cancelSeq(1)], changes: { subaccount: 4 } }
    expect(world.block(other)[0]?.[0]?.code).toBe('ok')
  })

  it('runs where nothing is placed, but not in a halted market', () => {
    const world = fundedWorld()
    world.act('alice', buy(1, 10), buy(1, 10))
    world.setMarket({ status: 'cancel_only' })
    expect(codes(world, 'alice', cancelSeq(1))).toEqual(['ok'])
    world.setMarket({ status: 'halted' })
    expect(codes(world, 'alice', cancelSeq(2), cancelAll(1))).toEqual(['marketHalted', 'marketHalted'])
  })
})
