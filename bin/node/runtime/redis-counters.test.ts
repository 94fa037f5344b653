/** Limits of rates that gateways share in a real Redis, and what becomes of them while it is away. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSharedLimiter, type SharedLimiter } from '../../../rpc/shared-limiter.ts'
import { findRedis, type RedisServer, startRedis } from '../../testing/redis-server.ts'
import { connectRedis, type RedisCounters } from './redis-counters.ts'

const binary = findRedis()
/** So slow that nothing comes back during a test. */
const OPTIONS = { unitsPerSecond: 0.001, burst: 100, nowMs: () => performance.now() }
const BUCKET = { unitsPerSecond: 0.001, capacity: 100, least: -60 }

describe.skipIf(binary === undefined)('counters in Redis', () => {
  let redis: RedisServer
  const counters: RedisCounters[] = []
  const limiters: SharedLimiter[] = []
  const lines: string[] = []
  const add = (message: string): void => void lines.push(message)
  const log = { info: add, warn: add, error: add }

  const gateway = async (): Promise<SharedLimiter> => {
    const connected = await connectRedis(redis.url)
    counters.push(connected)
    const limiter = createSharedLimiter(OPTIONS, connected, log)
    limiters.push(limiter)
    return limiter
  }
  const left = async (client: string): Promise<number | undefined> =>
    (await counters[0]?.exchange([{ client, units: 0 }], BUCKET).catch(() => undefined))?.[0]
  const take = (limiter: SharedLimiter, count: number): number => {
    let taken = 0
    for (let i = 0; i < count; i++) if (limiter.take('192.0.2.1', 1) === 0) taken++
    return taken
  }

  beforeEach(async () => {
    redis = await startRedis(binary ?? '')
    lines.length = 0
  })
  afterEach(async () => {
    for (const limiter of limiters.splice(0)) limiter.close()
    for (const each of counters.splice(0)) each.close()
    await redis.stop()
  })

  it('are one bucket for all gateways', async () => {
    const [first, second] = [await gateway(), await gateway()]
    await expect.poll(() => left('192.0.2.1')).toBe(100)
    expect(take(first, 70)).toBe(70)
    await expect.poll(() => left('192.0.2.1')).toBeCloseTo(30, 0)
    // The second learns of it with the first that it spends itself.
    expect(take(second, 10)).toBe(10)
    await expect.poll(() => left('192.0.2.1')).toBeCloseTo(20, 0)
    // What it may have had beyond what there was is owed.
    expect(take(second, 1_000)).toBeGreaterThan(0)
    await expect.poll(() => left('192.0.2.1')).toBeLessThan(1)
    expect(take(second, 1_000)).toBe(0)
    expect(await left('192.0.2.2')).toBe(100)
    expect(lines).toEqual([])
  })

  it('may be away: each gateway counts by itself then, says so once, and finds them again', async () => {
    const limiter = await gateway()
    await expect.poll(() => left('x')).toBe(100)
    await redis.stop()
    expect(take(limiter, 60)).toBe(60)
    await expect.poll(() => lines).toHaveLength(1)
    expect(lines[0]).toContain('are away: this gateway counts by itself')
    expect(take(limiter, 1_000)).toBe(40)
    await redis.start()
    await expect
      .poll(() => {
        limiter.charge('198.51.100.1', 1)
        return lines.length
      })
      .toBe(2)
    expect(lines[1]).toContain('answer again')
  })

  it('are full again where another program wrote what is no number', async () => {
    await gateway()
    await expect.poll(() => left('x')).toBe(100)
    const socket = connect(Number(new URL(redis.url).port), '127.0.0.1')
    socket.write('HSET {nat-chain:rate}:192.0.2.1 units nan at nan\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    socket.destroy()
    expect(answer.toString()).toBe(':2\r\n')
    expect(await left('192.0.2.1')).toBe(100)
  })

  it('forget buckets that are full again', async () => {
    await gateway()
    const fast = { unitsPerSecond: 1e6, capacity: 1e6, least: 0 }
    await expect.poll(() => left('x')).toBe(100)
    await counters[0]?.exchange([{ client: 'fast', units: 1e6 }], fast)
    await expect.poll(async () => (await counters[0]?.exchange([{ client: 'fast', units: 0 }], fast))?.[0]).toBe(1e6)
  })
})
