import { describe, expect, it } from 'vitest'
import type { Hex } from '../core/hex.ts'
import { type Filter, Filters } from './filters.ts'
import { PendingRing } from './pending-ring.ts'

const BOUNDS = { lifetimeMs: 1_000, most: 40, mostOfClient: 10, bytes: 1_000_000, bytesOfClient: 300_000 }
const id = (number: number): Hex => `0x${number.toString(16)}`
const blocks = (): Filter => ({ kind: 'blocks', next: 0 })
const withChoices = (count: number): Filter => ({
  kind: 'logs',
  criteria: { addresses: Array.from({ length: count }, (): Hex => '0x'), topics: [] },
  next: { height: 0, log: 0 },
})

const isThere = (filters: Filters, number: number, nowMs = 0): boolean => {
  try {
    return filters.use(id(number), nowMs) !== undefined
  } catch {
    return false
  }
}

describe('filters', () => {
  it('are bounded for each client, who cannot use up those of another', () => {
    const filters = new Filters(BOUNDS)
    for (let number = 0; number < 10; number++) filters.add(id(number), blocks(), 'a', 0)
    expect(() => filters.add(id(10), blocks(), 'a', 0)).toThrow('too many filters')
    filters.add(id(11), blocks(), 'b', 0)
    filters.remove(id(0))
    filters.add(id(12), blocks(), 'a', 0)
  })

  it('have a budget for their criteria', () => {
    const filters = new Filters(BOUNDS)
    filters.add(id(0), withChoices(2_000), 'a', 0)
    expect(() => filters.add(id(1), withChoices(2_000), 'a', 0)).toThrow('too many filters')
    expect(filters.bytes).toBeLessThan(BOUNDS.bytesOfClient)
    filters.remove(id(0))
    expect(filters.bytes).toBe(0)
  })

  it('of many clients hit the greediest when they are too many, at what it has not polled for longest', () => {
    const filters = new Filters(BOUNDS)
    for (let number = 0; number < 10; number++) filters.add(id(number), blocks(), 'greedy', 0)
    for (let number = 10; number < 40; number++) filters.add(id(number), blocks(), `client ${number % 5}`, 0)
    expect(isThere(filters, 0)).toBe(true)
    filters.add(id(40), blocks(), 'new', 0)
    expect(isThere(filters, 1)).toBe(false)
    for (const number of [0, 2, 9, 10, 39, 40]) expect(isThere(filters, number)).toBe(true)
  })

  it('are forgotten when nobody polls them, and give their room back', () => {
    const filters = new Filters(BOUNDS)
    for (let number = 0; number < 10; number++) filters.add(id(number), blocks(), 'a', 0)
    expect(isThere(filters, 5, 900)).toBe(true)
    filters.add(id(10), blocks(), 'a', 1_500)
    expect([4, 5, 10].map((number) => isThere(filters, number, 1_600))).toEqual([false, true, true])
    expect(isThere(filters, 5, 9_000)).toBe(false)
  })
})

describe('the ring of pending transactions', () => {
  it('remembers the newest, under numbers that go on', () => {
    const ring = new PendingRing(4)
    const hash = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`
    for (let number = 0; number < 11; number++) ring.push(hash(number))
    expect([ring.begin, ring.end]).toEqual([7, 11])
    for (let number = ring.begin; number < ring.end; number++) expect(ring.at(number)).toBe(hash(number))
  })
})
