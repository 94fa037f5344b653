/** Ends a body in the middle of what was read of its socket. */
import type { Socket } from 'node:net'

/** The parts of a parser of node:http by their numbers: what it calls is a function among them. */
type Parser = Record<number, unknown>

const PARTS = 10
/** Node's own name for what a parser calls with each piece of a body. */
const ON_BODY = 'parserOnBody'

/**
 * A read of 64 KiB has ten thousand chunks of one byte, and Node calls for each of them, which takes up to 0.1 s, also when the request
 * was paused or the socket was destroyed. It documents no way to stop that, and to pause its parser works between reads alone. So the
 * parser loses the function that it calls, until its socket is closed: then the next socket has it. Where Node names it otherwise,
 * the rest of one read is lost time, and nothing else.
 */
export const stopBody = (socket: Socket & { readonly parser?: Parser | null }): void => {
  const { parser } = socket
  if (parser === undefined || parser === null) return
  for (let part = 0; part < PARTS; part++) {
    const call = parser[part]
    if (typeof call !== 'function' || call.name !== ON_BODY) continue
    parser[part] = undefined
    // Node takes the parser back in a listener of the same event: no other socket has it before it is whole again.
    socket.once('close', () => (parser[part] = call))
    return
  }
}
