import { describe, expect, it } from 'vitest'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { readMarks, readRecord } from '../keeper/index.ts'
import type { Market } from '../domain/market.ts'
import type { Action } from '../orders/clob-tx.ts'
import { buy, cancelId, cancelSeq, sell, World } from './testing/world.ts'

const fundedWorld = (changes: Partial<Market> = {}): World => {
  const world = new World([changes])
  for (const name of ['alice', 'bob', 'carol']) world.fund(name, { base: 1_000_000n, quote: 1_000_000n })
  return world
}

const codes = (world: World, from: string, ...actions: Action[]): string[] =>
  world.act(from, ...actions).map(({ code }) => code)

describe('a Place in a continuous market', () => {
  it('meets the best price first, then the lowest order_seq, at the resting price', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 102), sell(5, 101), sell(5, 101), sell(5, 100))
    expect(world.act('bob', buy(12, 101))).toEqual([
      { code: 'ok', orderSeq: 5, filledLots: 12, quote: 5n * 100n + 7n * 101n },
    ])
    expect(world.open()).toEqual({ 1: 5, 3: 3 })
  })

  it('rests with what it did not fill, and not beyond its price', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 100), sell(5, 103))
    expect(world.act('bob', buy(8, 102))).toMatchObject([{ code: 'ok', filledLots: 5 }])
    expect(world.open()).toEqual({ 2: 5, 3: 3 })
    expect(readRecord(world.state, 1)).toMatchObject({ bestBidTicks: 102, bestAskTicks: 103, openOrders: 2 })
    expect([world.escrow('quote'), world.balance('bob', 'quote')]).toEqual([306n, 1_000_000n - 500n - 306n])
  })

  it('cancels what an IOC order leaves, and takes nothing of it', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 100))
    expect(world.act('bob', buy(8, 100, { tif: 'ioc' }))).toMatchObject([{ code: 'ok', orderSeq: 2, filledLots: 5 }])
    expect([world.open(), world.escrow('quote'), world.balance('bob', 'quote')]).toEqual([{}, 0n, 999_500n])
  })

  it('fills a FOK order whole or not at all, and looks at no more than max_fills', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 100), sell(5, 101), sell(5, 102))
    expect(codes(world, 'bob', buy(11, 101, { tif: 'fok' }))).toEqual(['cannotFill'])
    expect(codes(world, 'bob', buy(10, 101, { tif: 'fok', maxFills: 1 }))).toEqual(['cannotFill'])
    expect(world.open()).toEqual({ 1: 5, 2: 5, 3: 5 })
    expect(world.act('bob', buy(10, 101, { tif: 'fok', maxFills: 2 }))).toMatchObject([{ code: 'ok', orderSeq: 4 }])
    expect(world.open()).toEqual({ 3: 5 })
  })

  it('cancels with a code what is left after max_fills orders', () => {
    const world = fundedWorld()
    world.act('alice', sell(1, 100), sell(1, 100), sell(1, 100))
    expect(world.act('bob', buy(5, 100, { maxFills: 2 }))).toEqual([
      { code: 'maxFillsMet', orderSeq: 4, filledLots: 2, quote: 200n },
    ])
    expect([world.open(), world.escrow('quote')]).toEqual([{ 3: 1 }, 0n])
  })

  it('never takes where it is post-only: refused, or one tick off the best of the other side', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 100), buy(5, 90))
    expect(codes(world, 'bob', buy(1, 100, { tif: 'post_only' }))).toEqual(['wouldTake'])
    expect(codes(world, 'bob', buy(1, 99, { tif: 'post_only' }))).toEqual(['ok'])
    expect(codes(world, 'bob', buy(1, 120, { tif: 'post_only', postOnlyMode: 'slide' }))).toEqual(['ok'])
    expect(world.order(4)?.priceTicks).toBe(99)
    expect(codes(world, 'carol', sell(1, 1, { tif: 'post_only', postOnlyMode: 'slide' }))).toEqual(['ok'])
    expect(world.order(5)?.priceTicks).toBe(100)
    const low = fundedWorld()
    low.act('alice', sell(1, 1))
    expect(codes(low, 'bob', buy(1, 5, { tif: 'post_only', postOnlyMode: 'slide' }))).toEqual(['wouldTake'])
  })

  it.each([
    ['cancel_maker', 'ok', { 2: 5, 3: 3 }],
    ['cancel_taker', 'selfTrade', { 1: 2, 2: 5 }],
    ['cancel_both', 'selfTrade', { 2: 5 }],
    ['decrement', 'ok', { 2: 5, 3: 1 }],
  ] as const)('does not trade with its owner: %s', (stp, code, open) => {
    const world = fundedWorld()
    world.act('alice', sell(2, 100), sell(5, 110))
    expect(codes(world, 'alice', buy(3, 100, { stp }))).toEqual([code])
    expect(world.open()).toEqual(open)
    expect(world.balance('alice', 'base') + world.escrow('base')).toBe(1_000_000n)
    expect(world.balance('alice', 'quote') + world.escrow('quote')).toBe(1_000_000n)
  })

  it('decrements the greater order by the lesser one, and gives back what is not locked any more', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 100))
    expect(codes(world, 'alice', buy(2, 100, { stp: 'decrement' }))).toEqual(['ok'])
    expect([world.open(), world.escrow('base'), world.escrow('quote')]).toEqual([{ 1: 3 }, 30n, 0n])
  })

  it('counts own and dead orders among max_fills', () => {
    const world = fundedWorld()
    world.act('bob', sell(1, 100))
    world.act('alice', sell(1, 101))
    expect(world.act('bob', buy(2, 101, { maxFills: 1 }))).toMatchObject([{ code: 'maxFillsMet', filledLots: 0 }])
    expect(world.open()).toEqual({ 2: 1 })
  })

  it.each<[string, Partial<Market>, Action]>([
    ['unknownMarket', {}, buy(1, 100, { market: 2 })],
    ['marketHalted', { status: 'halted' }, buy(1, 100)],
    ['cancelOnly', { status: 'cancel_only' }, buy(1, 100)],
    ['postOnlyMarket', { status: 'post_only' }, buy(1, 100)],
    ['ok', { status: 'post_only' }, buy(1, 100, { tif: 'post_only' })],
    ['ok', { status: 'post_only' }, buy(1, 100, { triggerKind: 'stop', triggerTicks: 5 })],
    ['amountTooLarge', { factor: 2n ** 43n }, buy(2 ** 52, 1)],
    ['insufficientFunds', { factor: 2n ** 42n }, buy(2 ** 52, 1)],
    ['amountTooLarge', { lotSize: 2n ** 75n }, sell(2 ** 52, 1)],
    ['belowMinNotional', { minNotional: 101n }, buy(1, 100)],
    ['ok', { minNotional: 100n }, buy(1, 100)],
    ['expired', {}, buy(1, 100, { expireS: 1_700_000_000 })],
    ['insufficientFunds', {}, buy(10_001, 100)],
    ['ok', {}, buy(10_000, 100)],
    ['insufficientFunds', { fees: [{ volume: 0n, makerPpm: 0, takerPpm: 1 }] }, buy(10_000, 100)],
    ['insufficientFunds', {}, sell(100_001, 100)],
    ['ok', {}, sell(100_000, 100)],
    ['notInUniform', { mode: 'uniform' }, buy(1, 100, { tif: 'fok' })],
    ['notInUniform', { mode: 'uniform' }, buy(1, 100, { triggerKind: 'stop', triggerTicks: 5 })],
  ])('%s in a market of %o', (code, changes, action) => {
    const world = fundedWorld(changes)
    expect(codes(world, 'alice', action)).toEqual([code])
    if (code !== 'ok') expect([world.nextSeq(), world.open()]).toEqual([1, {}])
  })

  it('spends in the same step what a fill credits and a cancel gives back', () => {
    const world = new World()
    world.fund('alice', { base: 10n })
    world.fund('bob', { quote: 100n })
    const [sold, bought] = world.block(
      { from: 'alice', actions: [sell(1, 100)] },
      { from: 'bob', actions: [buy(1, 100), sell(1, 90), cancelSeq(3), sell(1, 95)] },
    )
    expect([sold?.[0]?.code, bought?.map(({ code }) => code)]).toEqual(['ok', ['ok', 'ok', 'ok', 'ok']])
    expect(world.act('alice', buy(1, 95), buy(1, 5))).toMatchObject([{ code: 'ok', filledLots: 1 }, { code: 'ok' }])
    expect([world.balance('bob', 'quote'), world.balance('alice', 'base')]).toEqual([95n, 10n])
  })

  it('keeps a client id for one open order of an owner, label and market', () => {
    const world = fundedWorld()
    const clientId = utf8ToBytes('x')
    expect(codes(world, 'alice', buy(1, 100, { clientId }), buy(1, 99, { clientId }))).toEqual(['ok', 'clientIdTaken'])
    const other = { from: 'alice', actions: [buy(1, 99, { clientId })], changes: { subaccount: 1 } }
    expect(world.block(other)[0]?.[0]?.code).toBe('ok')
    expect(codes(world, 'bob', buy(1, 99, { clientId }))).toEqual(['ok'])
    expect(codes(world, 'alice', cancelId('x'), buy(1, 98, { clientId }))).toEqual(['ok', 'ok'])
  })

  it('bounds open orders by account and by account and market, not orders that never rest', () => {
    const world = fundedWorld({ maxOpenOrders: 2 })
    world.setMarket({ id: 2 })
    world.setParameters({ maxOpenOrders: 3 })
    expect(codes(world, 'alice', buy(1, 10), buy(1, 10), buy(1, 10))).toEqual(['ok', 'ok', 'accountMarketOrders'])
    const second = { market: 2 }
    expect(codes(world, 'alice', buy(1, 10, second), buy(1, 10, second))).toEqual(['ok', 'accountOrders'])
    expect(codes(world, 'alice', buy(1, 10, { tif: 'ioc' }), cancelSeq(1), buy(1, 10))).toEqual(['ok', 'ok', 'ok'])
  })

  it('is refused beyond the band around the block price, where it can take', () => {
    const world = fundedWorld({ bandPpm: 100_000 })
    expect(codes(world, 'alice', sell(5, 5_000), sell(5, 1_000))).toEqual(['ok', 'ok'])
    expect(codes(world, 'bob', buy(1, 1_000))).toEqual(['ok'])
    expect(readRecord(world.state, 1)).toMatchObject({ blockPriceTicks: 1_000 })
    expect(codes(world, 'bob', buy(1, 1_100), buy(1, 1_101))).toEqual(['ok', 'outsideBand'])
    expect(codes(world, 'bob', sell(1, 900, { tif: 'ioc' }), sell(1, 899), buy(1, 1))).toEqual([
      'ok',
      'outsideBand',
      'ok',
    ])
    expect(codes(world, 'bob', buy(1, 4_000, { tif: 'post_only', postOnlyMode: 'slide' }))).toEqual(['ok'])
  })
})

describe('marks of cancels', () => {
  const at = (world: World, nonce: number, ...actions: Action[]) =>
    world
      .block({ from: 'alice', actions, changes: { nonceMs: world.timeMs + nonce, goodTilBlock: 3 } })[0]
      ?.map(({ code }) => code)

  it('refuse a Place with a smaller nonce until the good_til_block of the cancel', () => {
    const clientId = utf8ToBytes('x')
    const world = fundedWorld()
    const start = world.timeMs
    const from = (nonce: number) => start - world.timeMs + nonce
    expect(at(world, 10, cancelId('x'))).toEqual(['orderNotFound'])
    expect(readMarks(world.state, 1)).toHaveLength(1)
    expect(at(world, from(9), buy(1, 10, { clientId }))).toEqual(['marked'])
    expect(at(world, from(8), buy(1, 10, { clientId }), buy(1, 10))).toEqual(['marked', 'ok'])
    const late = { from: 'alice', actions: [buy(1, 10, { clientId })], changes: { nonceMs: start + 7 } }
    expect(world.block(late)[0]?.[0]?.code).toBe('ok')
  })

  it('of a CancelAll name market, side and label', () => {
    const world = fundedWorld()
    expect(at(world, 10, { kind: 'cancelAll', market: 0, side: 'buy' })).toEqual(['ok'])
    expect(at(world, -995, buy(1, 10), sell(1, 10), cancelSeq(1))).toEqual(['marked', 'ok', 'ok'])
    const other = { from: 'alice', actions: [buy(1, 10)], changes: { subaccount: 7, nonceMs: world.timeMs - 2_000 } }
    expect(world.block(other)[0]?.[0]?.code).toBe('ok')
  })

  it('hold within the block, and an equal or greater nonce passes', () => {
    const world = fundedWorld()
    const clientId = utf8ToBytes('x')
    const { timeMs } = world
    const send = (nonceMs: number, action: Action) => ({ from: 'alice', actions: [action], changes: { nonceMs } })
    const became = world.block(
      send(timeMs + 5, cancelId('x')),
      send(timeMs + 4, buy(1, 10, { clientId })),
      send(timeMs + 6, buy(1, 10, { clientId })),
    )
    expect(became.map(([each]) => each?.code)).toEqual(['orderNotFound', 'marked', 'ok'])
  })

  it('come of a Replace without a target, which places nothing', () => {
    const world = fundedWorld()
    const clientId = utf8ToBytes('x')
    const place = buy(1, 10, { clientId })
    if (place.kind !== 'place') return
    const target = { kind: 'client', clientId } as const
    expect(at(world, 10, { kind: 'replace', target, place: place.place, keepPriority: false })).toEqual([
      'orderNotFound',
    ])
    expect(at(world, -995, place)).toEqual(['marked'])
  })
})
