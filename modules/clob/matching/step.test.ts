import { describe, expect, it } from 'vitest'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { buy, cancelId, cancelSeq, sell, World } from './testing/world.ts'

const fundedWorld = (...changes: ConstructorParameters<typeof World>): World => {
  const world = new World(...changes)
  for (const name of ['alice', 'bob', 'carol']) world.fund(name, { base: 1_000_000n, quote: 1_000_000n })
  return world
}

describe('a step in a continuous market', () => {
  it('rests an order, fills it by a taker at its price, and moves the coins', () => {
    const world = fundedWorld()
    expect(world.act('alice', sell(5, 100))).toEqual([{ code: 'ok', orderSeq: 1, filledLots: 0, quote: 0n }])
    expect([world.balance('alice', 'base'), world.escrow('base')]).toEqual([999_950n, 50n])
    expect(world.act('bob', buy(3, 110))).toEqual([{ code: 'ok', orderSeq: 2, filledLots: 3, quote: 300n }])
    expect(world.open()).toEqual({ 1: 2 })
    expect([world.balance('bob', 'base'), world.balance('bob', 'quote')]).toEqual([1_000_030n, 999_700n])
    expect([world.balance('alice', 'quote'), world.escrow('base'), world.escrow('quote')]).toEqual([
      1_000_300n,
      20n,
      0n,
    ])
  })

  it('cancels by order_seq and by client id', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 100), sell(6, 101, { clientId: utf8ToBytes('a') }))
    expect(world.act('bob', cancelSeq(1)).map(({ code }) => code)).toEqual(['orderNotFound'])
    expect(world.act('alice', cancelSeq(1), cancelId('a'), cancelId('a')).map(({ code }) => code)).toEqual([
      'ok',
      'ok',
      'orderNotFound',
    ])
    expect([world.open(), world.escrow('base'), world.balance('alice', 'base')]).toEqual([{}, 0n, 1_000_000n])
  })
})
