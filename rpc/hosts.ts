/**
 * Which names a server answers to. A page can give its own name the address 127.0.0.1 (DNS rebinding) and is then of one
 * origin with whatever listens there: what gives it away is the name, which the browser sends as Host.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { parseHostPort } from '../core/host-port.ts'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** `localhost`, 127.0.0.0/8 and ::1, an IPv6 address without brackets. */
export const isLoopback = (host: string): boolean => {
  const family = isIP(host)
  return family === 0 ? host === 'localhost' : LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4')
}

/** The name or address in a Host header, without the port; undefined for what is neither. */
const nameOf = (header: string): string | undefined => {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([^:@/[\]\s]+))(?::\d{1,5})?$/.exec(header.toLowerCase()) ?? []
  return bracketed ?? plain
}

/** Whether a request with that Host is answered. */
export type HostCheck = (header: string | undefined) => boolean

/**
 * `listener` is `host:port`; `vhosts` are names and addresses, `*` is all. Where none is given a server of loopback
 * answers to loopback alone, and any other one to every name: its clients need no page to reach it.
 */
export const createHostCheck = (listener: string, vhosts: readonly string[]): HostCheck => {
  const isOfLoopback = isLoopback(parseHostPort(listener)?.host.toLowerCase() ?? '')
  if (vhosts.includes('*') || (vhosts.length === 0 && !isOfLoopback)) return () => true
  const names = new Set(vhosts.map((vhost) => nameOf(vhost) ?? vhost.toLowerCase()))
  return (header) => {
    // Whoever leaves it out is no browser; as in geth.
    if (header === undefined || header === '') return true
    const name = nameOf(header)
    return name !== undefined && (isLoopback(name) || names.has(name))
  }
}

/** geth's words. */
const REFUSAL = 'invalid host specified\n'
/** Those of Go's net/http. */
const TOO_MANY = '400 Bad Request: too many Host headers'

const refuse = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': text.length,
    connection: 'close',
  })
  response.end(text)
}

const hasTwoHosts = ({ rawHeaders }: IncomingMessage): boolean => {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}

/**
 * The host that a request is for. A target may be a whole URL, as for a proxy (RFC 9112, section 3.2.2): then its host counts, and
 * `request.url` is left with the path, as whoever answers expects it.
 */
const takeHost = (request: IncomingMessage): string | undefined => {
  const [, host, path] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(request.url ?? '') ?? []
  if (host === undefined || path === undefined) return request.headers.host
  request.url = path.startsWith('/') ? path : `/${path}`
  return host
}

export const withHostCheck =
  (isAllowed: HostCheck, handler: RequestListener): ((request: IncomingMessage, response: ServerResponse) => void) =>
  (request, response) => {
    if (hasTwoHosts(request)) return refuse(response, 400, TOO_MANY)
    const host = request.url?.startsWith('/') === true ? request.headers.host : takeHost(request)
    return isAllowed(host) ? handler(request, response) : refuse(response, 403, REFUSAL)
  }
