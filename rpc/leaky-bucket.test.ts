import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LeakyBucket } from './leaky-bucket.ts'

/** How many of `count` are taken. */
const takenOf = (bucket: LeakyBucket, count: number): number =>
  Array.from({ length: count }, () => bucket.add(1)).filter(Boolean).length

describe('a leaky bucket', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('takes so many at once and no more', () => {
    const bucket = new LeakyBucket({ atOnce: 3, perSecond: 1 })
    expect(takenOf(bucket, 10)).toBe(3)
    expect(takenOf(bucket, 10)).toBe(0)
  })

  it('takes what is forgiven in a second, also of one who never stops', () => {
    const bucket = new LeakyBucket({ atOnce: 8, perSecond: 4 })
    expect(takenOf(bucket, 1_000)).toBe(8)
    for (let second = 0; second < 60; second++) {
      vi.advanceTimersByTime(1_000)
      expect(takenOf(bucket, 1_000)).toBe(4)
    }
    vi.advanceTimersByTime(3_600_000)
    expect(takenOf(bucket, 1_000)).toBe(8)
  })

  it('forgives what was done in return, and keeps no credit', () => {
    const bucket = new LeakyBucket({ atOnce: 3, perSecond: 1 })
    bucket.forgive(100)
    expect(takenOf(bucket, 10)).toBe(3)
    bucket.forgive(2)
    expect(takenOf(bucket, 10)).toBe(2)
  })

  it('takes an amount whole or not', () => {
    const bucket = new LeakyBucket({ atOnce: 512, perSecond: 256 })
    expect(bucket.add(512)).toBe(true)
    vi.advanceTimersByTime(1_000)
    expect(bucket.add(257)).toBe(false)
  })
})
