/** The HTTP servers of the gateway: limits of time and connections, and an end that cuts off no answer. */
import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { afterArrivals } from './arrival.ts'
import type { ConnectionMemory } from './connection-memory.ts'
import { ConnectionShares, type FindOwner } from './connection-shares.ts'
import { Floods } from './floods.ts'
import type { Admission } from './limits.ts'
import { BodyPieces } from './small-pieces.ts'
import { boundHostPort, requireHostPort } from './stream/address.ts'
import { HANDSHAKE_TIMEOUT_MS, renewWith, secureContext, type TlsSource } from './tls.ts'

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
}

export interface HttpServer {
  readonly server: Server
  /** Returns `host:port` as it was bound. Rejects when it cannot be. */
  listen(address: string): Promise<string>
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

type ServerOptions = typeof OPTIONS & { readonly ServerResponse?: typeof ServerResponse }

const createSecure = (options: ServerOptions, tls: TlsSource, listener: RequestListener): Server => {
  const server = createSecureServer(
    { ...options, handshakeTimeout: HANDSHAKE_TIMEOUT_MS, ...secureContext(tls.current()) },
    listener,
  )
  renewWith(server, tls)
  return server
}

/** Has Node take a connection when its client may begin. Returns those that wait. */
const beginLater = (server: Server, waitMs: (socket: Socket) => number): ReadonlySet<Socket> => {
  const waiting = new Set<Socket>()
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  const begin = (socket: Socket): void => {
    for (const listener of listeners) listener.call(server, socket)
  }
  const ignore = (): void => undefined
  server.on('connection', (socket: Socket) => {
    if (socket.destroyed) return
    const delayMs = waitMs(socket)
    if (delayMs === 0) return begin(socket)
    waiting.add(socket)
    socket.on('error', ignore)
    const timer = setTimeout(() => {
      waiting.delete(socket)
      socket.off('error', ignore)
      begin(socket)
    }, delayMs)
    socket.once('close', () => {
      clearTimeout(timer)
      waiting.delete(socket)
    })
  })
  return waiting
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Requests that wait on a connection for the answers to those before them: no client is so far ahead of what it reads. */
const MOST_AHEAD = 100

/**
 * A request begins when the one before it on its connection was answered. A read of 64 KiB brings hundreds of them: begun
 * together, they would stand before those of all others. `onFlood` is called with a connection that has too many.
 */
const oneByOne = (handler: Handler, onFlood: (socket: Socket) => void): Handler => {
  /** Those that wait, of connections with one that has begun. */
  const lines = new WeakMap<Socket, (() => void)[]>()
  const begin: Handler = (request, response) => {
    const { socket } = request
    response.once('close', () => {
      const next = socket.destroyed ? undefined : lines.get(socket)?.shift()
      if (next === undefined) lines.delete(socket)
      else next()
    })
    handler(request, response)
  }
  return (request, response) => {
    const line = lines.get(request.socket)
    if (line !== undefined) {
      if (line.length < MOST_AHEAD) line.push(() => begin(request, response))
      else onFlood(request.socket)
      return
    }
    lines.set(request.socket, [])
    begin(request, response)
  }
}

export const createHttpServer = (limits: HttpServerLimits, handler: Handler): HttpServer => {
  /** The newest response of each connection; none before its first request, and of one that became a WebSocket. */
  const connections = new Map<Socket, ServerResponse | undefined>()
  let closing = false
  /** The sockets that carry connections of TLS, also before their handshakes have ended. */
  const carriers = new Set<Socket>()
  const listener: RequestListener = (request, response) => {
    connections.set(request.socket, response)
    // Node ends a connection after such an answer, once the client has all of it.
    if (closing) response.shouldKeepAlive = false
    pieces.watch(request, response)
    afterArrivals(handle, request, response)
  }
  const { tls, pieces = new BodyPieces(new Floods(limits.ownerOf)) } = limits
  const handle = oneByOne(handler, (socket) => {
    if (!socket.destroyed) pieces.floods.note(socket.remoteAddress)
    socket.destroy()
  })
  const { memory, timeoutMs } = limits
  const options = memory === undefined ? OPTIONS : { ...OPTIONS, ServerResponse: countedBy(memory, timeoutMs) }
  const server = tls === undefined ? createServer(options, listener) : createSecure(options, tls, listener)
  const follow = (socket: Socket): void => {
    connections.set(socket, undefined)
    socket.once('close', () => connections.delete(socket))
  }
  const shares = new ConnectionShares(limits.maxConnections, limits.ownerOf)
  const waiting = beginLater(server, ({ remoteAddress }) => pieces.floods.waitMs(remoteAddress))
  server.prependListener('connection', (socket) => {
    if (limits.admits?.(socket.remoteAddress) === false || !shares.take(socket)) return void socket.destroy()
    if (tls === undefined) return follow(socket)
    carriers.add(socket)
    socket.once('close', () => carriers.delete(socket))
  })
  if (tls !== undefined) server.on('secureConnection', follow)
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
        for (const socket of waiting) socket.destroy()
        for (const [socket, response] of connections) {
          if (response !== undefined) response.shouldKeepAlive = false
          else if (socket.bytesRead === 0) socket.destroy()
        }
      }),
  }
}
