import { describe, expect, it } from 'vitest'
import { fitVotes, type WeighedVote } from './fit-votes.ts'

const vote = (bytes: number, power = 1n, isTaken = true): WeighedVote => ({ bytes, power, isTaken })
const fit = (votes: readonly WeighedVote[], bytes: number, totalPower?: bigint) =>
  fitVotes(votes, {
    bytes,
    emptyBytes: 2,
    totalPower: totalPower ?? votes.reduce((sum, { power }) => sum + power, 0n),
  })

describe('votes that do not all fit', () => {
  it('are all taken where they fit to the byte', () => {
    expect(fit([vote(68), vote(500), vote(68)], 636)).toEqual([true, true, true])
  })

  it('lose the largest first, and of equal ones the first', () => {
    expect(fit([vote(68), vote(500), vote(68), vote(68)], 703)).toEqual([true, false, true, true])
    const equal = Array.from({ length: 7 }, () => vote(100))
    expect(fit(equal, 699)).toEqual([false, true, true, true, true, true, true])
    expect(fit(equal, 601)).toEqual([false, false, true, true, true, true, true])
  })

  it('keep the largest where two thirds need it, and lose smaller ones in its place', () => {
    expect(fit([vote(500, 5n), vote(100), vote(90), vote(80)], 700)).toEqual([true, false, true, true])
  })

  it('fall to two thirds or below where nothing else fits', () => {
    expect(fit([vote(500), vote(500), vote(500)], 1_100)).toEqual([false, true, true])
    expect(fit([vote(500), vote(500), vote(500)], 6)).toEqual([false, false, false])
  })

  it('have no form at all where empty ones do not fit', () => {
    expect(fit([vote(500), vote(500), vote(500)], 5)).toBeUndefined()
    expect(fit([], -1)).toBeUndefined()
    expect(fit([], 0)).toEqual([])
  })

  it('are not taken where they never were', () => {
    expect(fit([vote(500, 1n, false), vote(68), vote(68), vote(68)], 206, 4n)).toEqual([false, true, true, true])
  })
})
