/** What goes out over one WebSocket: it is counted until the client takes it, and a client that takes too little is told of. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Asker } from '../../app/ports.ts'
import type { MemoryShare } from '../memory-budget.ts'
import { Counted, QUEUED_BYTES, UNCOUNTED_BYTES } from './counted.ts'
import type { WritingTurns } from './writing-turns.ts'

/** What a connection may have written at the end of any turn of the event loop: it takes microseconds. More of it waits for a turn of its own. */
const SMALL_BYTES = 16 * 1024

/** A message in parts: what is long is not copied for each reader. */
export type MessageParts = readonly (string | Buffer)[]

export interface SocketWriterOptions {
  readonly socket: WebSocket
  /** What carries it. */
  readonly stream: Duplex
  readonly share: MemoryShare
  readonly asker: Pick<Asker, 'client' | 'connection'>
  readonly turns: WritingTurns
  /** Bytes that may wait for the client. */
  readonly bufferLimit: number
  /** Too much waits for the client. */
  readonly onSlow: () => void
}

export class SocketWriter {
  readonly #options: SocketWriterOptions
  readonly #unread: Counted
  #isEnded = false
  #isCorked = false
  /** What it has to write waits for a turn of its own, and is counted meanwhile. */
  #isLate = false
  /** Messages since the client had taken all. */
  #queued = 0
  #onDrained: (() => void)[] = []

  constructor(options: SocketWriterOptions) {
    this.#options = options
    this.#unread = new Counted(options.share)
    options.stream.on('drain', () => this.#count())
  }

  /** Nothing is sent any more. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  send(parts: MessageParts): void {
    const { socket, bufferLimit, onSlow } = this.#options
    if (this.#isEnded || socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > bufferLimit) return onSlow()
    for (const [at, part] of parts.entries()) socket.send(part, { binary: false, fin: at === parts.length - 1 })
    this.#queued++
    if (!this.#isCorked || this.#isLate) this.#count()
  }

  /** Has what this turn of the event loop sends go out together. */
  cork(): void {
    if (this.#isCorked) return
    const { stream, turns, asker } = this.#options
    this.#isCorked = true
    stream.cork()
    setImmediate(() => {
      if (stream.writableLength <= SMALL_BYTES) return this.#uncork()
      this.#isLate = true
      turns.add(asker, () => this.#uncork())
      return this.#count()
    })
  }

  #uncork(): void {
    this.#isCorked = false
    this.#isLate = false
    this.#options.stream.uncork()
    this.#count()
  }

  /** Resolves when little is left for the client to take, or it has gone. */
  drained(): Promise<void> {
    if (this.#isEnded || this.#options.socket.bufferedAmount <= UNCOUNTED_BYTES) return Promise.resolve()
    return new Promise((resolve) => this.#onDrained.push(resolve))
  }

  /** Whoever waits to send goes on, for nothing. */
  end(): void {
    this.#isEnded = true
    this.#tellDrained()
  }

  #tellDrained(): void {
    for (const tell of this.#onDrained.splice(0)) tell()
  }

  #count(): void {
    const bytes = this.#options.socket.bufferedAmount
    if (bytes <= UNCOUNTED_BYTES) this.#tellDrained()
    if (bytes === 0) this.#queued = 0
    if (!this.#isEnded && !this.#unread.set(bytes + this.#queued * QUEUED_BYTES)) this.#options.onSlow()
  }
}
