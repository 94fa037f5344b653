import { describe, expect, it } from 'vitest'
import { Random } from '../../test/sim/random.ts'
import { LocalBook } from './local-book.ts'
import type { BookLevel, BookUpdate } from './messages.ts'

type Totals = Map<number, BookLevel>

/** The slow obvious model: totals by price, sorted whenever one looks. */
const sorted = (totals: Totals, sign: 1 | -1): readonly BookLevel[] =>
  [...totals.values()].toSorted((a, b) => sign * (a.priceTicks - b.priceTicks))

const change = (random: Random, totals: Totals): readonly BookLevel[] => {
  const changed: Totals = new Map()
  for (let count = random.below(6); count > 0; count--) {
    const priceTicks = 1 + random.below(12)
    const isGone = random.chance(40)
    changed.set(priceTicks, { priceTicks, lots: isGone ? 0n : BigInt(1 + random.below(99)), orders: isGone ? 0 : 1 })
  }
  for (const level of changed.values()) {
    if (level.lots === 0n) totals.delete(level.priceTicks)
    else totals.set(level.priceTicks, level)
  }
  return [...changed.values()]
}

const at = (height: number, sequence: number, previousSequence: number): BookUpdate => ({
  ...{ market: 1, height, timeMs: height * 1_000, sequence, previousSequence, isSnapshot: false, bids: [], asks: [] },
})

const snapshotAt = (height: number, sequence: number): BookUpdate => ({
  ...at(height, sequence, sequence),
  isSnapshot: true,
})

describe('a local book', () => {
  it.each([1, 2, 3, 4])('is what a model of totals says, whatever comes (seed %i)', (seed) => {
    const random = new Random(seed)
    const [bids, asks]: [Totals, Totals] = [new Map(), new Map()]
    const book = new LocalBook(1)
    let sequence = random.below(100)
    for (let height = 1; height <= 1_000; height++) {
      const previous = sequence
      const changes = { bids: change(random, bids), asks: change(random, asks) }
      sequence += random.below(3)
      const isSnapshot = height === 1 || random.chance(2)
      const told = isSnapshot ? { bids: sorted(bids, -1), asks: sorted(asks, 1) } : changes
      book.apply({ ...at(height, sequence, isSnapshot ? sequence : previous), ...told, isSnapshot })
      expect(book.bids).toEqual(sorted(bids, -1))
      expect(book.asks).toEqual(sorted(asks, 1))
      const price = 1 + random.below(12)
      expect(book.levelAt('buy', price)).toEqual(bids.get(price))
      expect([book.height, book.sequence]).toEqual([height, sequence])
    }
  })

  it.each([
    ['a block is missing', at(12, 7, 5)],
    ['a block comes twice', at(10, 5, 5)],
    ['records are missing', at(11, 9, 6)],
    ['records come twice', at(11, 9, 4)],
    ['the block is of another market', { ...at(11, 6, 5), market: 2 }],
  ])('says nothing after a gap: %s', (_, wrong) => {
    const book = new LocalBook(1)
    book.apply({ ...snapshotAt(10, 5), bids: [{ priceTicks: 3, lots: 4n, orders: 1 }] })
    const gap = expect.objectContaining({ kind: 'gap' }) as unknown
    expect(() => book.apply(wrong)).toThrow(gap as Error)
    expect(book.isReady).toBe(false)
    expect(() => book.bids).toThrow(gap as Error)
    expect(() => book.apply(at(13, 9, 9))).toThrow(gap as Error)
    book.apply(snapshotAt(14, 9))
    expect([book.bids, book.height]).toEqual([[], 14])
  })

  it('begins with a snapshot', () => {
    expect(() => new LocalBook(1).apply(at(1, 0, 0))).toThrow('no snapshot')
    expect(() => new LocalBook(1).height).toThrow('waits for a snapshot')
  })
})
