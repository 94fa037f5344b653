import { describe, expect, it } from 'vitest'
import { HealthClock, STEP_MS } from './health-clock.ts'

const START_MS = Date.parse('2026-01-02T03:04:05.000Z')

const bench = (maxUnhealthySeconds: number | undefined) => {
  let nowMs = 0
  const options = { name: 'bridge', maxUnhealthySeconds, nowMs: () => nowMs, wallMs: () => START_MS + nowMs }
  const clock = new HealthClock(options)
  /** Steps of a second with a report each, until it must halt. */
  const run = (seconds: number, error?: string, reports = true): string | undefined => {
    for (let second = 0; second < seconds; second++) {
      nowMs += STEP_MS
      if (reports) clock.report(error)
      const verdict = clock.step()
      if (verdict !== undefined) return `${nowMs / 1000}: ${verdict}`
    }
    return undefined
  }
  return { clock, run, pass: (ms: number) => (nowMs += ms) }
}

describe('the health of a daemon', () => {
  it('halts the node after more than the limit, with name, error and since when', () => {
    const { run } = bench(10)
    expect(run(5)).toBeUndefined()
    expect(run(60, 'no answer')).toBe(
      '17: the daemon "bridge" has been unhealthy for more than 10 s, since 2026-01-02T03:04:11.000Z: no answer',
    )
  })

  it('begins to count again after it was healthy', () => {
    const { run, clock } = bench(10)
    for (let times = 0; times < 20; times++) {
      expect(run(9, 'no answer')).toBeUndefined()
      expect(run(1)).toBeUndefined()
    }
    expect(clock.health()).toEqual({ name: 'bridge', healthy: true })
  })

  it('is bad when it is silent, and when it never reported', () => {
    const silent = bench(10)
    silent.run(1)
    expect(silent.run(60, undefined, false)).toMatch(/unhealthy for more than 10 s, since .*: it is silent$/)
    expect(bench(10).run(60, undefined, false)).toMatch(/it has not reported yet$/)
    const failed = bench(100)
    failed.run(3, 'no answer')
    failed.run(9, undefined, false)
    expect(failed.clock.health()).toMatchObject({ healthy: false, error: 'it is silent; before: no answer' })
  })

  it('does not count the time in which the node itself was stopped', () => {
    const { run, clock, pass } = bench(10)
    run(3, 'no answer')
    pass(3_600_000)
    expect(clock.step()).toBeUndefined()
    expect(run(4, 'no answer')).toBeUndefined()
  })

  it.each([undefined, 2 ** 31 / 1000, 4_294_967_294])('lets it be for a limit of %s seconds', (limit) => {
    const { run, clock } = bench(limit)
    expect(run(100_000, 'no answer')).toBeUndefined()
    expect(clock.health()).toMatchObject({ healthy: false, error: 'no answer' })
  })
})
