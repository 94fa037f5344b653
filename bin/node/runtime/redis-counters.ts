/** Buckets of rates in Redis, for gateways that share a limit. The client library is loaded where a server is configured, and only there. */
import type { SharedCounters } from '../../../rpc/shared-limiter.ts'
import { cliError } from '../../errors.ts'

export interface RedisCounters extends SharedCounters {
  close(): void
}

const PREFIX = '{nat-chain:rate}:'
/** A gateway goes on by itself meanwhile. */
const ANSWER_MS = 1_000
const CONNECT_MS = 2_000
const MOST_RETRY_MS = 5_000

/**
 * All buckets of one exchange, by the clock of the server. A bucket that would be full is forgotten: one that is not there is full.
 * What is no number (NaN differs from itself) is taken for a full one, or it would stay for ever.
 * In one hash slot, so that a cluster takes it too.
 */
const SCRIPT = `
local rate, capacity, least = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local left = {}
for i, key in ipairs(KEYS) do
  local held = redis.call('HMGET', key, 'units', 'at')
  local units = tonumber(held[1]) or capacity
  local at = tonumber(held[2]) or now
  if units ~= units or at ~= at then units, at = capacity, now end
  units = math.min(capacity, units + math.max(0, now - at) * rate / 1000)
  units = math.max(least, units - tonumber(ARGV[i + 3]))
  redis.call('HSET', key, 'units', tostring(units), 'at', string.format('%.3f', now))
  redis.call('PEXPIRE', key, math.ceil((capacity - units) / rate * 1000) + 1000)
  left[i] = tostring(units)
end
return left`

/** Without the password that may stand in it. */
const nameOf = (url: string): string => {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}

const withinTime = async <T>(answer: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(cliError('unreachable', `no answer within ${ANSWER_MS} ms`)), ANSWER_MS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}

/** NaN for what the script does not answer: the limiter takes that as a failure. */
const unitsOf = (answer: unknown): number => (typeof answer === 'string' && answer !== '' ? Number(answer) : NaN)

/** Connects in the background, and again when the server has gone: the first exchange need not succeed. */
export const connectRedis = async (url: string): Promise<RedisCounters> => {
  const { createClient } = await import('@redis/client')
  let fault = 'not connected yet'
  const client = createClient({
    url,
    // What cannot be sent now is counted here.
    disableOfflineQueue: true,
    commandsQueueMaxLength: 100,
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: (retries: number) => Math.min(MOST_RETRY_MS, 100 * 2 ** Math.min(retries, 10)),
    },
  })
  client.on('error', (error: unknown) => {
    fault = error instanceof Error ? error.message || error.name : String(error)
  })
  void client.connect().catch((error: unknown) => {
    fault = String(error)
  })
  return {
    name: nameOf(url),
    exchange: async (spent, { unitsPerSecond, capacity, least }) => {
      if (!client.isReady) throw cliError('unreachable', fault)
      const answer = await withinTime(
        client.eval(SCRIPT, {
          keys: spent.map((each) => PREFIX + each.client),
          arguments: [unitsPerSecond, capacity, least, ...spent.map(({ units }) => units)].map(String),
        }),
      )
      return Array.isArray(answer) ? answer.map(unitsOf) : []
    },
    close: () => client.destroy(),
  }
}
