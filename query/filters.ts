/**
 * Polling filters: they live in the application, so that any gateway can answer for them. Each is a place in what all
 * share, the chain or the ring of pending transactions, with the criteria that it was made with.
 */
import type { Hex } from '../core/hex.ts'
import { limitExceeded, queryFailed } from '../app/errors.ts'
import type { LogCriteria, LogCursor } from '../app/ports.ts'

export type Filter =
  /** `next` is the place in the chain that was not answered yet. */
  | { readonly kind: 'logs'; readonly criteria: LogCriteria; next: LogCursor }
  | { readonly kind: 'blocks'; next: number }
  /** `next` is a number of the ring. */
  | { readonly kind: 'pending'; readonly full: boolean; next: number }

/** Bytes, about: of a filter, and of one address or topic in its criteria, which is a text of hex. */
const FILTER_BYTES = 512
const CHOICE_BYTES = 112

const bytesOf = (filter: Filter): number => {
  if (filter.kind !== 'logs') return FILTER_BYTES
  const { addresses, topics } = filter.criteria
  return FILTER_BYTES + CHOICE_BYTES * topics.reduce((sum, choices) => sum + choices.length, addresses.length)
}

export interface FilterBounds {
  /** A filter that is not polled for so long is forgotten. */
  readonly lifetimeMs: number
  /** Filters of all clients. */
  readonly most: number
  /** One client has at most so many. */
  readonly mostOfClient: number
  readonly bytes: number
  readonly bytesOfClient: number
}

interface Held {
  readonly id: Hex
  readonly filter: Filter
  readonly owner: Owner
  readonly bytes: number
  usedMs: number
}

/** The filters of one client, those that were not polled for longest first. */
interface Owner {
  readonly client: string
  readonly filters: Map<Hex, Held>
  bytes: number
}

export class Filters {
  readonly #filters = new Map<Hex, Held>()
  readonly #owners = new Map<string, Owner>()
  readonly #bounds: FilterBounds
  #bytes = 0

  constructor(bounds: FilterBounds) {
    this.#bounds = bounds
  }

  /** Bytes, about, that all filters take. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * A client that has used up its own is refused, query/5; where those of all clients are too many, the client with
   * most of them loses the one that was not polled for longest.
   */
  add(id: Hex, filter: Filter, client: string, nowMs: number): Hex {
    this.#expire(nowMs)
    const owner = this.#owners.get(client) ?? { client, filters: new Map(), bytes: 0 }
    const bytes = bytesOf(filter)
    const { most, mostOfClient, bytes: allBytes, bytesOfClient } = this.#bounds
    if (owner.filters.size >= Math.min(mostOfClient, most) || owner.bytes + bytes > bytesOfClient) {
      throw limitExceeded(
        `too many filters: a client may have ${Math.min(mostOfClient, most)} with ${bytesOfClient} bytes of criteria; uninstall some`,
      )
    }
    while (this.#filters.size >= most || this.#bytes + bytes > allBytes) this.#evict()
    const held = { id, filter, owner, bytes, usedMs: nowMs }
    this.#owners.set(client, owner)
    this.#filters.set(id, held)
    owner.filters.set(id, held)
    owner.bytes += bytes
    this.#bytes += bytes
    return id
  }

  /** Throws query/1 `filter not found`, also for one that was not polled for its lifetime. */
  use(id: Hex, nowMs: number): Filter {
    const held = this.#filters.get(id)
    if (held === undefined || this.#isOld(held, nowMs)) {
      this.remove(id)
      throw queryFailed('filter not found')
    }
    held.usedMs = nowMs
    // Both maps are in the order of use.
    for (const map of [this.#filters, held.owner.filters]) {
      map.delete(id)
      map.set(id, held)
    }
    return held.filter
  }

  remove(id: Hex): boolean {
    const held = this.#filters.get(id)
    if (held === undefined) return false
    const { owner, bytes } = held
    this.#filters.delete(id)
    owner.filters.delete(id)
    owner.bytes -= bytes
    this.#bytes -= bytes
    if (owner.filters.size === 0) this.#owners.delete(owner.client)
    return true
  }

  #isOld({ usedMs }: Held, nowMs: number): boolean {
    return nowMs - usedMs > this.#bounds.lifetimeMs
  }

  #expire(nowMs: number): void {
    for (const [id, held] of this.#filters) {
      if (!this.#isOld(held, nowMs)) return
      this.remove(id)
    }
  }

  /** Ends the filters of the greediest client, by bytes. */
  #evict(): void {
    let greediest: Owner | undefined
    for (const owner of this.#owners.values()) if (owner.bytes > (greediest?.bytes ?? 0)) greediest = owner
    const [id] = greediest?.filters.keys() ?? []
    if (id !== undefined) this.remove(id)
  }
}
