import { describe, expect, it } from 'vitest'
import { formatRate, formatSpan, Trend, Work } from './progress.ts'

describe('the progress of a work', () => {
  it.each([
    [0.2, '0 s'],
    [48.4, '48 s'],
    [60, '1 min'],
    [200, '3 min 20 s'],
    [7_500, '2 h 5 min'],
    [349_200, '4 d 1 h'],
    [-5, '0 s'],
  ])('writes %s seconds as %s', (seconds, text) => expect(formatSpan(seconds)).toBe(text))

  it.each([
    [0.0123, '0.0123'],
    [12.3456, '12.3'],
    [1234.5, '1235'],
  ])('writes a rate of %s as %s', (rate, text) => expect(formatRate(rate)).toBe(text))

  it('is said with rate and time left, not more often than asked, and at the end', () => {
    let now = 0
    const lines: string[] = []
    const work = new Work({ unit: 'blocks', total: 100, nowMs: () => now, say: (line) => lines.push(line) })
    for (let count = 1; count <= 100; count++) {
      now += 100
      work.done(count)
    }
    expect(lines).toEqual([
      '20 of 100 blocks, 10 a second, 8 s left',
      '40 of 100 blocks, 10 a second, 6 s left',
      '60 of 100 blocks, 10 a second, 4 s left',
      '80 of 100 blocks, 10 a second, 2 s left',
      '100 of 100 blocks, 10 a second',
    ])
  })

  it('has no time left where nobody knows the end', () => {
    let now = 0
    const lines: string[] = []
    const work = new Work({ unit: 'chunks', nowMs: () => now, say: (line) => lines.push(line) })
    now = 4_000
    work.done(10)
    expect(lines).toEqual(['10 chunks, 2.5 a second'])
  })

  it('has a rate of its newest part alone', () => {
    const trend = new Trend(10_000)
    expect(trend.perSecond()).toBeUndefined()
    for (let second = 0; second <= 60; second++) trend.add(second * 1_000, second < 40 ? 0 : (second - 40) * 5)
    expect(trend.perSecond()).toBe(5)
  })
})
