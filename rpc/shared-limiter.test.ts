import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createSharedLimiter, type SharedCounters, type Spending } from './shared-limiter.ts'

const OPTIONS = { unitsPerSecond: 10, burst: 100, nowMs: () => performance.now() }

const recorder = () => {
  const lines: string[] = []
  const add = (message: string): void => void lines.push(message)
  return { lines, log: { info: add, warn: add, error: add } }
}

/** Buckets as a server would keep them, without a clock. */
const memory = () => {
  const left = new Map<string, number>()
  const seen: (readonly Spending[])[] = []
  let isAway = false
  const counters: SharedCounters = {
    name: 'memory',
    exchange: async (spent, { capacity }) => {
      if (isAway) throw new TypeError('away')
      seen.push(spent)
      return spent.map(({ client, units }) => {
        const now = (left.get(client) ?? capacity) - units
        left.set(client, now)
        return now
      })
    },
  }
  return { left, seen, counters, set: (away: boolean) => (isAway = away) }
}

describe('a limit that gateways share', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('counts what all have spent, a few times a second', async () => {
    const shared = memory()
    const { log } = recorder()
    const [first, second] = [1, 2].map(() => createSharedLimiter(OPTIONS, shared.counters, log))
    expect(first?.take('2001:db8::1', 60)).toBe(0)
    first?.charge('2001:db8::2', 10)
    expect(shared.seen).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    expect(shared.seen).toEqual([[{ client: '2001:db8:0:0::/64', units: 70 }]])
    // It does not know of them yet.
    expect(second?.take('2001:db8::3', 50)).toBe(0)
    await vi.advanceTimersByTimeAsync(100)
    expect(shared.left.get('2001:db8:0:0::/64')).toBe(-20)
    expect(second?.take('2001:db8::3', 1)).toBeGreaterThan(0)
    // Nothing is asked while nobody spends.
    await vi.advanceTimersByTimeAsync(10_000)
    expect(shared.seen).toHaveLength(2)
    first?.close()
    second?.close()
  })

  test('tells at most a thousand clients at once, and forgets none', async () => {
    const shared = memory()
    const limiter = createSharedLimiter(OPTIONS, shared.counters, recorder().log)
    for (let i = 0; i < 2_500; i++) limiter.take(`10.0.${i >> 8}.${i & 255}`, 1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(shared.seen.map(({ length }) => length)).toEqual([1_000, 1_000, 500])
    limiter.close()
  })

  test.each([
    ['no number', [NaN]],
    ['endless', [Infinity]],
    ['missing', []],
    ['one too many', [1, 2]],
  ])('takes an answer that is %s for a failure, says so once, and goes on by itself', async (_, answer) => {
    const { lines, log } = recorder()
    const limiter = createSharedLimiter(OPTIONS, { name: 'odd', exchange: async () => answer }, log)
    for (let i = 0; i < 3; i++) {
      expect(limiter.take('192.0.2.1', 30)).toBe(0)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    // 100 and what three seconds bring, less 90.
    expect(limiter.take('192.0.2.1', 41)).toBeGreaterThan(0)
    expect(lines).toEqual(['the shared counters of rates are away: this gateway counts by itself'])
    limiter.close()
  })

  test('goes on by itself while the counters are away', async () => {
    const shared = memory()
    const { lines, log } = recorder()
    const limiter = createSharedLimiter(OPTIONS, shared.counters, log)
    shared.set(true)
    for (let i = 0; i < 5; i++) {
      expect(limiter.take('192.0.2.1', 10)).toBe(0)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(lines).toEqual(['the shared counters of rates are away: this gateway counts by itself'])
    shared.set(false)
    limiter.charge('192.0.2.1', 1)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(lines.at(-1)).toBe('the shared counters of rates answer again')
    limiter.close()
  })
})
