/** JSON-RPC over WebSocket: who may open a connection, and which of them are still there. */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import { afterArrivals } from '../arrival.ts'
import { ClientCounts } from '../client-counts.ts'
import { UPGRADE_COST } from '../costs.ts'
import { clientOf } from '../limits.ts'
import { isOriginAllowed } from '../origins.ts'
import { type Connection, createConnection } from './connection.ts'
import { FrameReader } from './frame-reader.ts'
import type { WebSocketOptions } from './options.ts'

/** Header and mask of a short frame of a client (RFC 6455, section 5.2). */
const FRAME_BYTES = 6
/** A byte that begins no frame: bits are set in it that nobody has agreed on. */
const NO_FRAME = 0xff

/** Headers may stand behind the status. */
const refuseUpgrade = (socket: Duplex, status: string): void => {
  // No timeout and no end of the server reaches a socket that was upgraded: it would stay until its client goes.
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

export interface WebSocketEndpoint {
  close(): void
}

/** Takes the upgrades of `server` on `/` and `/ws`. */
export const attachWebSocket = (server: Server, options: WebSocketOptions): WebSocketEndpoint => {
  const connections = new Map<WebSocket, Connection>()
  const counts = new ClientCounts(options.connectionsByClient)
  let isClosed = false
  const endpoint = new WebSocketServer({
    noServer: true,
    maxPayload: options.messageLimit,
    perMessageDeflate: false,
    clientTracking: false,
    // What one read has brought comes a message at a time: 64 KiB may be five hundred, of each of a thousand connections.
    allowSynchronousEvents: false,
  })

  const accept = (socket: WebSocket, request: IncomingMessage): void => {
    const address = options.findAddress(request)
    const connection = createConnection(socket, request.socket, address, options)
    const leave = counts.enter(clientOf(address))
    connections.set(socket, connection)
    const frames = new FrameReader()
    let isFlood = false
    // Before they are parsed: a read has ten thousand empty frames.
    request.socket.prependListener('data', (chunk: Buffer) => {
      isFlood ||= !frames.read(chunk)
      if (!isFlood) return connection.arrive(chunk.length)
      // The rest of what was read would be parsed to its end in any case: it ends here.
      chunk.fill(NO_FRAME)
      options.floods.note(request.socket.remoteAddress)
      return connection.flood()
    })
    socket.on('message', (data: RawData) => {
      connection.isAlive = true
      connection.receive(data)
    })
    socket.on('ping', ({ length }: Buffer) => connection.depart(FRAME_BYTES + length))
    socket.on('pong', ({ length }: Buffer) => {
      connection.isAlive = true
      connection.depart(FRAME_BYTES + length)
    })
    socket.on('error', (error) => options.log.info('websocket', { error: error.message }))
    socket.on('close', () => {
      connections.delete(socket)
      leave()
      // What it sent before is done.
      afterArrivals(connection.end)
    })
  }

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    if (isClosed) return refuseUpgrade(socket, '503 Service Unavailable')
    const [path] = (request.url ?? '').split('?')
    if (path !== '/' && path !== '/ws') return refuseUpgrade(socket, '404 Not Found')
    const { host, origin } = request.headers
    if (!options.isHostAllowed(host) || !isOriginAllowed(options.origins, origin))
      return refuseUpgrade(socket, '403 Forbidden')
    const address = options.findAddress(request)
    if (counts.isFull(clientOf(address))) return refuseUpgrade(socket, '429 Too Many Requests')
    const waitSeconds = options.limiter?.take(address, UPGRADE_COST) ?? 0
    if (waitSeconds > 0) return refuseUpgrade(socket, `429 Too Many Requests\r\nRetry-After: ${waitSeconds}`)
    return endpoint.handleUpgrade(request, socket, head, accept)
  })

  const pings = setInterval(() => {
    for (const [socket, connection] of connections) {
      if (connection.isAlive) socket.ping()
      else socket.terminate()
      connection.isAlive = false
    }
  }, options.pingIntervalMs)
  pings.unref()

  return {
    close() {
      isClosed = true
      clearInterval(pings)
      for (const socket of connections.keys()) socket.close(1001, 'the gateway stops')
      for (const socket of connections.keys()) setTimeout(() => socket.terminate(), 100).unref()
    },
  }
}
