/** Connections that wait before the server takes them (floods.ts says which), and then begin in turns. */
import type { Server, Socket } from 'node:net'

const ignore = (): void => undefined

export class LateBeginnings {
  readonly #waiting = new Map<Socket, NodeJS.Timeout>()
  /** Those whose time has come: what each has sent meanwhile is read when it begins, so a turn of the event loop takes one. */
  readonly #due = new Map<Socket, () => void>()
  #isScheduled = false

  /** Calls `begin` after `waitMs`, at once where that is 0, and never for a socket that has closed. */
  add(socket: Socket, waitMs: number, begin: () => void): void {
    if (socket.destroyed) return
    if (waitMs === 0) return begin()
    socket.on('error', ignore)
    socket.once('close', () => this.#leave(socket))
    this.#waiting.set(
      socket,
      setTimeout(() => this.#comeDue(socket, begin), waitMs),
    )
  }

  /** Ends all that wait. */
  destroy(): void {
    for (const socket of [...this.#waiting.keys(), ...this.#due.keys()]) socket.destroy()
  }

  #leave(socket: Socket): void {
    clearTimeout(this.#waiting.get(socket))
    this.#waiting.delete(socket)
    this.#due.delete(socket)
  }

  #comeDue(socket: Socket, begin: () => void): void {
    this.#waiting.delete(socket)
    this.#due.set(socket, begin)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#due.size === 0) return
    this.#isScheduled = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#isScheduled = false
    for (const [socket, begin] of this.#due) {
      this.#due.delete(socket)
      socket.off('error', ignore)
      if (!socket.destroyed) begin()
      break
    }
    this.#schedule()
  }
}

/** Has Node go on with what is read of a connection. */
type Take = (socket: Socket) => void

export interface ConnectionRules {
  /** What a connection waits before it begins, in ms. */
  readonly waitMs: (socket: Socket) => number
  /** What stands between a socket and those who listen to the server; left out, nothing does. */
  readonly begin?: ((socket: Socket, take: Take) => void) | undefined
}

/** Has the listeners that a server has take a connection when its client may begin. Returns those that wait. */
export const beginLater = (server: Server, { waitMs, begin }: ConnectionRules): LateBeginnings => {
  const beginnings = new LateBeginnings()
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  const take: Take = (socket) => {
    for (const listener of listeners) listener.call(server, socket)
  }
  server.on('connection', (socket: Socket) => {
    if (socket.destroyed) return
    beginnings.add(socket, waitMs(socket), () => (begin === undefined ? take(socket) : begin(socket, take)))
  })
  return beginnings
}
