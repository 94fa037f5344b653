/** Who asks over a connection: with the connection its questions end, for nobody waits for the answers any more. */
import type { EventEmitter } from 'node:events'
import type { Asker } from '../app/ports.ts'

/** The end of a socket, or of a stream on one. */
export type Ending = Pick<EventEmitter, 'once'> & { readonly destroyed?: boolean }

class Connection {
  readonly name: string
  readonly #listeners = new Set<() => void>()
  #isGone = false

  constructor(socket: Ending, name: string) {
    this.name = name
    if (socket.destroyed === true) this.#isGone = true
    else socket.once('close', () => this.#leave())
  }

  readonly onGone = (listener: () => void): (() => void) => {
    if (this.#isGone) {
      listener()
      return () => undefined
    }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #leave(): void {
    this.#isGone = true
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of listeners) listener()
  }
}

const connections = new WeakMap<Ending, Connection>()
let count = 0

const connectionOf = (socket: Ending): Connection => {
  const known = connections.get(socket)
  if (known !== undefined) return known
  const connection = new Connection(socket, (count++).toString(36))
  connections.set(socket, connection)
  return connection
}

/**
 * `client` as limits.ts names it: behind a proxy many share a socket. Where several share one, `stream` may end alone.
 */
export const askerOn = (socket: Ending, client: string, stream: Ending = socket): Asker => ({
  client,
  connection: connectionOf(socket).name,
  onGone: connectionOf(stream).onGone,
})
