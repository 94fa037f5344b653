/** Ends what Node's parser of HTTP makes of a socket, in the middle of what was read of it. */
import type { Socket } from 'node:net'

/** The parts of a parser of node:http by their numbers: what it calls are functions among them. */
type Parser = Record<number, unknown> & { readonly socket?: Socket | null }
type ParsedSocket = Socket & { readonly parser?: Parser | null }

const PARTS = 10
/** Node's own names for what a parser calls with each piece of a body, and with the head of each request. */
const ON_BODY = 'parserOnBody'
const ON_HEAD = 'parserOnHeadersComplete'

/** What a parser takes for the failure of a call on a head: it ends there. */
const FAILURE = -1

/**
 * Node documents no way to stop its parser within a read, and to pause it works between reads alone. So the parser has another call for
 * this socket: Node gives the parser to other sockets when this one closes or becomes a WebSocket, and they have its own. Where Node
 * names it otherwise, the rest of one read is lost time, and nothing else.
 */
const replaceCall = (socket: ParsedSocket, name: string, result: number | undefined): void => {
  const { parser } = socket
  if (parser === undefined || parser === null) return
  for (let part = 0; part < PARTS; part++) {
    const call: unknown = parser[part]
    if (typeof call !== 'function' || call.name !== name) continue
    const replaced = function (this: unknown, ...values: unknown[]): unknown {
      if (parser.socket === socket) return result
      parser[part] = call
      return Reflect.apply(call, this, values)
    }
    parser[part] = replaced
    return
  }
}

/**
 * Ends a body, and leaves the socket open for the answer. A read of 64 KiB has ten thousand chunks of one byte, and Node calls
 * for each of them, which takes up to 0.1 s, also when the request was paused.
 */
export const stopBody = (socket: ParsedSocket): void => replaceCall(socket, ON_BODY, undefined)

/**
 * Ends a socket in the middle of the requests that were read of it. Node parses all that it has read before it looks whether the socket was
 * destroyed: hundreds of requests, with an object and a response for each.
 */
export const cutOff = (socket: ParsedSocket): void => {
  replaceCall(socket, ON_HEAD, FAILURE)
  socket.destroy()
}
