import { describe, expect, it } from 'vitest'
import { utf8ToBytes } from '../../../core/bytes.ts'
import type { Action } from '../orders/clob-tx.ts'
import { buy, cancelId, sell, World } from './testing/world.ts'

const replace = (orderSeq: number, by: Action, keepPriority = false): Action => {
  if (by.kind !== 'place') throw new TypeError('a Replace places')
  return { kind: 'replace', target: { kind: 'seq', orderSeq }, place: by.place, keepPriority }
}

const fundedWorld = (): World => {
  const world = new World()
  for (const name of ['alice', 'bob']) world.fund(name, { base: 1_000n, quote: 1_000n })
  return world
}

const codes = (world: World, from: string, ...actions: Action[]): string[] =>
  world.act(from, ...actions).map(({ code }) => code)

describe('Replace', () => {
  it('takes the target out and places with its funds, behind the others', () => {
    const world = fundedWorld()
    world.act('alice', buy(100, 10))
    expect(world.balance('alice', 'quote')).toBe(0n)
    expect(world.act('alice', replace(1, buy(50, 20)))).toEqual([{ code: 'ok', orderSeq: 2, filledLots: 0, quote: 0n }])
    expect([world.open(), world.escrow('quote')]).toEqual([{ 2: 50 }, 1_000n])
  })

  it('changes nothing where the Place is refused', () => {
    const world = fundedWorld()
    world.act('bob', sell(5, 10))
    world.act('alice', buy(100, 9))
    const bad = [buy(101, 10), buy(6, 10, { tif: 'fok' }), buy(1, 10, { tif: 'post_only' })].map((by) => replace(2, by))
    expect(codes(world, 'alice', ...bad)).toEqual(['insufficientFunds', 'cannotFill', 'wouldTake'])
    expect([world.open(), world.escrow('quote')]).toEqual([{ 1: 5, 2: 100 }, 900n])
    expect(world.nextSeq()).toBe(3)
  })

  it('does not meet its own target', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 10))
    expect(codes(world, 'alice', replace(1, buy(5, 10, { tif: 'post_only' })))).toEqual(['ok'])
    expect(world.open()).toEqual({ 2: 5 })
  })

  it('keeps the order_seq only with the flag, the same side and price and no more lots', () => {
    const world = fundedWorld()
    world.act('alice', buy(5, 10), buy(5, 10))
    expect(world.act('alice', replace(1, buy(3, 10), true))).toMatchObject([{ code: 'ok', orderSeq: 1 }])
    expect([world.open(), world.escrow('quote')]).toEqual([{ 1: 3, 2: 5 }, 80n])
    expect(world.act('alice', replace(1, buy(4, 10), true))).toMatchObject([{ orderSeq: 3 }])
    expect(world.act('alice', replace(2, buy(5, 11), true))).toMatchObject([{ orderSeq: 4 }])
    expect(world.act('alice', replace(4, buy(5, 11)))).toMatchObject([{ orderSeq: 5 }])
    expect(world.act('bob', sell(1, 10, { tif: 'ioc' }))).toMatchObject([{ filledLots: 1 }])
    expect(world.open()).toEqual({ 3: 4, 5: 4 })
  })

  it('gives a kept order its new client id, expiry and the rest', () => {
    const world = fundedWorld()
    const clientId = utf8ToBytes('new')
    world.act('alice', buy(5, 10, { clientId: utf8ToBytes('old') }), buy(5, 10, { clientId: utf8ToBytes('other') }))
    const expireS = Math.floor(world.timeMs / 1_000) + 2
    const by = { clientId, expireS, stp: 'decrement', maxFills: 3, tif: 'post_only' } as const
    expect(codes(world, 'alice', replace(1, buy(5, 10, by), true))).toEqual(['ok'])
    expect(world.order(1)).toMatchObject({ ...by, lots: 5, left: 5 })
    const taken = buy(5, 10, { clientId: utf8ToBytes('other') })
    expect(codes(world, 'alice', replace(1, taken, true), cancelId('old'))).toEqual(['clientIdTaken', 'orderNotFound'])
    world.block()
    // The new expiry holds.
    expect(world.open()).toEqual({ 2: 5 })
  })

  it('fills like any Place', () => {
    const world = fundedWorld()
    world.act('bob', sell(5, 12))
    world.act('alice', buy(5, 10))
    expect(world.act('alice', replace(2, buy(7, 12)))).toEqual([{ code: 'ok', orderSeq: 3, filledLots: 5, quote: 60n }])
    expect(world.open()).toEqual({ 3: 2 })
  })
})
