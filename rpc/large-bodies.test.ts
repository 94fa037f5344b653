import { describe, expect, it, vi } from 'vitest'
import { LargeBodies, type PausableBody } from './large-bodies.ts'

class Body implements PausableBody {
  isPaused = false
  pause(): void {
    this.isPaused = true
  }
  resume(): void {
    this.isPaused = false
  }
}

const readingOf = (bodies: readonly Body[]): number[] =>
  bodies.flatMap(({ isPaused }, index) => (isPaused ? [] : [index]))

describe('large bodies', () => {
  it('reads four at once, the next one when one is answered', () => {
    const large = new LargeBodies()
    const bodies = Array.from({ length: 6 }, () => new Body())
    for (const body of bodies) large.begin(body, 'client')
    expect(readingOf(bodies)).toEqual([0, 1, 2, 3])
    large.arrived(bodies[1] as Body, true)
    large.end(bodies[1] as Body)
    expect(readingOf(bodies)).toEqual([0, 1, 2, 3, 4])
    large.end(bodies[5] as Body)
    large.end(bodies[0] as Body)
    expect([large.reading, large.waiting]).toEqual([3, 0])
    large.close()
  })

  it('passes the place of one that stalls, and of one that is slow, to those that wait, and lets whole ones finish', () => {
    vi.useFakeTimers()
    try {
      const large = new LargeBodies()
      const bodies = Array.from({ length: 6 }, () => new Body())
      for (const body of bodies) large.begin(body, 'client')
      const [whole, slow, stalled] = bodies as [Body, Body, Body]
      large.arrived(whole, true)
      for (let passed = 0; passed < 2_000; passed += 50) {
        vi.advanceTimersByTime(50)
        large.arrived(slow)
      }
      expect(whole.isPaused).toBe(false)
      const turns = new Set<Body>()
      for (let passed = 0; passed < 2_000; passed += 50) {
        vi.advanceTimersByTime(50)
        for (const body of bodies) if (!body.isPaused) turns.add(body)
      }
      expect(turns.has(slow) && turns.has(stalled)).toBe(true)
      expect(turns.size).toBe(bodies.length)
      expect(large.reading).toBe(4)
      for (const body of bodies) large.end(body)
      expect([large.reading, large.waiting]).toEqual([0, 0])
    } finally {
      vi.useRealTimers()
    }
  })

  it('gives clients turns, and a new body one between those of its client that gave way', () => {
    vi.useFakeTimers()
    try {
      const large = new LargeBodies()
      const greedy = Array.from({ length: 400 }, () => new Body())
      for (const body of greedy) large.begin(body, 'greedy')
      vi.advanceTimersByTime(1_000)
      const other = new Body()
      large.begin(other, 'other')
      const own = new Body()
      large.begin(own, 'greedy')
      expect([other.isPaused, own.isPaused]).toEqual([true, true])
      const turns = new Set<Body>()
      for (let passed = 0; passed < 600; passed += 50) {
        vi.advanceTimersByTime(50)
        for (const body of [other, own]) if (!body.isPaused) turns.add(body)
      }
      expect(turns.has(other)).toBe(true)
      // Its client's first turns of all 400 are not over: it stands behind the new ones of that client.
      expect(turns.has(own)).toBe(false)
      for (const body of [...greedy, own, other]) large.end(body)
      expect([large.reading, large.waiting]).toEqual([0, 0])
    } finally {
      vi.useRealTimers()
    }
  })
})
