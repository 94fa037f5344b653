/**
 * Who has a connection where there is no room for all: one client cannot keep the others out by connections that it does nothing with.
 * When a server is full the client with most of them loses its newest to one that has fewer.
 */
import type { Socket } from 'node:net'
import { createTrust, plainAddress } from './addresses.ts'
import { clientOf } from './limits.ts'

/** The client of a peer's address; undefined for a trusted proxy, behind which there are many. */
export type FindOwner = (peer: string | undefined) => string | undefined

/** Throws rpc/failed at start for what is no address. */
export const createOwnerFinder = (trustedProxies: readonly string[]): FindOwner => {
  const isTrusted = createTrust(trustedProxies)
  return (peer = '') => (isTrusted(plainAddress(peer)) ? undefined : clientOf(peer))
}

export class ConnectionShares {
  readonly #most: number
  readonly #ownerOf: FindOwner
  readonly #sockets = new Map<string, Set<Socket>>()
  #count = 0

  /** 0 is no limit. */
  constructor(most: number, ownerOf: FindOwner = createOwnerFinder([])) {
    this.#most = most
    this.#ownerOf = ownerOf
  }

  /** False where there is no room: the connection is to be ended. */
  take(socket: Socket): boolean {
    if (this.#most === 0) return true
    const owner = this.#ownerOf(socket.remoteAddress)
    if (this.#count >= this.#most && !this.#makeRoom(owner)) return false
    this.#count++
    if (owner !== undefined) this.#add(owner, socket)
    socket.once('close', () => this.#leave(owner, socket))
    return true
  }

  #add(owner: string, socket: Socket): void {
    const sockets = this.#sockets.get(owner)
    if (sockets === undefined) this.#sockets.set(owner, new Set([socket]))
    else sockets.add(socket)
  }

  #leave(owner: string | undefined, socket: Socket): void {
    if (owner === undefined) return void this.#count--
    const sockets = this.#sockets.get(owner)
    // One that had to make room has left before it was closed.
    if (sockets?.delete(socket) !== true) return
    this.#count--
    if (sockets.size === 0) this.#sockets.delete(owner)
  }

  /** Nobody loses one to a client that would have as many then: they would take it from each other for ever. */
  #makeRoom(newcomer: string | undefined): boolean {
    let greediest: string | undefined
    let most = (newcomer === undefined ? 0 : (this.#sockets.get(newcomer)?.size ?? 0)) + 1
    for (const [owner, { size }] of this.#sockets) if (size > most) [greediest, most] = [owner, size]
    const newest = greediest === undefined ? undefined : [...(this.#sockets.get(greediest) ?? [])].at(-1)
    if (newest === undefined) return false
    this.#leave(greediest, newest)
    newest.destroy()
    return true
  }
}
