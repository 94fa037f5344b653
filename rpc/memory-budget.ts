/**
 * What clients make a gateway hold: unfinished requests, answers that wait to be sent or read. All of it is one budget,
 * and where that is used up the greediest loses: of the clients whoever holds most, of that one's connections the one
 * that holds most. See docs/adr/044.
 */

/** What one connection holds. */
export interface MemoryShare {
  readonly held: number
  /**
   * Takes note of bytes that are held from now on. Where they are too many, others lose theirs; false, and nothing
   * noted, where no other holds more: then this one must do without.
   */
  hold(bytes: number): boolean
  give(bytes: number): void
  /** Gives all of it back. The share may be used again. */
  release(): void
}

interface Holder {
  readonly shares: Set<Share>
  bytes: number
}

export class MemoryBudget {
  readonly #limit: number
  /** Clients that hold something. */
  readonly #holders = new Map<string, Holder>()
  #held = 0

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  get held(): number {
    return this.#held
  }

  /** `drop` ends the connection, and whatever it holds with it; it is told why. */
  open(client: string, drop: (reason: string) => void): MemoryShare {
    return new Share(this, client, drop)
  }

  /** Only {@link Share} calls it. */
  add(share: Share, bytes: number): void {
    let holder = this.#holders.get(share.client)
    if (holder === undefined) {
      holder = { shares: new Set(), bytes: 0 }
      this.#holders.set(share.client, holder)
    }
    holder.shares.add(share)
    holder.bytes += bytes
    this.#held += bytes
    if (share.held > 0) return
    holder.shares.delete(share)
    if (holder.shares.size === 0) this.#holders.delete(share.client)
  }

  /** Drops connections until all fits. False when `share` is the greediest itself; of equals it is. */
  makeRoom(share: Share): boolean {
    while (this.#held > this.#limit) {
      const greediest = this.#greediest(share)
      if (greediest === share) return false
      greediest.lose()
    }
    return true
  }

  #greediest(asking: Share): Share {
    const own = this.#holders.get(asking.client)
    let holder = own
    for (const each of this.#holders.values()) if (each.bytes > (holder?.bytes ?? 0)) holder = each
    let greediest = holder === own ? asking : undefined
    for (const share of holder?.shares ?? []) if (share.held > (greediest?.held ?? 0)) greediest = share
    return greediest ?? asking
  }
}

class Share implements MemoryShare {
  readonly client: string
  readonly #budget: MemoryBudget
  readonly #drop: (reason: string) => void
  #held = 0

  constructor(budget: MemoryBudget, client: string, drop: (reason: string) => void) {
    this.#budget = budget
    this.client = client
    this.#drop = drop
  }

  get held(): number {
    return this.#held
  }

  hold(bytes: number): boolean {
    if (bytes <= 0) return true
    this.#add(bytes)
    if (this.#budget.makeRoom(this)) return true
    this.#add(-bytes)
    return false
  }

  give(bytes: number): void {
    // What was taken from a greedy one it has nothing left of to give.
    this.#add(-Math.min(bytes, this.#held))
  }

  release(): void {
    this.#add(-this.#held)
  }

  lose(): void {
    this.release()
    this.#drop(TOO_GREEDY)
  }

  #add(bytes: number): void {
    if (bytes === 0) return
    this.#held += bytes
    this.#budget.add(this, bytes)
  }
}

/** Why a connection is closed, and why an answer is refused. */
export const TOO_GREEDY =
  'too many bytes are held for this client: it takes its answers, or ends its requests, too slowly'
