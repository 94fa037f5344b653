import { describe, expect, it, vi } from 'vitest'
import { Interruption, SliceOver } from './interruption.ts'

/** Clocks that are set by hand. */
const clocks = () => {
  const now = { wallMs: 1_000, usedMs: 50 }
  return { now, clock: { nowMs: () => now.wallMs, usedMs: () => now.usedMs } }
}

const setUp = (sliceMs: number) => {
  const { now, clock } = clocks()
  const cancelled = new Int32Array(4)
  const onSlow = vi.fn<() => void>()
  const interruption = new Interruption({ clock, cancelled, timeoutMs: 5_000, onSlow })
  interruption.begin({ id: 7, place: 2, sliceMs })
  return { now, cancelled, onSlow, interruption }
}

describe('Interruption', () => {
  it('counts the time that passed while a question is quick, and never asks for that of the thread', () => {
    const { now, onSlow, interruption } = setUp(20)
    now.wallMs += 0.5
    interruption.check()
    expect(interruption.usedMs()).toBe(0.5)
    expect(onSlow).not.toHaveBeenCalled()
  })

  it('says once that a question is slow, and from then on counts the time of the thread', () => {
    const { now, onSlow, interruption } = setUp(20)
    now.wallMs += 3
    now.usedMs += 2
    interruption.check()
    now.wallMs += 100
    now.usedMs += 10
    interruption.check()
    expect(onSlow).toHaveBeenCalledTimes(1)
    // The first look found two, the second one ten more.
    expect(interruption.usedMs()).toBe(12)
  })

  it('counts no time in which the thread waited for a processor', () => {
    const { now, interruption } = setUp(20)
    now.wallMs += 30
    now.usedMs += 0.5
    expect(interruption.usedMs()).toBe(0.5)
  })

  it('ends a slice by the time of the thread, and the whole by the clock on the wall', () => {
    const { now, interruption } = setUp(20)
    now.wallMs += 2
    interruption.check()
    now.wallMs += 1_000
    now.usedMs += 15
    expect(() => interruption.check()).not.toThrow()
    now.usedMs += 10
    expect(() => interruption.check()).toThrow(SliceOver)
    now.wallMs += 5_000
    expect(() => interruption.check()).toThrow('execution aborted (timeout = 5s)')
  })

  it('ends the question of its own place that nobody waits for, and no other', () => {
    const { cancelled, interruption } = setUp(20)
    cancelled[1] = 7
    cancelled[2] = 6
    expect(() => interruption.check()).not.toThrow()
    cancelled[2] = 7
    expect(() => interruption.check()).toThrow('nobody waits for the answer any more')
  })
})
