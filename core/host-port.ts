/** Addresses of servers as text, and as listen and connect take them. */

export interface HostPort {
  readonly host: string
  readonly port: number
}

/** A socket file, or a port of a host. */
export type Endpoint = { readonly path: string } | HostPort

/** An IPv6 address in brackets, with a zone where it has one, or a name or IPv4 address; and the port. */
const HOST_PORT = /^(?:tcp:\/\/)?(?:\[([0-9a-fA-F:.]+(?:%[A-Za-z0-9._-]+)?)\]|([A-Za-z0-9._-]*)):([0-9]{1,5})$/
const MAX_PORT = 65_535

/** `host:port`, `[::1]:port` or `:port` (all interfaces), with or without tcp:// before it. Undefined for other texts. */
export const parseHostPort = (text: string): HostPort | undefined => {
  const [, bracketed, plain, digits] = HOST_PORT.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > MAX_PORT) return undefined
  return { host: bracketed ?? (plain || '0.0.0.0'), port }
}

/** `tcp://host:port` or `unix:///path`. Undefined for other texts. */
export const parseEndpoint = (text: string): Endpoint | undefined => {
  if (text.startsWith('tcp://')) return parseHostPort(text)
  const path = /^unix:\/\/(.+)$/.exec(text)?.[1]
  return path === undefined ? undefined : { path }
}

export const formatHostPort = ({ host, port }: HostPort): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
