/**
 * Who sends many tiny pieces in place of a message: chunks of HTTP, fragments of WebSocket, frames of HTTP/2. A socket is read
 * 64 KiB at a time, and that may be ten thousand pieces of one byte, each a call into this program.
 */
import type { Socket } from 'node:net'
import type { Floods } from './floods.ts'

export interface PieceBounds {
  readonly atOnce: number
  readonly perSecond: number
}

/** A piece of so many bytes or more costs nothing: no buffer of a client or a proxy that is in use is smaller. */
const PIECE_BYTES = 128
/** A question that is written a byte at a time is below it. */
const SMALL_PIECES: PieceBounds = { atOnce: 512, perSecond: 256 }

/** The tiny pieces of one connection. */
export class SmallPieces {
  readonly #bounds: PieceBounds
  #count = 0
  #countedMs = 0

  constructor(bounds = SMALL_PIECES) {
    this.#bounds = bounds
  }

  /** Takes note of a piece that ends nothing. False where they are too many, and too small. */
  take(bytes: number): boolean {
    const nowMs = performance.now()
    const { atOnce, perSecond } = this.#bounds
    const forgiven = ((nowMs - this.#countedMs) / 1_000) * perSecond + bytes / PIECE_BYTES
    this.#countedMs = nowMs
    this.#count = Math.max(0, this.#count - forgiven) + 1
    return this.#count <= atOnce
  }
}

/** What a client is told whose body comes so. */
export const TOO_SMALL_PIECES = 'the body comes in too many small pieces'

/** The pieces of the bodies of HTTP, by connection: a new body on an old connection is no new beginning. */
export class BodyPieces {
  readonly #floods: Floods
  readonly #bySocket = new WeakMap<Socket, SmallPieces>()

  constructor(floods: Floods) {
    this.#floods = floods
  }

  /** Takes note of a piece that is not the first of its body. False where its connection is to be ended; its client is noted then. */
  take(socket: Socket, bytes: number): boolean {
    let pieces = this.#bySocket.get(socket)
    if (pieces === undefined) {
      pieces = new SmallPieces()
      this.#bySocket.set(socket, pieces)
    }
    if (pieces.take(bytes)) return true
    this.#floods.note(socket.remoteAddress)
    return false
  }
}
