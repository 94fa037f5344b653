/** `tcp://host:port` and `unix:///path`, as listen and connect take them. */
import type { AddressInfo, Server } from 'node:net'
import { rpcError } from '../errors.ts'

export type StreamAddress = { readonly path: string } | { readonly host: string; readonly port: number }

/** Throws rpc/failed for any other form. */
export const parseStreamAddress = (address: string): StreamAddress => {
  if (address.startsWith('unix://') && address.length > 7) return { path: address.slice(7) }
  return parseHostPort(address.startsWith('tcp://') ? address.slice(6) : '', address)
}

/** `host:port`, `[::1]:port` or `:port` (all interfaces). Throws rpc/failed. */
export const parseHostPort = (text: string, shown: string = text): { host: string; port: number } => {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text)
  const port = Number(match?.[3])
  if (match === null || port > 65_535) {
    throw rpcError('failed', `address ${shown}: expected host:port, tcp://host:port or unix:///path`)
  }
  return { host: match[1] ?? (match[2] || '0.0.0.0'), port }
}

export const formatHostPort = (info: AddressInfo): string =>
  info.family === 'IPv6' ? `[${info.address}]:${info.port}` : `${info.address}:${info.port}`

/** Where a listening server is reached, in the form that {@link parseStreamAddress} reads. */
export const describeAddress = (server: Server): string => {
  const bound = server.address()
  if (bound === null) return ''
  return typeof bound === 'string' ? `unix://${bound}` : `tcp://${formatHostPort(bound)}`
}
