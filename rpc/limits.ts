/** Limits of rates: a bucket of cost units for each address, refilled with time. */
import { BlockList, isIP } from 'node:net'
import { rpcError } from './errors.ts'

export interface RateLimiter {
  /** Takes `cost` units of an address. Returns 0, or the seconds to wait when nothing was taken. */
  take(address: string, cost: number): number
}

interface Bucket {
  units: number
  updatedMs: number
}

/** Addresses that are remembered at once; full buckets are forgotten first. */
const MAX_BUCKETS = 100_000

export interface RateLimiterOptions {
  readonly unitsPerSecond: number
  /** Units that can be saved up; at least one second's. A request that costs more than that passes on a full bucket. */
  readonly burst: number
  nowMs(): number
}

export const createRateLimiter = (options: RateLimiterOptions): RateLimiter => {
  const { unitsPerSecond, nowMs } = options
  const capacity = Math.max(options.burst, unitsPerSecond)
  const buckets = new Map<string, Bucket>()

  const forgetSome = (): void => {
    const fullBeforeMs = nowMs() - (capacity / unitsPerSecond) * 1_000
    for (const [address, bucket] of buckets) if (bucket.updatedMs <= fullBeforeMs) buckets.delete(address)
    // All are in use: the oldest goes, which at worst gives its owner a full bucket.
    const [oldest] = buckets.keys()
    if (buckets.size >= MAX_BUCKETS && oldest !== undefined) buckets.delete(oldest)
  }

  const bucketOf = (address: string): Bucket => {
    const known = buckets.get(address)
    if (known !== undefined) return known
    if (buckets.size >= MAX_BUCKETS) forgetSome()
    const bucket = { units: capacity, updatedMs: nowMs() }
    buckets.set(address, bucket)
    return bucket
  }

  return {
    take(address, cost) {
      const bucket = bucketOf(address)
      const now = nowMs()
      bucket.units = Math.min(capacity, bucket.units + ((now - bucket.updatedMs) / 1_000) * unitsPerSecond)
      bucket.updatedMs = now
      const price = Math.min(cost, capacity)
      if (bucket.units < price) return Math.max(1, Math.ceil((price - bucket.units) / unitsPerSecond))
      bucket.units -= price
      return 0
    },
  }
}

/** What of a request tells where it comes from: of HTTP, and of a call of gRPC. */
export interface Origin {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export type FindAddress = (request: Origin) => string

const parseTrusted = (entries: readonly string[]): BlockList => {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address)
    const bits = prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix)
    if (family === 0 || !Number.isInteger(bits) || bits < 0 || bits > (family === 6 ? 128 : 32)) {
      throw rpcError('failed', `trusted proxy ${entry}: expected an address or a CIDR range`)
    }
    list.addSubnet(address, bits, family === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

/** IPv4 in IPv6 clothes is the same client. */
const plain = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address)

/** X-Forwarded-For is read from its end, and only as far as the proxies are trusted. Throws rpc/failed at start. */
export const createAddressFinder = (trustedProxies: readonly string[]): FindAddress => {
  const trusted = parseTrusted(trustedProxies)
  const isTrusted = (address: string): boolean => {
    const family = isIP(address)
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
  return (request) => {
    let address = plain(request.socket.remoteAddress ?? '')
    if (trustedProxies.length === 0 || !isTrusted(address)) return address
    const forwarded = request.headers['x-forwarded-for']
    const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',')
    for (const hop of hops.reverse()) {
      const next = plain(hop.trim())
      if (isIP(next) === 0) return address
      address = next
      if (!isTrusted(address)) return address
    }
    return address
  }
}

const IPV6_GROUPS = 8
/** A network that is given to one client has 2^64 addresses by RFC 6177: so many groups name it. */
const CLIENT_GROUPS = 4

/** Who is behind an address: itself with IPv4, its network of 64 bits with IPv6. */
export const clientOf = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : IPV6_GROUPS - groups.length - rest.length
  const all = [...groups, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...rest]
  return `${all
    .slice(0, CLIENT_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
