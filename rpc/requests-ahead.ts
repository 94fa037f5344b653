/**
 * Requests that a client sends ahead of the answers on a connection of HTTP. A request begins when the one before it was answered:
 * a read of 64 KiB brings hundreds of them, and begun together they would stand before those of all others.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createOwnerFinder, type FindOwner } from './connection-shares.ts'

/** Requests that wait on a connection for the answers to those before them: no client is so far ahead of what it reads. */
const MOST_AHEAD = 100
/** Those that wait on all connections of a client; above it, a connection has but a few. */
const MOST_OF_CLIENT = 512
const FEW_AHEAD = 2

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

interface Line {
  readonly client: string | undefined
  /** Requests that were parsed and not answered. */
  open: number
  /** Whether the first of them has begun. */
  hasBegun: boolean
  readonly waiting: (() => void)[]
}

export class RequestsAhead {
  readonly #lines = new WeakMap<Socket, Line>()
  readonly #aheadOf = new Map<string, number>()
  readonly #ownerOf: FindOwner

  /** Left out, the address of a peer tells whose its connection is. */
  constructor(ownerOf: FindOwner = createOwnerFinder([])) {
    this.#ownerOf = ownerOf
  }

  /** Takes note of a request as it is parsed. False where there are too many before it, or the connection has ended: it is to be cut off. */
  arrive(socket: Socket, response: ServerResponse): boolean {
    // Its end was told, and would not be told again.
    if (socket.destroyed) return false
    const line = this.#lineOf(socket)
    if (line.open > 0) {
      if (line.open > this.#mostAhead(line)) return false
      this.#count(line, 1)
    }
    line.open++
    response.once('close', () => this.#answered(line, socket))
    return true
  }

  /** Has `handler` begin with a request that has arrived when it is the first of its connection. */
  begin(handler: Handler, request: IncomingMessage, response: ServerResponse): void {
    const line = this.#lineOf(request.socket)
    if (line.hasBegun) return void line.waiting.push(() => handler(request, response))
    line.hasBegun = true
    handler(request, response)
  }

  #lineOf(socket: Socket): Line {
    const found = this.#lines.get(socket)
    if (found !== undefined) return found
    const line: Line = { client: this.#ownerOf(socket.remoteAddress), open: 0, hasBegun: false, waiting: [] }
    this.#lines.set(socket, line)
    // Of those that wait, Node closes no response.
    socket.once('close', () => {
      if (line.open > 1) this.#count(line, 1 - line.open)
      line.open = 0
      line.waiting.length = 0
    })
    return line
  }

  #mostAhead({ client }: Line): number {
    const ahead = client === undefined ? 0 : (this.#aheadOf.get(client) ?? 0)
    return ahead < MOST_OF_CLIENT ? MOST_AHEAD : FEW_AHEAD
  }

  #count({ client }: Line, change: number): void {
    if (client === undefined) return
    const ahead = (this.#aheadOf.get(client) ?? 0) + change
    if (ahead === 0) this.#aheadOf.delete(client)
    else this.#aheadOf.set(client, ahead)
  }

  #answered(line: Line, socket: Socket): void {
    if (socket.destroyed || line.open === 0) return
    line.open--
    if (line.open > 0) this.#count(line, -1)
    line.hasBegun = false
    const next = line.waiting.shift()
    if (next === undefined) return
    line.hasBegun = true
    next()
  }
}
