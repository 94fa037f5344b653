/**
 * Bodies of the pool by the ids under which votes attest them. An id is a hash with the salt of its height, so that all bodies
 * are hashed for a salt once somebody asks for an id that is not among those already hashed.
 */
import { bytesToKey } from '../../core/bytes.ts'
import { type IdKey, idOf } from '../../modules/clob/index.ts'
import type { OrderPool } from './pool.ts'
import type { PooledOrder } from './pooled-order.ts'

/** Ids are carried for three blocks; rounds of one height may bring blocks with other hashes. */
const MAX_SALTS = 6

interface SaltedIds {
  readonly byId: Map<IdKey, PooledOrder>
  /** Bodies that arrived before it are in the map. */
  arrivals: number
}

export class OrderIds {
  readonly #pool: OrderPool
  /** The ids by `bytesToKey` of the salt, oldest first. */
  readonly #bySalt = new Map<string, SaltedIds>()

  constructor(pool: OrderPool) {
    this.#pool = pool
  }

  /** Undefined where the pool does not hold it. */
  find(salt: Uint8Array, id: IdKey): PooledOrder | undefined {
    const ids = this.#of(salt)
    const known = this.#held(ids.byId.get(id))
    if (known !== undefined || ids.arrivals === this.#pool.arrivals) return known
    this.#hashNew(salt, ids)
    return this.#held(ids.byId.get(id))
  }

  /** Hashes at most so many bodies for a salt; false where others are left. Done in such steps it holds nobody up, and {@link find} has nothing left to do. */
  advance(salt: Uint8Array, most: number): boolean {
    const ids = this.#of(salt)
    if (ids.arrivals === this.#pool.arrivals) return true
    this.#forgetDeparted(ids)
    let left = most
    for (const order of this.#pool.orders()) {
      if (order.arrival < ids.arrivals) continue
      if (left-- === 0) return false
      ids.byId.set(idOf(salt, order.hash), order)
      ids.arrivals = order.arrival + 1
    }
    ids.arrivals = this.#pool.arrivals
    return true
  }

  clear(): void {
    this.#bySalt.clear()
  }

  /** What has left the pool is not served: the index is no second pool. */
  #held(order: PooledOrder | undefined): PooledOrder | undefined {
    return order !== undefined && this.#pool.get(order.hash) === order ? order : undefined
  }

  #of(salt: Uint8Array): SaltedIds {
    const key = bytesToKey(salt)
    const held = this.#bySalt.get(key)
    if (held !== undefined) return held
    const ids: SaltedIds = { byId: new Map(), arrivals: 0 }
    this.#bySalt.set(key, ids)
    for (const oldest of this.#bySalt.keys()) {
      if (this.#bySalt.size <= MAX_SALTS) break
      this.#bySalt.delete(oldest)
    }
    return ids
  }

  #hashNew(salt: Uint8Array, ids: SaltedIds): void {
    this.#forgetDeparted(ids)
    for (const order of this.#pool.orders()) {
      if (order.arrival >= ids.arrivals) ids.byId.set(idOf(salt, order.hash), order)
    }
    ids.arrivals = this.#pool.arrivals
  }

  /** Bodies that have left the pool would stay in memory for as long as the chain stands still. */
  #forgetDeparted({ byId }: SaltedIds): void {
    if (byId.size <= this.#pool.size) return
    for (const [id, order] of byId) if (this.#pool.get(order.hash) !== order) byId.delete(id)
  }
}
