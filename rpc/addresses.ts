/** Who a client is: the address that its request comes from, read one way however it is written, and its network. */
import { BlockList, isIP, SocketAddress } from 'node:net'
import { rpcError } from './errors.ts'

/** What of a request tells where it comes from: of HTTP, and of a call of gRPC. */
export interface Origin {
  readonly socket: { readonly remoteAddress?: string | undefined }
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export type FindAddress = (request: Origin) => string

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/

/**
 * One spelling of an IP address: IPv4 in IPv6 clothes is IPv4 (RFC 4291, 2.5.5.2), IPv6 is written as RFC 5952 says. Other texts
 * stay as they are.
 */
export const plainAddress = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [bare = ''] = address.split('%', 1)
  const { address: written } = new SocketAddress({ address: bare, family: 'ipv6' })
  return MAPPED.exec(written)?.[1] ?? written
}

/** An entry of X-Forwarded-For: proxies write `1.2.3.4:555` and `[::1]:80` too. Undefined for what is no address. */
const readHop = (hop: string): string | undefined => {
  const [, bracketed, dotted] =
    /^"?(?:\[([0-9a-fA-F:.]+)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})"?$/.exec(hop) ?? []
  const address = bracketed ?? dotted ?? hop
  return isIP(address) === 0 ? undefined : plainAddress(address)
}

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

/** Whether a proxy of that address is believed. Throws rpc/failed at start. */
export const createTrust = (trustedProxies: readonly string[]): ((address: string) => boolean) => {
  const trusted = parseTrusted(trustedProxies)
  return (address) => {
    const family = isIP(address)
    return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
  }
}

/** X-Forwarded-For is read from its end, and only as far as the proxies are trusted. Throws rpc/failed at start. */
export const createAddressFinder = (trustedProxies: readonly string[]): FindAddress => {
  const isTrusted = createTrust(trustedProxies)
  return (request) => {
    let address = plainAddress(request.socket.remoteAddress ?? '')
    if (trustedProxies.length === 0 || !isTrusted(address)) return address
    const forwarded = request.headers['x-forwarded-for']
    const hops = (Array.isArray(forwarded) ? forwarded.join(',') : (forwarded ?? '')).split(',')
    for (const hop of hops.reverse()) {
      const next = readHop(hop.trim())
      if (next === undefined) return address
      address = next
      if (!isTrusted(address)) return address
    }
    return address
  }
}

const IPV6_GROUPS = 8
/** A network that is given to one client has 2^64 addresses by RFC 6177: so many groups name it. */
const CLIENT_GROUPS = 4

/** The last answer: requests of one connection follow one another. */
let [lastAddress, lastClient] = ['', '']

/** Who is behind an address: itself with IPv4, its network of 64 bits with IPv6. */
export const clientOf = (address: string): string => {
  if (address !== lastAddress) [lastAddress, lastClient] = [address, findClient(address)]
  return lastClient
}

const findClient = (address: string): string => {
  const written = plainAddress(address)
  if (isIP(written) !== 6) return written
  const [head = '', tail] = written.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : IPV6_GROUPS - groups.length - rest.length
  const all = [...groups, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...rest]
  return `${all.slice(0, CLIENT_GROUPS).join(':')}::/64`
}
