/** Limits of rates: a bucket of cost units for each client, refilled with time. */
import { clientOf, createTrust, plainAddress } from './addresses.ts'

export { clientOf, createAddressFinder, type FindAddress, type Origin } from './addresses.ts'

export interface RateLimiter {
  /** Takes `cost` units of who is behind an address. Returns 0, or the seconds to wait when nothing was taken. */
  take(address: string, cost: number): number
  /** Takes what work has cost that is done: the bucket may owe for it. */
  charge(address: string, cost: number): void
}

/**
 * For what was let in before its cost was known: it may owe that, unless its client owes something already. Returns 0, or
 * the seconds to wait.
 */
export const admitLater = (limiter: RateLimiter | undefined, address: string, cost: number): number => {
  const waitSeconds = limiter?.take(address, 0) ?? 0
  if (waitSeconds === 0) limiter?.charge(address, cost)
  return waitSeconds
}

/** With what {@link createSharedLimiter} of shared-limiter.ts needs. */
export interface LocalLimiter extends RateLimiter {
  readonly capacity: number
  /** The most that a bucket may owe, below zero. */
  readonly least: number
  /** Sets what is left to a client. */
  set(client: string, units: number): void
}

interface Bucket {
  units: number
  updatedMs: number
}

/** Clients that are remembered at once; who asked least recently is forgotten first, and its bucket is the fullest of its kind. */
const MAX_BUCKETS = 100_000
/** What a bucket may owe, in seconds of its rate: nobody is locked out for longer. */
const MOST_DEBT_SECONDS = 60

export interface RateLimiterOptions {
  readonly unitsPerSecond: number
  /** Units that can be saved up; at least one second's. A request that costs more than that passes on a full bucket, which then owes. */
  readonly burst: number
  nowMs(): number
}

export const createRateLimiter = (options: RateLimiterOptions): LocalLimiter => {
  const { unitsPerSecond, nowMs } = options
  const capacity = Math.max(options.burst, unitsPerSecond)
  const least = -MOST_DEBT_SECONDS * unitsPerSecond
  /** The buckets in the order in which they were asked for. */
  const buckets = new Map<string, Bucket>()

  const bucketOf = (client: string): Bucket => {
    const now = nowMs()
    const known = buckets.get(client)
    if (known !== undefined) {
      buckets.delete(client)
      buckets.set(client, known)
      known.units = Math.min(capacity, known.units + ((now - known.updatedMs) / 1_000) * unitsPerSecond)
      known.updatedMs = now
      return known
    }
    const [oldest] = buckets.keys()
    if (buckets.size >= MAX_BUCKETS && oldest !== undefined) buckets.delete(oldest)
    const bucket = { units: capacity, updatedMs: now }
    buckets.set(client, bucket)
    return bucket
  }

  const pay = (bucket: Bucket, cost: number): void => {
    bucket.units = Math.max(least, bucket.units - cost)
  }

  return {
    capacity,
    least,
    set(client, units) {
      bucketOf(client).units = Math.max(least, Math.min(capacity, units))
    },
    take(address, cost) {
      const bucket = bucketOf(clientOf(address))
      const price = Math.min(cost, capacity)
      if (bucket.units < price) return Math.max(1, Math.ceil((price - bucket.units) / unitsPerSecond))
      pay(bucket, cost)
      return 0
    },
    charge(address, cost) {
      if (cost > 0) pay(bucketOf(clientOf(address)), cost)
    },
  }
}

/** Whether a new connection of that peer is taken. */
export type Admission = (peer: string | undefined) => boolean

/**
 * Connections have buckets of their own, twice as large: whoever opens one for each request learns of the limit by the answers,
 * and who opens more is cut off. Those of trusted proxies are of many clients.
 */
export const createAdmission = (
  { unitsPerSecond, burst, nowMs }: RateLimiterOptions,
  trustedProxies: readonly string[],
): Admission => {
  const isTrusted = createTrust(trustedProxies)
  const limiter = createRateLimiter({ unitsPerSecond: 2 * unitsPerSecond, burst: 2 * burst, nowMs })
  return (peer = '') => {
    const address = plainAddress(peer)
    return isTrusted(address) || limiter.take(address, 1) === 0
  }
}
