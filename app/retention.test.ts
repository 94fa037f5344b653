import { describe, expect, it } from 'vitest'
import { EVERYTHING_KEPT, firstKeptFrom, isKept, type KeptRange } from '../store/kept-range.ts'
import { seededRandom } from '../store/testing/seeded-random.ts'
import { advanceKept, retainHeight, type RetainInputs } from './retention.ts'
import type { PruningSettings } from './settings.ts'

const keptOf = (range: KeptRange, head: number): readonly number[] =>
  Array.from({ length: head + 1 }, (_, height) => height).filter((height) => isKept(range, height))

const grow = (policy: PruningSettings, from: number, to: number, start = EVERYTHING_KEPT): KeptRange => {
  let range = start
  for (let height = from; height <= to; height++) range = advanceKept(range, policy, height)
  return range
}

describe('advanceKept', () => {
  it('keeps what each policy names', () => {
    expect(grow({ keepRecent: 0, interval: 0 }, 1, 100)).toEqual(EVERYTHING_KEPT)
    expect(keptOf(grow({ keepRecent: 2, interval: 0 }, 1, 100), 100)).toEqual([99, 100])
    expect(keptOf(grow({ keepRecent: 3, interval: 25 }, 1, 100), 100)).toEqual([0, 25, 50, 75, 98, 99, 100])
    expect(grow({ keepRecent: 362_880, interval: 500 }, 1, 100).from).toBe(0)
  })

  it('never names a height that was given up before, whatever the policies were', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const pick = seededRandom(seed)
      let range = EVERYTHING_KEPT
      let kept = new Set<number>()
      let policy: PruningSettings = { keepRecent: 0, interval: 0 }
      for (let height = 0; height <= 120; height++) {
        if (pick(15) === 0)
          policy = { keepRecent: pick(3) === 0 ? 0 : 2 + pick(20), interval: [0, 1, 2, 3, 4, 6][pick(6)] as number }
        kept.add(height)
        range = advanceKept(range, policy, height)
        const now = keptOf(range, height)
        for (const at of now) expect(kept.has(at), `seed ${seed}: height ${at} at ${height}`).toBe(true)
        if (policy.keepRecent > 0) expect(now).toEqual(expect.arrayContaining([height]))
        kept = new Set(now)
      }
    }
  })

  it('keeps the sparse heights of before where the new spacing is a multiple of the old, and those from now on', () => {
    const dense = grow({ keepRecent: 5, interval: 10 }, 1, 100)
    expect(keptOf(grow({ keepRecent: 5, interval: 20 }, 101, 140, dense), 140)).toEqual([
      0, 20, 40, 60, 80, 100, 120, 136, 137, 138, 139, 140,
    ])
    expect(keptOf(grow({ keepRecent: 5, interval: 15 }, 101, 140, dense), 140)).toEqual([
      105, 120, 135, 136, 137, 138, 139, 140,
    ])
    expect(keptOf(grow({ keepRecent: 0, interval: 0 }, 101, 103, dense), 103)).toEqual(keptOf(dense, 103))
  })
})

describe('firstKeptFrom', () => {
  it('is the first height that isKept finds', () => {
    const pick = seededRandom(3)
    for (let i = 0; i < 500; i++) {
      const range = { from: pick(60), interval: pick(8), sparseFrom: pick(60) }
      const height = pick(80)
      let expected = height
      while (!isKept(range, expected)) expected++
      expect(firstKeptFrom(range, height), JSON.stringify({ ...range, height })).toBe(expected)
    }
  })
})

describe('retainHeight', () => {
  const inputs: RetainInputs = {
    height: 1_000_000,
    minRetainBlocks: 1_000,
    evidenceBlocks: 100,
    unbondingHeight: 999_990,
    oldestSnapshotHeight: undefined,
  }

  it('is the lowest that any of the reasons names, and 0 when blocks are not pruned', () => {
    expect(retainHeight(inputs)).toBe(999_000)
    expect(retainHeight({ ...inputs, minRetainBlocks: 0 })).toBe(0)
    expect(retainHeight({ ...inputs, minRetainBlocks: 1, evidenceBlocks: 0, unbondingHeight: 1_000_000 })).toBe(999_998)
    expect(retainHeight({ ...inputs, evidenceBlocks: 100_000 })).toBe(900_000)
    expect(retainHeight({ ...inputs, unbondingHeight: 500_000 })).toBe(500_000)
    expect(retainHeight({ ...inputs, oldestSnapshotHeight: 42 })).toBe(42)
    expect(retainHeight({ ...inputs, height: 10 })).toBe(0)
  })
})
