/** The share that each connection of HTTP and WebSocket has of the memory of a gateway. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { clientOf, type FindAddress } from './limits.ts'
import type { MemoryBudget, MemoryShare } from './memory-budget.ts'

/** A request, or an upgrade. */
export interface Arrived {
  readonly socket: Duplex & { readonly remoteAddress?: string | undefined }
  readonly headers: IncomingHttpHeaders
}

export interface ConnectionMemory {
  /** The same for all that comes over one connection. Whoever is the greediest has it cut off. */
  shareOf(request: Arrived): MemoryShare
  /**
   * Takes note of an answer until the client has it; false where it is too much. As in geth, whose http.Server has a
   * WriteTimeout, a client that does not take it in time is cut off.
   */
  holdUntilSent(request: Arrived, response: ServerResponse, bytes: number, timeoutMs: number): boolean
  /**
   * Takes note of what is left of an answer that was given to the socket, if nothing was noted before. A client that is too
   * greedy is cut off: one read has hundreds of requests, whose answers nobody may take.
   */
  holdRest(request: Arrived, response: ServerResponse, timeoutMs: number): void
}

export const createConnectionMemory = (budget: MemoryBudget, findAddress: FindAddress): ConnectionMemory => {
  const shares = new WeakMap<Duplex, MemoryShare>()
  const noted = new WeakSet<ServerResponse>()
  const shareOf = (request: Arrived): MemoryShare => {
    const { socket } = request
    const known = shares.get(socket)
    if (known !== undefined) return known
    const share = budget.open(clientOf(findAddress(request)), () => socket.destroy())
    shares.set(socket, share)
    socket.once('close', () => share.release())
    return share
  }
  const holdUntilSent: ConnectionMemory['holdUntilSent'] = (request, response, bytes, timeoutMs) => {
    const share = shareOf(request)
    if (!share.hold(bytes)) return false
    noted.add(response)
    const timer = setTimeout(() => response.destroy(), timeoutMs)
    response.once('close', () => {
      clearTimeout(timer)
      share.give(bytes)
    })
    return true
  }
  return {
    shareOf,
    holdUntilSent,
    holdRest(request, response, timeoutMs) {
      // Nearly always all of it is on its way.
      const left = response.writableLength
      if (left === 0 || response.destroyed || noted.has(response)) return
      if (!holdUntilSent(request, response, left, timeoutMs)) request.socket.destroy()
    },
  }
}
