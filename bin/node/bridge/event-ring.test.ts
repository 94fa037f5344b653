import { describe, expect, it } from 'vitest'
import type { BridgeEvent } from '../../../core/bridge-event.ts'
import { MOST_EVENTS } from '../../../daemons/bridge/event-chain.ts'
import { EventRing } from './event-ring.ts'

const contract = { chainId: 1n, address: new Uint8Array(20) }
const other = { chainId: 2n, address: new Uint8Array(20) }
const event = (id: number, amount = 1n): BridgeEvent => ({
  id,
  amount,
  from: new Uint8Array(20),
  recipient: new Uint8Array(20),
  dataHash: new Uint8Array(32),
  externalHeight: 1n,
})
const range = (from: number, to: number): BridgeEvent[] =>
  Array.from({ length: to - from }, (_, index) => event(from + index))
const ids = (ring: EventRing, from: number, max = 1_000): number[] =>
  ring.events(contract, from, max).map(({ id }) => id)

const ring = (): EventRing => {
  const made = new EventRing()
  made.follow(contract, 3)
  made.take(contract, true, range(0, 8))
  return made
}

describe('the ring of events', () => {
  it('answers what follows an id, and no more than asked', () => {
    const known = ring()
    expect(ids(known, 3)).toEqual([3, 4, 5, 6, 7])
    expect(ids(known, 5, 2)).toEqual([5, 6])
    expect(ids(known, 2)).toEqual([])
    expect(ids(known, 8)).toEqual([])
    expect(known.events(other, 3, 9)).toEqual([])
  })

  it('forgets what is acknowledged, and all of another contract', () => {
    const known = ring()
    expect(known.follow(contract, 6)).toBe(true)
    expect(known.follow(contract, 6)).toBe(false)
    expect(ids(known, 6)).toEqual([6, 7])
    known.follow(other, 0)
    known.take(contract, false, range(8, 9))
    expect(known.events(contract, 6, 9)).toEqual([])
    expect(known.events(other, 0, 9)).toEqual([])
  })

  it('refuses a gap, a repetition and more than it holds', () => {
    expect(() => ring().take(contract, false, [event(9)])).toThrow(/event 9 was told after event 7/)
    expect(() => ring().take(contract, false, [event(7)])).toThrow(/event 7 was told after event 7/)
    expect(() => ring().take(contract, false, range(8, MOST_EVENTS + 8))).toThrow(/more than 512/)
  })

  it('takes the same again from a daemon that starts anew', () => {
    const known = ring()
    known.take(contract, true, range(3, 5))
    expect(ids(known, 3)).toEqual([3, 4])
    known.take(contract, false, range(5, 9))
    expect(ids(known, 3)).toEqual([3, 4, 5, 6, 7, 8])
  })

  it('answers nothing any more once a daemon tells another event by the same id', () => {
    const known = ring()
    known.take(contract, true, [event(3), event(4, 2n)])
    expect(known.contradiction?.message).toMatch(/event 4 is another one than before/)
    expect(ids(known, 3)).toEqual([])
    known.take(contract, true, range(3, 8))
    expect(ids(known, 3)).toEqual([])
    known.follow(other, 0)
    expect(known.contradiction).toBeUndefined()
  })
})
