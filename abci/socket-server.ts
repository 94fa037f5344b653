/** ABCI over a stream socket, CometBFT's default: `tcp://host:port` or `unix:///path`. */
import { createServer } from 'node:net'
import { recordCalls } from './call-log.ts'
import { serveConnection, type Connection } from './connection.ts'
import { createConsensusGate } from './consensus-gate.ts'
import { boundAddress, listenAgain, listenAt, requireEndpoint } from './endpoint.ts'
import { MAX_FRAME_BYTES } from './frames.ts'
import { type AbciServer, type AbciServerOptions, KEEP_ALIVE, MAX_CONNECTIONS, refusesStranger } from './server.ts'

/** `address` is `tcp://127.0.0.1:26658` (port 0 lets the system choose) or `unix:///run/app.sock`. */
export interface AbciSocketOptions extends AbciServerOptions {
  /** Largest backlog of a connection, of answers or of requests; two frames of MAX_FRAME_BYTES when left out. */
  readonly maxQueuedBytes?: number
}

/** Listens and answers. Throws abci/11 for a malformed address and abci/12 when it is in use. */
export const serveAbciSocket = async (options: AbciSocketOptions): Promise<AbciServer> => {
  const endpoint = requireEndpoint(options.address)
  const { log, callLog } = options
  const handlers = callLog === undefined ? options.handlers : recordCalls(options.handlers, callLog)
  const gate = createConsensusGate(options.onConsensusConnection ?? (() => undefined))
  const connections = new Set<Connection>()
  let accepted = 0
  let halted = false

  const onFatal = (error: unknown): void => {
    if (halted) return
    halted = true
    options.onFatal(error)
  }

  const server = createServer({ noDelay: true, ...KEEP_ALIVE }, (socket) => {
    if (refusesStranger(gate, socket, log)) return
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
  await listenAt(server, endpoint)
  server.on('error', (error) => log.error(`abci server: ${error.message}`))
  const address = boundAddress(server, options.address)
  log.info(`abci server listening on ${address}`)

  return {
    address,
    listenAgain: () => listenAgain(server, endpoint),
    async close() {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.all([...connections].map((connection) => connection.close()))
      await gate.idle()
      await stopped
    },
  }
}
