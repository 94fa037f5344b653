import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createOwnerFinder } from './connection-shares.ts'
import { Floods } from './floods.ts'

describe('clients that flood', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('wait a second from the last flood, and the others not at all', () => {
    const floods = new Floods()
    floods.note('a')
    expect([floods.waitMs('a'), floods.waitMs('b')]).toEqual([1_000, 0])
    vi.advanceTimersByTime(400)
    floods.note('a')
    expect(floods.waitMs('a')).toBe(1_000)
    vi.advanceTimersByTime(1_050)
    expect(floods.waitMs('a')).toBe(0)
  })

  it('begin one by one, and none waits for more than two seconds', () => {
    const floods = new Floods()
    floods.note('a')
    expect(Array.from({ length: 4 }, () => floods.waitMs('a'))).toEqual([1_000, 1_050, 1_100, 1_150])
    vi.advanceTimersByTime(1_000)
    expect(floods.waitMs('a')).toBe(200)
    for (let count = 0; count < 1_000; count++) expect(floods.waitMs('a')).toBeLessThanOrEqual(2_000)
    expect(floods.waitMs('a')).toBe(2_000)
    vi.advanceTimersByTime(2_100)
    expect(floods.waitMs('a')).toBe(0)
  })

  it('are not those behind a trusted proxy, and one network of IPv6 is one of them', () => {
    const floods = new Floods(createOwnerFinder(['10.0.0.0/8']))
    floods.note('10.1.2.3')
    floods.note('2001:db8::1')
    floods.note(undefined)
    expect([floods.waitMs('10.1.2.3'), floods.waitMs('::ffff:10.1.2.3'), floods.waitMs('2001:db8::2')]).toEqual([
      0, 0, 1_000,
    ])
  })

  it('are remembered up to a bound, the oldest forgotten first', () => {
    const floods = new Floods()
    floods.note('first')
    floods.note('second')
    for (let count = 0; count < 9_998; count++) floods.note(`client ${count}`)
    floods.note('first')
    floods.note('one more')
    expect([floods.waitMs('first'), floods.waitMs('second'), floods.waitMs('one more')]).toEqual([1_000, 0, 1_000])
  })
})
