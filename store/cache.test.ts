import { describe, expect, it } from 'vitest'
import { BoundedCache } from './cache.ts'
import { seededRandom } from './testing/seeded-random.ts'

describe('BoundedCache', () => {
  it('never tells a value that was set anew, and holds no more than its capacity', () => {
    const pick = seededRandom(1)
    const capacity = 1000
    const cache = new BoundedCache<Uint8Array>(capacity, (value) => value.length)
    const model = new Map<string, Uint8Array>()
    for (let i = 0; i < 20_000; i++) {
      const key = String(pick(60))
      const value = pick(3) === 0 ? new Uint8Array(pick(20) === 0 ? 700 : pick(100)) : undefined
      if (value !== undefined) {
        cache.set(key, value)
        model.set(key, value)
      }
      // What is too heavy is not kept; everything else is there right after it was set.
      const kept = value !== undefined && value.length <= capacity / 2
      expect(kept ? [value] : [undefined, model.get(key)]).toContain(cache.get(key))
    }
    // Twice, for a look moves entries between the generations.
    const held = [...model.keys()].filter((key) => cache.get(key) !== undefined)
    const still = held.filter((key) => cache.get(key) !== undefined)
    const weight = still.reduce((sum, key) => sum + (model.get(key)?.length ?? 0), 0)
    expect(still.length).toBeGreaterThan(0)
    expect(weight).toBeLessThanOrEqual(capacity)
  })

  it('forgets what is deleted, in either generation, and takes its weight off', () => {
    const cache = new BoundedCache<number>(20)
    for (let i = 0; i < 15; i++) cache.set(`key ${i}`, i)
    for (let i = 0; i < 15; i++) cache.delete(`key ${i}`)
    for (let i = 0; i < 15; i++) expect(cache.get(`key ${i}`)).toBeUndefined()
    for (let i = 0; i < 10; i++) cache.set(`other ${i}`, i)
    for (let i = 0; i < 10; i++) expect(cache.get(`other ${i}`)).toBe(i)
  })

  it('keeps what is used and drops what is not', () => {
    const cache = new BoundedCache<number>(20)
    cache.set('used', 1)
    cache.set('unused', 2)
    for (let i = 0; i < 200; i++) {
      cache.set(`other ${i}`, i)
      expect(cache.get('used')).toBe(1)
    }
    expect(cache.get('unused')).toBeUndefined()
  })
})
