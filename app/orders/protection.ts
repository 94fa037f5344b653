/**
 * Which bodies a full pool must not give up: those whose ids are carried, and those that this node attested in its last
 * extension. Somebody may need them of this node in the next blocks.
 */
import type { OrderPool } from './pool.ts'
import type { PooledOrder } from './pooled-order.ts'

export class Protection {
  readonly #pool: OrderPool
  #carried: ReadonlySet<PooledOrder> = new Set()
  #attested = new Set<PooledOrder>()
  /** Height of the block that the attested ones were attested for. */
  #attestedHeight = 0

  constructor(pool: OrderPool) {
    this.#pool = pool
  }

  /** Those of the list that the pool holds. */
  carry(orders: Iterable<PooledOrder>): void {
    const before = this.#carried
    this.#carried = new Set(orders)
    this.#release(before)
    for (const order of this.#carried) this.#pool.protect(order, true)
  }

  /** All rounds of one height count: any of its blocks may be decided. */
  attest(height: number, orders: Iterable<PooledOrder>): void {
    if (height !== this.#attestedHeight) {
      const before = this.#attested
      this.#attested = new Set()
      this.#attestedHeight = height
      this.#release(before)
    }
    for (const order of orders) {
      this.#attested.add(order)
      this.#pool.protect(order, true)
    }
  }

  clear(): void {
    this.#carried = new Set()
    this.#attested = new Set()
    this.#attestedHeight = 0
  }

  #release(orders: Iterable<PooledOrder>): void {
    for (const order of orders) {
      if (!this.#carried.has(order) && !this.#attested.has(order)) this.#pool.protect(order, false)
    }
  }
}
