import { describe, expect, it } from 'vitest'
import type { Hex } from '../../core/hex.ts'
import { LogIndex } from './log-index.ts'
import { createMatcher, type LogView } from './match-logs.ts'

/** A linear congruential generator: the same numbers in each run. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const name = (index: number): Hex => `0x${index}`

describe('an index of logs', () => {
  it('leaves out no log that criteria match, in the order of the logs', () => {
    const random = numbers(7)
    const some = (most: number): Hex[] => Array.from({ length: random(most + 1) }, () => name(random(6)))
    for (let run = 0; run < 300; run++) {
      const logs: LogView[] = Array.from({ length: random(40) }, () => ({ address: name(random(4)), topics: some(4) }))
      const index = new LogIndex(logs)
      for (let each = 0; each < 20; each++) {
        const criteria = { addresses: some(2), topics: Array.from({ length: random(5) }, () => some(3)) }
        const matches = createMatcher(criteria)
        const candidates = index.candidates(criteria)
        const found = candidates.filter((place) => matches(logs[place] ?? { address: '', topics: [] }))
        expect(found).toEqual(logs.flatMap((log, place) => (matches(log) ? [place] : [])))
        expect(new Set(candidates).size).toBe(candidates.length)
      }
    }
  })

  it('gives none where one of the criteria names nothing that happened, whatever the others name', () => {
    const logs = Array.from({ length: 1_000 }, () => ({ address: name(1), topics: [name(2), name(3)] }))
    const index = new LogIndex(logs)
    for (const criteria of [
      { addresses: [name(9)], topics: [[name(2)]] },
      { addresses: [name(1)], topics: [[name(2)], [name(9), name(8)]] },
      { addresses: [], topics: [[], [], [name(2)]] },
    ]) {
      expect(index.candidates(criteria)).toEqual([])
    }
    expect(index.candidates({ addresses: [], topics: [] })).toHaveLength(1_000)
  })
})
