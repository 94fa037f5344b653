/**
 * A limit of rates that several gateways share. Each answers from buckets of its own, at once, and tells the shared counters a few
 * times a second what its clients have spent; what all have spent together comes back and is owed. So a client may exceed the
 * limit by what the gateways have at the beginning of an exchange, and pays for it afterwards. Where the counters are away each
 * gateway counts by itself.
 */
import { createRateLimiter, type RateLimiter, type RateLimiterOptions } from './limits.ts'
import { clientOf } from './addresses.ts'
import type { GatewayLog } from './log.ts'

export interface Spending {
  readonly client: string
  readonly units: number
}

/** Buckets outside of this process. */
export interface SharedCounters {
  /** Such as the address of a server. */
  readonly name: string
  /** Takes what was spent, and tells what is left to each client, in order. Rejects when it is away. */
  exchange(
    spent: readonly Spending[],
    bucket: { readonly unitsPerSecond: number; readonly capacity: number; readonly least: number },
  ): Promise<readonly number[]>
}

export interface SharedLimiter extends RateLimiter {
  close(): void
}

const EXCHANGE_MS = 100
/** After a failure: nobody waits for it, and what was spent meanwhile is counted here alone. */
const RETRY_MS = 1_000
/** Clients of one exchange; the others have the next. */
const MAX_CLIENTS = 1_000
/** Clients that wait to be told: above it what further ones spend is counted here alone. */
const MAX_WAITING = 20_000

/** A bucket that held what is no number would let everything pass for ever. */
const isNumbers = (left: readonly number[], count: number): boolean =>
  left.length === count && left.every((units) => Number.isFinite(units))

export const createSharedLimiter = (
  options: RateLimiterOptions,
  counters: SharedCounters,
  log: GatewayLog,
): SharedLimiter => {
  const local = createRateLimiter(options)
  const spent = new Map<string, number>()
  const bucket = { unitsPerSecond: options.unitsPerSecond, capacity: local.capacity, least: local.least }
  let isAway = false
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const note = (address: string, units: number): void => {
    const client = clientOf(address)
    const before = spent.get(client)
    if (before === undefined && spent.size >= MAX_WAITING) return
    spent.set(client, (before ?? 0) + units)
    plan(isAway ? RETRY_MS : EXCHANGE_MS)
  }

  const plan = (ms: number): void => {
    if (timer !== undefined || isClosed) return
    timer = setTimeout(() => void exchange(), ms)
    timer.unref()
  }

  const nextBatch = (): readonly Spending[] => {
    const batch: Spending[] = []
    for (const [client, units] of spent) {
      batch.push({ client, units })
      spent.delete(client)
      if (batch.length >= MAX_CLIENTS) break
    }
    return batch
  }

  const goOnAlone = (reason: string): void => {
    if (!isAway) {
      log.warn('the shared counters of rates are away: this gateway counts by itself', {
        counters: counters.name,
        reason,
      })
    }
    isAway = true
  }

  const exchange = async (): Promise<void> => {
    try {
      const batch = nextBatch()
      const left = await counters.exchange(batch, bucket)
      if (!isNumbers(left, batch.length)) return goOnAlone(`the answer is not ${batch.length} numbers`)
      // What came in meanwhile is spent here, and not told yet.
      for (const [index, { client }] of batch.entries()) {
        local.set(client, (left[index] ?? 0) - (spent.get(client) ?? 0))
      }
      if (isAway) log.info('the shared counters of rates answer again', { counters: counters.name })
      isAway = false
    } catch (error) {
      goOnAlone(error instanceof Error ? error.message : String(error))
    } finally {
      timer = undefined
      if (spent.size > 0) plan(isAway ? RETRY_MS : EXCHANGE_MS)
    }
  }

  return {
    take(address, cost) {
      const waitSeconds = local.take(address, cost)
      if (waitSeconds === 0) note(address, cost)
      return waitSeconds
    },
    charge(address, cost) {
      if (cost <= 0) return
      local.charge(address, cost)
      note(address, cost)
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
