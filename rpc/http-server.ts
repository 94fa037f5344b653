/** The HTTP servers of the gateway: limits of time and connections, and an end that cuts off no answer. */
import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterArrivals } from './arrival.ts'
import type { ConnectionMemory } from './connection-memory.ts'
import { ConnectionShares, type FindOwner } from './connection-shares.ts'
import { Floods } from './floods.ts'
import { beginLater } from './late-beginnings.ts'
import type { Admission } from './limits.ts'
import { BodyPieces } from './small-pieces.ts'
import { type Handler, RequestsAhead } from './requests-ahead.ts'
import { boundHostPort, requireHostPort } from './stream/address.ts'
import { cutOff } from './stop-parser.ts'
import { createSecurity, type Security, type TlsSource } from './tls.ts'
import { Turns } from './turns.ts'
import { endBeforeBody } from './unread-bodies.ts'

/** What requests have for their answers when the server closes: less than a node gives its gateway to end. */
const CLOSE_GRACE_MS = 2_000

export interface HttpServerLimits {
  /** The time that a request has to arrive. */
  readonly timeoutMs: number
  readonly idleTimeoutMs: number
  /** 0 for any number. */
  readonly maxConnections: number
  /** Whose share of them a connection is; left out, its address tells. */
  readonly ownerOf?: FindOwner
  readonly admits?: Admission
  /** What is counted of bodies, and clients whose connections wait for it; left out, those of this server alone. */
  readonly pieces?: BodyPieces
  /** What counts answers that clients do not take; left out where only this machine asks. */
  readonly memory?: ConnectionMemory
  /** The certificate; left out where what is sent is plain. */
  readonly tls?: TlsSource | undefined
  /** In which what comes over TLS is read; left out, turns of this server alone. */
  readonly turns?: Turns
}

export interface HttpServer {
  readonly server: Server
  /** Returns `host:port` as it was bound. Rejects when it cannot be. */
  listen(address: string): Promise<string>
  /** Takes note of a connection that becomes another one, such as a WebSocket. */
  upgraded(socket: Socket): void
  /** Takes no more requests, and settles when those that are here were answered, or after {@link CLOSE_GRACE_MS}. */
  close(): Promise<void>
}

const OPTIONS = { noDelay: true, keepAlive: true }

/** Responses of which is counted what is left of them at their end, whoever answers. */
const countedBy = (memory: ConnectionMemory, timeoutMs: number): typeof ServerResponse =>
  class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
      // What is left out is undefined to Node as well.
      super.end(chunk, encoding as BufferEncoding, done as () => void)
      memory.holdRest(this.req, this, timeoutMs)
      return this
    }
  }

/** Node answers by itself what expects anything but 100-continue, as fast as a client can write it. */
const refuseExpectation: Handler = (_, response) => {
  response.writeHead(417, { connection: 'close', 'content-length': 0 }).end()
}

export const createHttpServer = (limits: HttpServerLimits, handler: Handler): HttpServer => {
  /** The newest response of each connection; none before its first request, and of one that became a WebSocket. */
  const connections = new Map<Socket, ServerResponse | undefined>()
  let closing = false
  /** The sockets that carry connections of TLS, also before their handshakes have ended. */
  const carriers = new Set<Socket>()
  /** What is parsed waits for its place, whatever then answers it. */
  const receive =
    (handler: Handler): RequestListener =>
    (request, response) => {
      const { socket } = request
      if (!ahead.arrive(socket, response)) {
        if (!socket.destroyed) pieces.floods.note(socket.remoteAddress)
        return cutOff(socket)
      }
      if (security !== undefined) noteAsked(security, request, response)
      connections.set(socket, response)
      // Node ends a connection after such an answer, once the client has all of it.
      if (closing) response.shouldKeepAlive = false
      pieces.watch(request, response)
      afterArrivals(() => ahead.begin(handler, request, response))
    }
  /** Whoever is refused before his request has all come connects anew for the next one. */
  const noteAsked = ({ asked, refused }: Security, request: IncomingMessage, response: ServerResponse): void => {
    const { remoteAddress } = request.socket
    if (connections.get(request.socket) === undefined) asked(remoteAddress)
    response.once('close', () => {
      if (!request.complete) refused(remoteAddress)
    })
  }
  const { tls, pieces = new BodyPieces(new Floods(limits.ownerOf)) } = limits
  const ahead = new RequestsAhead(limits.ownerOf)
  const { memory, timeoutMs } = limits
  const options = memory === undefined ? OPTIONS : { ...OPTIONS, ServerResponse: countedBy(memory, timeoutMs) }
  const server = createServer(options, receive(handler))
  server.on('checkExpectation', receive(refuseExpectation))
  const follow = (socket: Socket): void => {
    connections.set(socket, undefined)
    const destroySoon = socket.destroySoon.bind(socket)
    socket.destroySoon = () => {
      const request = connections.get(socket)?.req
      if (request === undefined || request.complete) destroySoon()
      else endBeforeBody(socket, request)
    }
    socket.once('close', () => connections.delete(socket))
  }
  const shares = new ConnectionShares(limits.maxConnections, limits.ownerOf)
  // Node takes them then, and finds them here.
  server.prependListener('connection', follow)
  const { turns = new Turns(), ownerOf } = limits
  const { floods } = pieces
  const security: Security | undefined =
    tls && createSecurity(server, { source: tls, turns, protocols: ['http/1.1'], floods, ownerOf })
  const waiting = beginLater(server, {
    waitMs: ({ remoteAddress }) => floods.waitMs(remoteAddress),
    begin: security?.begin,
  })
  server.prependListener('connection', (socket) => {
    if (limits.admits?.(socket.remoteAddress) === false || !shares.take(socket)) return void socket.destroy()
    if (tls === undefined) return
    carriers.add(socket)
    socket.once('close', () => carriers.delete(socket))
  })
  server.requestTimeout = timeoutMs
  server.headersTimeout = timeoutMs
  server.keepAliveTimeout = limits.idleTimeoutMs
  return {
    server,
    listen: (address) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(requireHostPort(address), () => {
          server.off('error', reject)
          resolve(boundHostPort(server.address() as AddressInfo))
        })
      }),
    upgraded: ({ remoteAddress }) => security?.asked(remoteAddress),
    close: () =>
      new Promise((resolve) => {
        closing = true
        const grace = setTimeout(() => {
          server.closeAllConnections()
          for (const socket of carriers) socket.destroy()
        }, CLOSE_GRACE_MS)
        // Ends connections that wait for their next request as well.
        server.close(() => {
          clearTimeout(grace)
          resolve()
        })
        waiting.destroy()
        for (const [socket, response] of connections) {
          if (response !== undefined) response.shouldKeepAlive = false
          else if (socket.bytesRead === 0) socket.destroy()
        }
      }),
  }
}
