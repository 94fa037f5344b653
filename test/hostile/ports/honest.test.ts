import { describe, expect, it } from 'vitest'
import { EVERY_MS, type HonestSample, latencies, percentile } from './honest.ts'

const sample = (milliseconds: number): HonestSample => ({ method: 'eth_call', milliseconds, failure: undefined })

describe('what the honest client felt', () => {
  it('counts a long wait once for each call that it kept from being asked', () => {
    expect(latencies([sample(3), sample(EVERY_MS), sample(4 * EVERY_MS)])).toEqual([3, 50, 200, 150, 100, 50])
  })

  it('is not hidden by many quick answers before one long wait', () => {
    const quick = Array.from({ length: 100 }, () => sample(2))
    const stalled = [...quick, sample(5_000)]
    expect(
      percentile(
        stalled.map(({ milliseconds }) => milliseconds),
        95,
      ),
    ).toBe(2)
    expect(percentile(latencies(stalled), 95)).toBeGreaterThan(4_000)
  })

  it('is no number when nothing was asked, so that no limit is kept by silence', () => {
    expect(percentile([], 95)).toBeNaN()
  })
})
