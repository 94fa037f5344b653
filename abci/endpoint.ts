/** Where a server listens: an address as text, and the socket behind it. */
import { lstat, rm } from 'node:fs/promises'
import { connect, type Server } from 'node:net'
import { type Endpoint, parseEndpoint } from '../core/host-port.ts'
import { protocolError } from './errors.ts'

/** `tcp://host:port` (CometBFT's socket client) or `unix:///path`. Throws abci/11. */
export const requireEndpoint = (address: string): Endpoint => {
  const endpoint = parseEndpoint(address)
  if (endpoint !== undefined) return endpoint
  throw protocolError('invalidAddress', `"${address}" is neither tcp://host:port nor unix:///path`)
}

const isSocket = async (path: string): Promise<boolean> => {
  try {
    return (await lstat(path)).isSocket()
  } catch {
    return false
  }
}

const isRefused = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect({ path })
    probe.once('connect', () => {
      probe.destroy()
      resolve(false)
    })
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'))
  })

/**
 * A killed process leaves its socket file behind, which would be in the way: it is removed when nobody listens on it.
 * Anything else at that path is left to listen(), which names the trouble.
 */
export const removeStaleSocket = async (path: string): Promise<void> => {
  if ((await isSocket(path)) && (await isRefused(path))) await rm(path)
}

/** Throws abci/12 when the address is in use. */
export const listenAt = async (server: Server, endpoint: Endpoint): Promise<void> => {
  if ('path' in endpoint) await removeStaleSocket(endpoint.path)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? protocolError('addressInUse', error.message) : error),
    )
    server.listen(endpoint, resolve)
  })
}

/** Connections stay. A failure is an error of the server. */
export const listenAgain = (server: Server, endpoint: Endpoint): void => {
  if (!server.listening) return
  server.close()
  server.listen(endpoint)
}

/** `given`, with the port that the system chose where it left the choice. */
export const boundAddress = (server: Server, given: string): string => {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') return given
  return given.replace(/:\d+$/, `:${bound.port}`)
}
