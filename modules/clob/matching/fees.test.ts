import { describe, expect, it } from 'vitest'
import { readVolume } from '../keeper/index.ts'
import type { FeeTier, Market } from '../domain/market.ts'
import type { Action } from '../orders/clob-tx.ts'
import { addressOf, buy, cancelSeq, sell, World } from './testing/world.ts'

const tier = (makerPpm: number, takerPpm: number, volume = 0n): FeeTier => ({ volume, makerPpm, takerPpm })

const fundedWorld = (fees: readonly FeeTier[], changes: Partial<Market> = {}): World => {
  const world = new World([{ fees, ...changes }])
  for (const name of ['alice', 'bob']) world.fund(name, { base: 1_000_000n, quote: 1_000_000n })
  return world
}

const replaceSeq = (orderSeq: number, by: Action): Action => {
  if (by.kind !== 'place') throw new RangeError('a Replace places')
  return { kind: 'replace', target: { kind: 'seq', orderSeq }, place: by.place, keepPriority: true }
}

const gained = (world: World, name: string): bigint => world.balance(name, 'quote') - 1_000_000n

describe('fees', () => {
  it('round up for the taker and the maker, and go to the fee collector', () => {
    const world = fundedWorld([tier(1_000, 2_500)])
    world.act('alice', sell(1, 333))
    world.act('bob', buy(1, 333))
    // 333 x 0.25 % = 0.8325, 333 x 0.1 % = 0.333.
    expect([gained(world, 'bob'), gained(world, 'alice'), world.fees('quote')]).toEqual([-334n, 332n, 2n])
    expect([world.escrow('quote'), world.escrow('base')]).toEqual([0n, 0n])
  })

  it("may be a rebate of the maker, which rounds down and comes out of the taker's fee", () => {
    const world = fundedWorld([tier(-1_000, 2_500)])
    world.act('alice', sell(1, 1_999))
    world.act('bob', buy(1, 1_999))
    expect([gained(world, 'bob'), gained(world, 'alice'), world.fees('quote')]).toEqual([-2_004n, 2_000n, 4n])
  })

  it('are locked by a buy at the highest ppm of the market, and what is not needed comes back', () => {
    const world = fundedWorld([tier(100, 5_000), tier(-100, 1_000, 50n)])
    world.act('bob', buy(10, 100))
    expect(world.escrow('quote')).toBe(1_005n)
    world.act('alice', sell(4, 90))
    // The maker's fee of 400 is 0.04, rounded up to 1; the taker's of 400 is 2. The lock of six lots is 600 + 3.
    expect([world.escrow('quote'), gained(world, 'bob'), gained(world, 'alice')]).toEqual([603n, -1_004n, 398n])
    world.act('bob', cancelSeq(1))
    expect([world.escrow('quote'), gained(world, 'bob')]).toEqual([0n, -401n])
  })

  it('of a buy are never higher than what its lots had locked', () => {
    const world = fundedWorld([tier(5_000, 5_000)], { factor: 1n })
    world.act('bob', buy(4, 100))
    // Fees of 0.5 each: 2 are locked for four lots. One lot at a time would round up to 4.
    expect(world.escrow('quote')).toBe(402n)
    for (let at = 0; at < 4; at++) world.act('alice', sell(1, 100))
    expect([world.escrow('quote'), gained(world, 'bob')]).toEqual([0n, -402n])
  })

  it("of a resting buy do not rise with the market's", () => {
    const world = fundedWorld([tier(1_000, 1_000)])
    world.act('bob', buy(10, 100))
    world.setMarket({ fees: [tier(50_000, 50_000)] })
    world.act('alice', sell(10, 100))
    expect([gained(world, 'bob'), gained(world, 'alice'), world.escrow('quote')]).toEqual([-1_001n, 950n, 0n])
  })

  it("of a resting sell do not rise with the market's either, also where it was replaced in its place", () => {
    const world = fundedWorld([tier(1_000, 1_000)])
    world.act('bob', sell(20, 100))
    world.setMarket({ fees: [tier(50_000, 50_000)] })
    world.act('bob', replaceSeq(1, sell(10, 100)))
    world.act('alice', buy(10, 100))
    expect([gained(world, 'bob'), gained(world, 'alice'), world.escrow('quote')]).toEqual([999n, -1_050n, 0n])
  })

  it('follow what the owner traded on the 30 UTC days before, not today', () => {
    const day = 86_400_000
    const world = fundedWorld([tier(0, 10_000), tier(0, 1_000, 1_000n)])
    const trade = (): bigint => {
      const before = world.fees('quote')
      world.act('alice', sell(10, 100))
      world.act('bob', buy(10, 100))
      return world.fees('quote') - before
    }
    expect([trade(), trade()]).toEqual([10n, 10n])
    expect(readVolume(world.state, addressOf('bob'), 'quote')?.sums[0]).toBe(2_000n)
    expect(readVolume(world.state, addressOf('alice'), 'quote')?.sums[0]).toBe(2_000n)
    world.timeMs += day
    expect(trade()).toBe(1n)
    expect(readVolume(world.state, addressOf('bob'), 'quote')?.sums.slice(0, 3)).toEqual([1_000n, 2_000n, 0n])
    world.timeMs += 30 * day
    expect(trade()).toBe(1n)
    world.timeMs += 31 * day
    expect(trade()).toBe(10n)
  })

  it("are the taker's at a better price, and the surplus comes back at once", () => {
    const world = fundedWorld([tier(0, 10_000)])
    world.act('alice', sell(10, 100))
    expect(world.act('bob', buy(10, 200))).toMatchObject([{ code: 'ok', filledLots: 10, quote: 1_000n }])
    expect([gained(world, 'bob'), world.escrow('quote'), world.fees('quote')]).toEqual([-1_010n, 0n, 10n])
  })
})
