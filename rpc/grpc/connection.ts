/** One connection of a client of gRPC: HTTP/2 on its socket, its calls, and the bounds of both. */
import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerSessionOptions,
} from 'node:http2'
import type { Socket } from 'node:net'
import { clientOf } from '../limits.ts'
import type { MemoryBudget, MemoryShare } from '../memory-budget.ts'
import { SmallPieces } from '../small-pieces.ts'
import type { Turns } from '../turns.ts'
import { type CallSettings, GrpcCall, type GrpcPeer, refuseHttp } from './grpc-call.ts'
import { isGrpcType } from './message.ts'
import { type GrpcMethod, serveCall } from './methods.ts'
import { Overhead } from './overhead.ts'
import { GRPC } from './status.ts'

const MAX_STREAMS = 100
/** Names, values and 32 bytes for each (RFC 9113, section 6.5.2): what other servers of HTTP take. */
const MAX_HEADER_BYTES = 16 * 1024
const MAX_HEADERS = 64
/** What a connection may hold before it gets no more streams: four of the largest answers that it does not take. */
const MAX_SESSION_MEGABYTES = 256
/** Resets by a client: so many at once, and so many a second (CVE-2023-44487). More end the connection. */
const RESETS_AT_ONCE = 200
const RESETS_PER_SECOND = 33

/** Calls of one connection that were cancelled before many came to an end: not what a client does that wants answers. */
const FLOOD_RESETS = RESETS_AT_ONCE / 2

const HTTP2: ServerSessionOptions = {
  settings: { maxConcurrentStreams: MAX_STREAMS, maxHeaderListSize: MAX_HEADER_BYTES },
  maxHeaderListPairs: MAX_HEADERS,
  maxSessionMemory: MAX_SESSION_MEGABYTES,
  streamResetBurst: RESETS_AT_ONCE,
  streamResetRate: RESETS_PER_SECOND,
}

const ignore = (): void => undefined

/** A reset without an error would leave the stream as it is until all was read that came on it. */
function destroyStream(this: ServerHttp2Stream): void {
  this.destroy()
}

export interface ConnectionOptions {
  /** The methods by path. */
  readonly methods: ReadonlyMap<string, GrpcMethod>
  readonly calls: CallSettings
  readonly budget: MemoryBudget
  readonly turns: Turns
  /** Its first call came. */
  readonly onAsked: (connection: Connection) => void
  /** Its client resets streams without end, or sends what is no message: the connection was closed for it, or will be. */
  readonly onFlood: (connection: Connection) => void
  /** A connection without calls is closed after this long. */
  readonly idleMs: number
  readonly onClose: (connection: Connection) => void
}

export class Connection implements GrpcPeer {
  /** Asked once, for the socket forgets it at its end. */
  readonly remoteAddress: string
  readonly memory: MemoryShare
  readonly #socket: Socket
  readonly #session: ServerHttp2Session
  readonly #options: ConnectionOptions
  readonly #idle: NodeJS.Timeout
  readonly #pieces = new SmallPieces()
  readonly #overhead: Overhead
  #calls = 0
  #wasAsked = false
  #resets = 0

  constructor(socket: Socket, options: ConnectionOptions) {
    this.remoteAddress = socket.remoteAddress ?? ''
    this.memory = options.budget.open(clientOf(this.remoteAddress), () => this.destroy())
    this.#socket = socket
    this.#overhead = new Overhead(socket)
    this.#session = performServerHandshake(socket, HTTP2)
    this.#options = options
    this.#idle = setTimeout(() => {
      if (this.#calls === 0) this.close()
    }, options.idleMs).unref()
    // Whatever breaks a socket or a session closes it too.
    socket.on('error', ignore)
    this.#session.on('error', ignore)
    this.#session.on('stream', (stream, headers) => this.#serve(stream, headers))
    socket.on('close', () => {
      clearTimeout(this.#idle)
      this.memory.release()
      options.onClose(this)
    })
  }

  /** Takes no more calls (GOAWAY), and ends when those that run have ended. */
  close(): void {
    this.#session.close()
  }

  /** The socket, for a session waits until its client has taken what was written. */
  destroy(): void {
    this.#socket.destroy()
  }

  arrived(bytes: number, isPiece: boolean): void {
    this.#overhead.received(bytes)
    if (isPiece && !this.#pieces.take(bytes)) this.#endFlood()
  }

  asked(headers: IncomingHttpHeaders): void {
    let bytes = 0
    for (const name in headers) bytes += name.length + String(headers[name]).length
    this.#overhead.asked(bytes)
  }

  unread(): void {
    this.#overhead.unread()
  }

  /** Ends it where it has sent too much that is no message. Asked some times a second. */
  check(): void {
    if (!this.#overhead.check()) this.#endFlood()
  }

  #endFlood(): void {
    if (this.#socket.destroyed) return
    this.#options.onFlood(this)
    // Its streams take nothing more then of what was read: a read has thousands of frames.
    this.#session.destroy()
    this.destroy()
  }

  #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    this.#calls++
    if (!this.#wasAsked) this.#options.onAsked(this)
    this.#wasAsked = true
    // Whatever breaks a stream closes it too.
    stream.on('error', ignore)
    stream.on('aborted', destroyStream)
    const call = this.#begin(stream, headers)
    stream.on('close', () => {
      call?.closed()
      if (stream.aborted && ++this.#resets === FLOOD_RESETS) this.#options.onFlood(this)
      this.#calls--
      if (this.#calls === 0) this.#idle.refresh()
    })
  }

  #begin(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): GrpcCall | undefined {
    if (headers[':method'] !== 'POST') return refuseHttp(stream, constants.HTTP_STATUS_METHOD_NOT_ALLOWED)
    if (!isGrpcType(headers['content-type'])) {
      return refuseHttp(stream, constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE)
    }
    const call = new GrpcCall(stream, headers, this, this.#options.calls)
    const method = this.#options.methods.get(call.path)
    if (method !== undefined) serveCall(call, method, (length, work) => this.#options.turns.take(this, length, work))
    else call.end({ code: GRPC.unimplemented, message: `The server does not implement the method ${call.path}` })
    return call
  }
}
