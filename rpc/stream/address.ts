/** Where the servers of this folder listen, and where they are reached. */
import type { AddressInfo, Server } from 'node:net'
import { type Endpoint, formatHostPort, type HostPort, parseEndpoint, parseHostPort } from '../../core/host-port.ts'
import { rpcError } from '../errors.ts'

const requireRead = <Where extends Endpoint>(where: Where | undefined, address: string): Where => {
  if (where !== undefined) return where
  throw rpcError('failed', `address ${address}: expected host:port, tcp://host:port or unix:///path`)
}

/** Throws rpc/failed for what is neither `tcp://host:port` nor `unix:///path`. */
export const requireEndpoint = (address: string): Endpoint => requireRead(parseEndpoint(address), address)

/** Reads an address. Throws rpc/failed for what is no `host:port`. */
export const requireHostPort = (address: string): HostPort => requireRead(parseHostPort(address), address)

export const boundHostPort = ({ address, port }: AddressInfo): string => formatHostPort({ host: address, port })

/** Tells where a listening server is reached, in the form that {@link requireEndpoint} reads. */
export const describeAddress = (server: Server): string => {
  const bound = server.address()
  if (bound === null) return ''
  return typeof bound === 'string' ? `unix://${bound}` : `tcp://${boundHostPort(bound)}`
}
