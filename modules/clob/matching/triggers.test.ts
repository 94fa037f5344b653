import { describe, expect, it } from 'vitest'
import { readRecord } from '../keeper/index.ts'
import type { Market } from '../domain/market.ts'
import type { OpenOrder } from '../domain/order.ts'
import type { Action } from '../orders/clob-tx.ts'
import { buy, sell, World } from './testing/world.ts'

const fundedWorld = (changes: Partial<Market> = {}): World => {
  const world = new World([changes])
  for (const name of ['alice', 'bob', 'carol']) world.fund(name, { base: 1_000_000n, quote: 1_000_000n })
  return world
}

/** A trade of one lot between others. */
const trade = (world: World, priceTicks: number, lots = 1): void => {
  world.block({ from: 'bob', actions: [sell(lots, priceTicks)] }, { from: 'carol', actions: [buy(lots, priceTicks)] })
}

const trigger = (triggerKind: OpenOrder['triggerKind'], triggerTicks: number) => ({ triggerKind, triggerTicks })
const priceOf = (world: World): number => readRecord(world.state, 1)?.blockPriceTicks ?? 0

describe('the block price', () => {
  it('is the average of the fills by volume, rounded down to a tick', () => {
    const world = fundedWorld()
    world.act('bob', sell(2, 100), sell(1, 102))
    world.act('carol', buy(3, 102))
    expect(priceOf(world)).toBe(100)
    const before = readRecord(world.state, 1)
    expect(before).toMatchObject({ priceMs: 0n, sinceMs: world.timeMs - 1_000 })
    world.block()
    expect(readRecord(world.state, 1)).toEqual(before)
    trade(world, 50)
    expect(readRecord(world.state, 1)).toMatchObject({
      blockPriceTicks: 50,
      priceMs: 100n * 2_000n,
      sinceMs: world.timeMs - 1_000,
    })
  })

  it('changes only where the fills are worth trigger_notional', () => {
    const world = fundedWorld({ triggerNotional: 200n })
    trade(world, 199)
    expect(priceOf(world)).toBe(0)
    trade(world, 100, 2)
    expect(priceOf(world)).toBe(100)
  })
})

describe('triggers', () => {
  it.each<[string, Action, number, boolean]>([
    ['a stop buy fires at its price', buy(1, 300, trigger('stop', 100)), 100, true],
    ['a stop buy fires above it', buy(1, 300, trigger('stop', 100)), 101, true],
    ['a stop buy waits below it', buy(1, 300, trigger('stop', 100)), 99, false],
    ['a stop sell fires at its price', sell(1, 300, trigger('stop', 100)), 100, true],
    ['a stop sell fires below it', sell(1, 300, trigger('stop', 100)), 99, true],
    ['a stop sell waits above it', sell(1, 300, trigger('stop', 100)), 101, false],
    ['a take-profit buy fires below its price', buy(1, 300, trigger('take_profit', 100)), 99, true],
    ['a take-profit buy waits above it', buy(1, 300, trigger('take_profit', 100)), 101, false],
    ['a take-profit sell fires above its price', sell(1, 300, trigger('take_profit', 100)), 101, true],
    ['a take-profit sell waits below it', sell(1, 300, trigger('take_profit', 100)), 99, false],
  ])('%s', (_, action, price, fires) => {
    const world = fundedWorld()
    expect(world.act('alice', action)).toMatchObject([{ code: 'ok', orderSeq: 1, filledLots: 0 }])
    expect(world.open()).toEqual({ 1: 1 })
    trade(world, price)
    expect(world.open()).toEqual(fires ? { 4: 1 } : { 1: 1 })
    if (fires) expect(world.order(4)).toMatchObject({ triggerKind: 'none', triggerTicks: 0, lots: 1 })
  })

  it('rest in no level, and are matched by nobody before', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 50, trigger('stop', 40)))
    expect(readRecord(world.state, 1)).toMatchObject({ bestAskTicks: 0, openOrders: 1 })
    expect(world.act('bob', buy(1, 60))).toMatchObject([{ filledLots: 0 }])
    expect(world.escrow('base')).toBe(50n)
  })

  it('fire by order_seq with their funds, and what they fill makes no price', () => {
    const world = fundedWorld()
    world.act('alice', sell(2, 90, trigger('stop', 100)), sell(2, 80, { ...trigger('stop', 100), tif: 'ioc' }))
    world.act('bob', buy(3, 95))
    trade(world, 99)
    // The bid of 95 is met by the first wholly, by the second with what is left; the rest of an IOC order is cancelled.
    expect([world.open(), priceOf(world), world.escrow('base')]).toEqual([{}, 99, 0n])
    expect(world.balance('alice', 'quote')).toBe(1_000_000n + 2n * 95n + 95n)
    world.block()
    expect(priceOf(world)).toBe(99)
  })

  it('stay removed where the Place is refused', () => {
    const world = fundedWorld({ bandPpm: 100_000 })
    world.act('alice', buy(1, 200, trigger('stop', 100)), buy(1, 100, { ...trigger('stop', 100), tif: 'fok' }))
    trade(world, 100)
    expect([world.open(), world.escrow('quote'), world.nextSeq()]).toEqual([{}, 0n, 5])
  })

  it('fire at most as many a block as number and weight allow, the rest in the next', () => {
    const world = fundedWorld()
    world.setParameters({ maxTriggers: 2 })
    world.act('alice', ...Array.from({ length: 5 }, () => sell(1, 300, trigger('stop', 100))))
    trade(world, 100)
    expect(Object.keys(world.open())).toEqual(['3', '4', '5', '8', '9'])
    world.setParameters({ maxTriggers: 100, triggerWeight: 30 })
    world.block()
    expect(Object.keys(world.open())).toEqual(['4', '5', '8', '9', '10'])
    world.block()
    world.block()
    expect(Object.keys(world.open())).toEqual(['8', '9', '10', '11', '12'])
  })

  it('wait while the market is not active, and never fire when they are dead', () => {
    const world = fundedWorld()
    const expireS = Math.floor(world.timeMs / 1_000) + 2
    world.setParameters({ maxRemovals: 0 })
    world.act('alice', sell(1, 300, trigger('stop', 100)), sell(1, 300, { ...trigger('stop', 100), expireS }))
    trade(world, 101)
    world.setMarket({ status: 'post_only' })
    world.block()
    expect(world.open()).toEqual({ 1: 1, 2: 1 })
    world.setMarket({ status: 'active' })
    trade(world, 100)
    // The dead one waits to be removed.
    expect(world.open()).toEqual({ 2: 1, 7: 1 })
  })

  it('fire in the block that placed them, when the price is there already', () => {
    const world = fundedWorld()
    trade(world, 100)
    expect(world.act('alice', sell(1, 300, trigger('stop', 100)))).toMatchObject([{ code: 'ok', orderSeq: 3 }])
    expect(world.open()).toEqual({ 4: 1 })
  })
})
