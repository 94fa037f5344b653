import { describe, expect, it } from 'vitest'
import { Random } from '../../../test/sim/random.ts'
import { LotSum } from './lot-sum.ts'
import { SortedChunks } from './sorted-chunks.ts'

interface Pair {
  readonly key: number
  readonly tie: number
}

describe('a sorted set in chunks', () => {
  it.each([1, 2, 3])('does what a sorted array does (seed %i)', (seed) => {
    const random = new Random(seed)
    const chunks = new SortedChunks<Pair>()
    const model: Pair[] = []
    for (let tie = 1; tie < 6_000; tie++) {
      if (model.length > 0 && random.below(3) === 0) {
        const [gone] = model.splice(random.below(model.length), 1)
        if (gone !== undefined) chunks.remove(gone.key, gone.tie)
      } else {
        const pair = { key: random.below(2_000) - 1_000, tie }
        chunks.insert(pair.key, tie, pair)
        model.push(pair)
      }
      if (tie % 50 !== 0) continue
      const sorted = model.toSorted((a, b) => b.key - a.key || b.tie - a.tie)
      expect([chunks.size, chunks.last, chunks.first]).toEqual([model.length, sorted[0], sorted.at(-1)])
      const limit = random.below(2_400) - 1_200
      const within = model.filter(({ key }) => key <= limit).toSorted((a, b) => a.tie - b.tie)
      expect(chunks.leastTieUpTo(limit)).toEqual(within[0])
      if (tie % 1_000 !== 0) continue
      expect([...chunks.descending()]).toEqual(sorted)
      expect([...chunks.descending(limit)]).toEqual(sorted.filter(({ key }) => key <= limit))
    }
  })
})

describe('a sum of lots', () => {
  it('is exact above 2^53', () => {
    const random = new Random(7)
    const sum = new LotSum()
    const added: number[] = []
    let exact = 0n
    for (let at = 0; at < 2_000; at++) {
      if (added.length > 0 && random.below(2) === 0) {
        const lots = added.pop() ?? 0
        sum.subtract(lots)
        exact -= BigInt(lots)
      } else {
        const lots = 2 ** 53 - 1 - random.below(1_000)
        sum.add(lots)
        added.push(lots)
        exact += BigInt(lots)
      }
      expect(sum.value).toBe(exact)
    }
  })
})
