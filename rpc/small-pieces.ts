/**
 * Who sends many tiny pieces in place of a message: chunks of HTTP, fragments of WebSocket, frames of HTTP/2. A socket is read
 * 64 KiB at a time, and that may be ten thousand pieces of one byte, each a call into this program.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Floods } from './floods.ts'
import { type BucketBounds, LeakyBucket } from './leaky-bucket.ts'
import { stopBody } from './stop-parser.ts'

/** A piece of so many bytes or more costs nothing: no buffer of a client or a proxy that is in use is smaller. */
const PIECE_BYTES = 128
/** A question that is written a byte at a time is below it. */
const SMALL_PIECES: BucketBounds = { atOnce: 512, perSecond: 256 }

/** The tiny pieces of one connection. */
export class SmallPieces {
  readonly #bucket = new LeakyBucket(SMALL_PIECES)

  /** Takes note of a piece that ends nothing. False where they are too many, and too small. */
  take(bytes: number): boolean {
    this.#bucket.forgive(bytes / PIECE_BYTES)
    return this.#bucket.add(1)
  }
}

/** What a client is told whose body comes so. */
export const TOO_SMALL_PIECES = 'the body comes in too many small pieces'

/** The chunks of the bodies of HTTP, by connection: a new body on an old connection is no new beginning. */
export class BodyPieces {
  readonly floods: Floods
  readonly #bySocket = new WeakMap<Socket, SmallPieces>()
  readonly #ended = new WeakSet<Socket>()

  constructor(floods: Floods) {
    this.floods = floods
  }

  /** Whether the bodies of a connection were ended: whoever reads one refuses it with {@link TOO_SMALL_PIECES}. */
  hasEnded(socket: Socket): boolean {
    return this.#ended.has(socket)
  }

  /**
   * Counts the chunks of a body as they are parsed: its reader comes later, when all of them are there. The first is none that follows
   * another. A body of announced length has one piece in a read.
   */
  watch(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers['transfer-encoding'] === undefined) return
    const { socket } = request
    const push = request.push.bind(request)
    let isFirst = true
    request.push = (chunk: Buffer | null, encoding) => {
      if (chunk !== null && !isFirst) this.#take(socket, chunk.length)
      isFirst = false
      return push(chunk, encoding)
    }
    response.once('prefinish', () => {
      if (this.hasEnded(socket)) return void response.once('finish', () => socket.destroySoon())
      // What nobody has read Node throws away uncounted, unless somebody reads it.
      if (request.complete || request.readableFlowing !== null) return
      request.on('data', () => this.hasEnded(socket) && socket.destroy())
    })
  }

  #take(socket: Socket, bytes: number): void {
    if (this.#ended.has(socket)) return
    let pieces = this.#bySocket.get(socket)
    if (pieces === undefined) {
      pieces = new SmallPieces()
      this.#bySocket.set(socket, pieces)
    }
    if (pieces.take(bytes)) return
    this.#ended.add(socket)
    this.floods.note(socket.remoteAddress)
    stopBody(socket)
  }
}
