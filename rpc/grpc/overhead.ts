/**
 * What a connection of HTTP/2 sends that is no message: window updates, pings, settings, priorities, headers of calls that ask
 * nothing. Each of them is work, and none of them is told of but by the bytes that were read.
 */
import type { Socket } from 'node:net'
import { type BucketBounds, LeakyBucket } from '../leaky-bucket.ts'

/** Overhead of a connection: so much at once, and so much a second. A window update takes 13 bytes, a ping 17. */
const BYTES_AT_ONCE = 128 * 1024
const BYTES_PER_SECOND = 64 * 1024
/** The head of a frame of HTTP/2. */
const FRAME_BYTES = 9
/** Heads of the frames of a call, and a window update for its answer; its headers come on top. */
const CALL_BYTES = 128
/** For so many bytes of an answer its client may say one that it goes on. */
const SENT_PER_BYTE = 16

/** A client may have sent so much on a stream when it learns that nobody reads on (RFC 9113, section 6.9.2). */
const WINDOW_BYTES = 64 * 1024
/** Calls of which that is believed. */
const UNREAD_CALLS: BucketBounds = { atOnce: 16, perSecond: 2 }
/** What was taken off lasts until what it was taken off for has come, up to a bound. */
const MOST_CREDIT_BYTES = 4 * WINDOW_BYTES

export class Overhead {
  readonly #socket: Pick<Socket, 'bytesRead' | 'bytesWritten'>
  readonly #unread = new LeakyBucket(UNREAD_CALLS)
  #bytes = 0
  #readBytes = 0
  #sentBytes = 0
  #checkedMs = performance.now()

  constructor(socket: Pick<Socket, 'bytesRead' | 'bytesWritten'>) {
    this.#socket = socket
  }

  /** Bytes of a message have come, in a frame. */
  received(bytes: number): void {
    this.#bytes -= FRAME_BYTES + bytes
  }

  /** A call has asked something. */
  asked(headerBytes: number): void {
    this.#bytes -= CALL_BYTES + headerBytes
  }

  /** A call has ended before its client had: what it has sent meanwhile is told to nobody. */
  unread(): void {
    if (this.#unread.add(1)) this.#bytes -= WINDOW_BYTES
  }

  /** False where there was too much since the last time. */
  check(): boolean {
    const { bytesRead, bytesWritten } = this.#socket
    const nowMs = performance.now()
    this.#bytes += bytesRead - this.#readBytes
    this.#bytes -= (bytesWritten - this.#sentBytes) / SENT_PER_BYTE
    this.#readBytes = bytesRead
    this.#sentBytes = bytesWritten
    if (this.#bytes > 0) this.#bytes = Math.max(0, this.#bytes - ((nowMs - this.#checkedMs) / 1_000) * BYTES_PER_SECOND)
    this.#bytes = Math.max(-MOST_CREDIT_BYTES, this.#bytes)
    this.#checkedMs = nowMs
    return this.#bytes <= BYTES_AT_ONCE
  }
}
