/** The daemon's side of the local socket: connects to the node again and again, hears what to watch, and reports. */
import { connect, type Socket } from 'node:net'
import { errorText } from '../../core/errors.ts'
import {
  EVENTS_A_FRAME,
  type FollowMessage,
  FrameReader,
  type FromDaemon,
  readToDaemon,
  writeFromDaemon,
} from './protocol.ts'
import type { WatchReport } from './watcher.ts'

const RECONNECT_MS = 500
/** Nothing more is written above so many bytes until the node reads. */
const MOST_UNREAD_BYTES = 1024 * 1024

export interface LinkOptions {
  /** Path of the socket's file. */
  readonly path: string
  readonly memory: () => number
  onFollow(message: FollowMessage): void
  say(text: string): void
}

export class Link {
  readonly #options: LinkOptions
  #socket: Socket | undefined
  /** What this connection was told: the generation, and the id that comes next in it. */
  #told: { readonly generation: number; readonly next: number | undefined } | undefined
  #isClosed = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: LinkOptions) {
    this.#options = options
    this.#connect()
  }

  /** Tells the events that this connection does not know, and the health. */
  report(report: WatchReport): void {
    const socket = this.#socket
    if (socket === undefined || socket.writableLength > MOST_UNREAD_BYTES) return
    this.#reportEvents(report)
    const { error, warnings, finalized, scanned } = report
    this.#send({ type: 'health', error, warnings, finalized, scanned, memory: this.#options.memory() })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#socket?.destroy()
  }

  #reportEvents({ contract, generation, events }: WatchReport): void {
    if (contract === undefined) return
    let isFirst = this.#told?.generation !== generation
    const next = isFirst ? undefined : this.#told?.next
    const fresh = events.filter(({ id }) => next === undefined || id >= next)
    if (fresh.length === 0 && !isFirst) return
    for (let at = 0; at === 0 || at < fresh.length; at += EVENTS_A_FRAME) {
      this.#send({ type: 'events', contract, isFirst, events: fresh.slice(at, at + EVENTS_A_FRAME) })
      isFirst = false
    }
    const last = fresh.at(-1)
    this.#told = { generation, next: last === undefined ? next : last.id + 1 }
  }

  #send(message: FromDaemon): void {
    this.#socket?.write(writeFromDaemon(message))
  }

  #connect(): void {
    const socket = connect(this.#options.path)
    const reader = new FrameReader()
    socket.on('connect', () => {
      this.#told = undefined
      this.#socket = socket
    })
    socket.on('data', (chunk) => {
      try {
        for (const message of reader.push(chunk)) this.#options.onFollow(readToDaemon(message))
      } catch (error) {
        this.#options.say(errorText(error))
        socket.destroy()
      }
    })
    // Its end follows; an application that starts anew is awaited.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#socket = undefined
      if (!this.#isClosed) this.#timer = setTimeout(() => this.#connect(), RECONNECT_MS)
    })
  }
}
