/** ABCI over a stream socket, CometBFT's default: `tcp://host:port` or `unix:///path`. */
import { connect, createServer, type Server } from 'node:net'
import { lstat, rm } from 'node:fs/promises'
import { CodedError } from '../core/errors.ts'
import { recordCalls, type RecordedCall } from './call-log.ts'
import { serveConnection, type Connection } from './connection.ts'
import { createConsensusGate } from './consensus-gate.ts'
import { ABCI_CODES, ABCI_CODESPACE } from './errors.ts'
import { MAX_FRAME_BYTES } from './frames.ts'
import type { AbciHandlers } from './handlers.ts'
import type { AbciLog } from './log.ts'

/** One CometBFT opens four; a restarted one four more while the old ones end. */
const MAX_CONNECTIONS = 64

export interface AbciSocketOptions {
  /** `tcp://127.0.0.1:26658` (port 0 lets the system choose) or `unix:///run/app.sock`. */
  readonly address: string
  readonly handlers: AbciHandlers
  readonly log: AbciLog
  /** Largest request; MAX_FRAME_BYTES when left out. */
  readonly maxFrameBytes?: number
  /** Largest backlog of a connection, of answers or of requests; two frames of MAX_FRAME_BYTES when left out. */
  readonly maxQueuedBytes?: number
  /** Told of every consensus and snapshot call. */
  readonly callLog?: (call: RecordedCall) => void
  /** The application broke an invariant: the process must stop. Called once, after the answer was written. */
  readonly onFatal: (error: unknown) => void
  /** The peer sent what is not ABCI, and its connection was closed. */
  readonly onProtocolError?: (error: CodedError) => void
}

export interface AbciServer {
  /** As given, with the port that was bound. */
  readonly address: string
  /** Stops listening, ends the connections, and settles when no call runs in the application. */
  close(): Promise<void>
}

type Endpoint = { readonly path: string } | { readonly host: string; readonly port: number }

const failure = (code: keyof typeof ABCI_CODES, message: string): CodedError =>
  new CodedError(ABCI_CODESPACE, ABCI_CODES[code], message)

const parseAddress = (address: string): Endpoint => {
  const unix = /^unix:\/\/(.+)$/.exec(address)?.[1]
  if (unix !== undefined) return { path: unix }
  const [, bracketed, plain, digits] = /^tcp:\/\/(?:\[([^\]]+)\]|([^:/]+)):(\d{1,5})$/.exec(address) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  if (host === undefined || !(port <= 65_535)) {
    throw failure('invalidAddress', `"${address}" is neither tcp://host:port nor unix:///path`)
  }
  return { host, port }
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
const removeStaleSocket = async (path: string): Promise<void> => {
  if ((await isSocket(path)) && (await isRefused(path))) await rm(path)
}

const listen = (server: Server, endpoint: Endpoint): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? failure('addressInUse', error.message) : error),
    )
    server.listen(endpoint, resolve)
  })

const boundAddress = (server: Server, given: string): string => {
  const bound = server.address()
  if (bound === null || typeof bound === 'string') return given
  return given.replace(/:\d+$/, `:${bound.port}`)
}

/** Listens and answers. Throws abci/11 for a malformed address and abci/12 when it is in use. */
export const serveAbciSocket = async (options: AbciSocketOptions): Promise<AbciServer> => {
  const endpoint = parseAddress(options.address)
  const { log, callLog } = options
  const handlers = callLog === undefined ? options.handlers : recordCalls(options.handlers, callLog)
  const gate = createConsensusGate()
  const connections = new Set<Connection>()
  let accepted = 0
  let halted = false

  const onFatal = (error: unknown): void => {
    if (halted) return
    halted = true
    options.onFatal(error)
  }

  const server = createServer({ noDelay: true }, (socket) => {
    const connection = serveConnection(socket, {
      name: `#${++accepted}`,
      handlers,
      gate,
      log,
      maxFrameBytes: options.maxFrameBytes ?? MAX_FRAME_BYTES,
      maxQueuedBytes: options.maxQueuedBytes ?? 2 * MAX_FRAME_BYTES,
      isHalted: () => halted,
      onFatal,
      onProtocolError: (error) => options.onProtocolError?.(error),
    })
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
  })
  server.maxConnections = MAX_CONNECTIONS
  if ('path' in endpoint) await removeStaleSocket(endpoint.path)
  await listen(server, endpoint)
  server.on('error', (error) => log.error(`abci server: ${error.message}`))
  const address = boundAddress(server, options.address)
  log.info(`abci server listening on ${address}`)

  return {
    address,
    async close() {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.all([...connections].map((connection) => connection.close()))
      await gate.idle()
      await stopped
    },
  }
}
