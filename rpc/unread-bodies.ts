/** The end of a connection whose client is still sending a body that nobody reads. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Go's net/http waits so long (rstAvoidanceDelay). */
const LINGER_MS = 500

/**
 * Ends a connection, as Node does behind an answer that says `Connection: close`, so that its client reads the answer while it is still sending.
 * A socket that is closed with bytes unread resets its connection, and a client that is told so loses what it has not read. So the
 * server's half ends first, and half a second later the rest, whatever the client does; nothing more is read of it.
 */
export const endBeforeBody = (socket: Socket, request: IncomingMessage): void => {
  socket.end(() => {
    if (socket.destroyed) return
    // Node has thrown away what came of a body without a reader, and would go on.
    request.read()
    socket.pause()
    const timeout = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timeout))
  })
}
