import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { giveBackMemory } from './give-back-memory.ts'

const LOOK_MS = 5_000
const MIB = 1024 * 1024

/** Whether V8 collects in `run`: nothing else refers to the object. */
const collects = async (run: () => void): Promise<boolean> => {
  const made = new WeakRef({ text: 'garbage' })
  // A reference holds its object until the turn in which it was made is over.
  await new Promise(setImmediate)
  run()
  return made.deref() === undefined
}

describe('the memory of a gateway', () => {
  let bytes = 0
  let utilization = 0
  beforeEach(() => {
    bytes = 100 * MIB
    utilization = 0
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => bytes)
    vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({ idle: 0, active: 0, utilization }))
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
  const look = (looks = 1): void => void vi.advanceTimersByTime(looks * LOOK_MS)

  it('is collected when it has grown and the process is at rest', async () => {
    const watch = giveBackMemory()
    expect(await collects(look)).toBe(false)
    bytes += 63 * MIB
    expect(await collects(() => look(5))).toBe(false)
    // Growth is counted from the least there was.
    bytes -= 100 * MIB
    look()
    bytes += 64 * MIB
    expect(await collects(look)).toBe(true)
    watch.stop()
  })

  it('is collected again where it stays, ever less often, and at once where it grows', async () => {
    const watch = giveBackMemory()
    bytes += 200 * MIB
    expect(await collects(look)).toBe(true)
    // Connections held it then, and are gone: nothing grows, and there is garbage all the same.
    for (const pause of [2, 4, 8, 12, 12]) {
      expect(await collects(() => look(pause - 1))).toBe(false)
      expect(await collects(look)).toBe(true)
    }
    bytes += 64 * MIB
    expect(await collects(look)).toBe(true)
    watch.stop()
  })

  it('of a busy process is collected at the sixth look', async () => {
    const watch = giveBackMemory()
    utilization = 0.9
    bytes += 200 * MIB
    expect(await collects(() => look(5))).toBe(false)
    expect(await collects(look)).toBe(true)
    watch.stop()
  })

  it('is left alone after the end', async () => {
    const watch = giveBackMemory()
    watch.stop()
    bytes += 200 * MIB
    expect(await collects(() => look(10))).toBe(false)
  })
})
