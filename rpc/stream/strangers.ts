/**
 * Connections that have not shown yet that they are gateways. There are few of them at once, and they take no place of a
 * gateway's: whoever reaches the port without the secret must not keep those out that know it.
 */
import type { Socket } from 'node:net'
import { boundLines } from '../bounded-lines.ts'
import type { GatewayLog } from '../log.ts'

const MOST = 64
/** A gateway has said by then what it has to say, on a busy machine too: one that is full sends those away that have not. */
const PATIENCE_MS = 250

interface Stranger {
  readonly address: string
  readonly sinceMs: number
}

export class Strangers {
  static readonly most = MOST
  readonly #log: GatewayLog
  /** The one that came first is the first. */
  readonly #sockets = new Map<Socket, Stranger>()

  constructor(log: GatewayLog) {
    this.#log = boundLines(log)
  }

  /** False where there is no room: the connection is to be ended. */
  take(socket: Socket): boolean {
    const { remoteAddress: address = '' } = socket
    if (this.#sockets.size >= MOST && !this.#makeRoomFor(address)) {
      this.tell('too many connections have not said what they are')
      return false
    }
    this.#sockets.set(socket, { address, sinceMs: performance.now() })
    socket.once('close', () => this.leave(socket))
    return true
  }

  /** It has shown that it is a gateway. */
  leave(socket: Socket): void {
    this.#sockets.delete(socket)
  }

  /** Says why one of them is sent away. */
  tell(reason: string): void {
    this.#log.warn('gateway dropped', { reason })
  }

  /** The address with most of them loses its oldest: to one that has fewer at once, to itself when its time is over. */
  #makeRoomFor(address: string): boolean {
    const counts = new Map([[address, 0]])
    for (const other of this.#sockets.values()) counts.set(other.address, (counts.get(other.address) ?? 0) + 1)
    const most = Math.max(...counts.values())
    const oldest = [...this.#sockets].find(([, stranger]) => counts.get(stranger.address) === most)
    if (oldest === undefined) return false
    const [socket, { sinceMs }] = oldest
    const isFair = most > (counts.get(address) ?? 0) + 1
    if (!isFair && performance.now() - sinceMs < PATIENCE_MS) return false
    this.leave(socket)
    this.tell('it has said nothing, and others want its place')
    socket.destroy()
    return true
  }
}
