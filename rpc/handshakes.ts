/**
 * Handshakes of TLS, which cost a server a millisecond of signatures each and a client nothing that repeats what it once recorded.
 * Who begins many and asks nothing over them is a client that floods (floods.ts).
 */
import type { Socket } from 'node:net'
import { createOwnerFinder, type FindOwner } from './connection-shares.ts'
import type { Floods } from './floods.ts'
import { type BucketBounds, LeakyBucket } from './leaky-bucket.ts'

/**
 * Connections of a client that asked nothing yet, or were refused before all had come: a pool of them that opens at once is smaller. Some are forgiven: who looks
 * whether a port is open asks nothing.
 */
const UNASKED: BucketBounds = { atOnce: 64, perSecond: 16 }
/** Handshakes of a client that have not ended: each takes 60 KB, and ten seconds if it does not go on. */
const MOST_UNFINISHED = 256
/** Clients that are remembered, the oldest forgotten first. */
const MAX_CLIENTS = 10_000

export class Handshakes {
  readonly #floods: Floods
  readonly #ownerOf: FindOwner
  readonly #begun = new Map<string, LeakyBucket>()
  readonly #unfinished = new Map<string, number>()

  /** `ownerOf` left out, the address of a peer tells whose a connection is. */
  constructor(floods: Floods, ownerOf: FindOwner = createOwnerFinder([])) {
    this.#floods = floods
    this.#ownerOf = ownerOf
  }

  /** Takes note of a connection, as it begins. Returns what to call when its handshake has ended, or undefined where it must not begin. */
  begin({ remoteAddress }: Pick<Socket, 'remoteAddress'>): (() => void) | undefined {
    const client = this.#ownerOf(remoteAddress)
    if (client === undefined) return () => undefined
    this.#note(client, remoteAddress)
    const unfinished = this.#unfinished.get(client) ?? 0
    if (unfinished >= MOST_UNFINISHED) return undefined
    this.#unfinished.set(client, unfinished + 1)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      const left = (this.#unfinished.get(client) ?? 1) - 1
      if (left === 0) this.#unfinished.delete(client)
      else this.#unfinished.set(client, left)
    }
  }

  /** Takes note of the first that is asked over one. */
  asked(remoteAddress: string | undefined): void {
    const client = this.#ownerOf(remoteAddress)
    if (client !== undefined) this.#begun.get(client)?.forgive(1)
  }

  /** Takes note of a connection over which something was asked that was refused before all of it had come. */
  refused(remoteAddress: string | undefined): void {
    const client = this.#ownerOf(remoteAddress)
    if (client !== undefined) this.#note(client, remoteAddress)
  }

  #note(client: string, remoteAddress: string | undefined): void {
    const begun = this.#begun.get(client) ?? new LeakyBucket(UNASKED)
    this.#begun.delete(client)
    this.#begun.set(client, begun)
    if (!begun.add(1)) this.#floods.note(remoteAddress)
    if (this.#begun.size <= MAX_CLIENTS) return
    const [oldest] = this.#begun.keys()
    if (oldest !== undefined) this.#begun.delete(oldest)
  }
}
