/**
 * Clients whose connections were closed for what no client does that wants answers, such as streams that are reset or tiny pieces
 * without end: their next connections wait, and come one by one.
 */
import { createOwnerFinder, type FindOwner } from './connection-shares.ts'

/** What a new connection of such a client waits, so that its handshake and first streams are no way around the bound. */
const WAIT_MS = 1_000
/** Those that wait begin so far apart: what each has sent meanwhile is read at a stretch. */
const APART_MS = 50
/** The longest that a connection waits: whoever shares the address of such a client comes in. */
const LONGEST_MS = 2_000
/** Clients that are remembered: each for no longer than it waits. */
const MAX_CLIENTS = 10_000

interface Flood {
  readonly untilMs: number
  /** When its next connection may begin beside those that wait. */
  readonly nextMs: number
}

export class Floods {
  readonly #floods = new Map<string, Flood>()
  readonly #ownerOf: FindOwner

  /** Left out, the address of a peer tells whose its connection is. */
  constructor(ownerOf: FindOwner = createOwnerFinder([])) {
    this.#ownerOf = ownerOf
  }

  /** Behind a trusted proxy are many clients, which wait for none of them. */
  note(peer: string | undefined): void {
    const client = this.#ownerOf(peer)
    if (client === undefined) return
    const nextMs = this.#floods.get(client)?.nextMs ?? 0
    this.#floods.delete(client)
    this.#floods.set(client, { untilMs: performance.now() + WAIT_MS, nextMs })
    if (this.#floods.size <= MAX_CLIENTS) return
    const [oldest] = this.#floods.keys()
    if (oldest !== undefined) this.#floods.delete(oldest)
  }

  /** What one more connection waits: 0 for a client that floods nobody. */
  waitMs(peer: string | undefined): number {
    const client = this.#ownerOf(peer)
    if (client === undefined || this.#floods.size === 0) return 0
    const flood = this.#floods.get(client)
    if (flood === undefined) return 0
    const nowMs = performance.now()
    const beginMs = Math.min(Math.max(flood.untilMs, flood.nextMs), nowMs + LONGEST_MS)
    if (beginMs <= nowMs) {
      this.#floods.delete(client)
      return 0
    }
    this.#floods.set(client, { ...flood, nextMs: beginMs + APART_MS })
    return Math.ceil(beginMs - nowMs)
  }
}
