/** What CometBFT's mempool holds of the orders, and what it is offered for gossip. */
import type { Environment } from '../environment.ts'
import { COMET_MEMPOOL_TRANSACTIONS, OTHERS_SHARE_OF_COMET } from '../pool/limits.ts'
import type { OrderPool } from './pool.ts'
import type { PooledOrder } from './pooled-order.ts'

/** Blocks after which an order that CometBFT was offered, or took, and does not ask of, is offered again. */
const OFFER_AGAIN_BLOCKS = 10
const MAX_OFFERED_AGAIN = 2_000
/** A node without peers needs no gossip, and tells as many as a page of unconfirmed_txs shows. */
const MAX_TOLD_ALONE = 100

export class OrderGossip {
  readonly #pool: OrderPool
  readonly #environment: Pick<Environment, 'gossip' | 'consensusStatus'>
  /** What CometBFT keeps, with the height when it last asked of it. */
  readonly #kept = new Map<PooledOrder, number>()
  /** The height at which CometBFT was offered an order. */
  #offered = new WeakMap<PooledOrder, number>()
  #losses = 0
  /** CometBFT asks after every block again of all that it holds, unless its operator has switched that off. */
  #isAskedAgain = false
  #height = 0

  constructor(pool: OrderPool, environment: Pick<Environment, 'gossip' | 'consensusStatus'>) {
    this.#pool = pool
    this.#environment = environment
  }

  get keptCount(): number {
    return this.#kept.size
  }

  /**
   * Whether CometBFT may keep it. Half of its places are for orders alone; those of owners without funds take no more than
   * that, so that they silence nobody.
   */
  mayKeep(order: PooledOrder): boolean {
    if (order.rank > 0 || this.#kept.has(order)) return true
    return this.#kept.size < COMET_MEMPOOL_TRANSACTIONS - OTHERS_SHARE_OF_COMET.transactions
  }

  /** CometBFT asked of it, and keeps it. */
  keep(order: PooledOrder): void {
    this.#kept.set(order, this.#height)
  }

  /** It left the pool. */
  delete(order: PooledOrder): void {
    this.#kept.delete(order)
  }

  askedAgain(): void {
    this.#isAskedAgain = true
  }

  /** CometBFT was restarted, or another chain begins. */
  clear(): void {
    this.#kept.clear()
    this.#offered = new WeakMap()
    this.#isAskedAgain = false
  }

  /** Offers those that CometBFT does not have, as far as there is room. */
  offer(orders: Iterable<PooledOrder>, most = Number.POSITIVE_INFINITY): void {
    const room = Math.min(this.#room(), most)
    const raws: Uint8Array[] = []
    for (const order of orders) {
      if (raws.length >= room) break
      if (!this.#isMissing(order)) continue
      this.#offered.set(order, this.#height)
      raws.push(order.raw)
    }
    if (raws.length > 0) this.#environment.gossip.offer(raws)
  }

  /** Offers what CometBFT does not have, the oldest first: its mempool may have been full or lost, or the first peer has come. */
  offerMissing(): void {
    // It has taken nothing of what it was offered meanwhile.
    if (this.#environment.consensusStatus().catchingUp) this.#offered = new WeakMap()
    else if (this.#kept.size < this.#pool.size) this.offer(this.#pool.orders(), MAX_OFFERED_AGAIN)
  }

  /**
   * Notes the height of the committed block. Now and then what CometBFT took and lost meanwhile is forgotten, so that
   * it is offered again.
   */
  settle(height: number): void {
    this.#height = height
  }

  /** Whether CometBFT has not got what it was offered: an order does not live long enough to wait for the next care. */
  hasLost(): boolean {
    const { losses = 0 } = this.#environment.gossip
    if (losses === this.#losses) return false
    this.#losses = losses
    this.#offered = new WeakMap()
    return true
  }

  forgetDropped(): void {
    if (!this.#isAskedAgain) return
    for (const [order, askedAt] of this.#kept) {
      if (askedAt < this.#height - OFFER_AGAIN_BLOCKS) this.#kept.delete(order)
    }
  }

  #isMissing(order: PooledOrder): boolean {
    // CometBFT would ask of it, and be refused.
    if (this.#kept.has(order) || order.tx.goodTilBlock <= this.#height) return false
    const offeredAt = this.#offered.get(order)
    return offeredAt === undefined || this.#height - offeredAt >= OFFER_AGAIN_BLOCKS
  }

  /** How many more CometBFT is to be told of. While it catches up it takes nothing: what it lacks is offered afterwards. */
  #room(): number {
    const { catchingUp, peers } = this.#environment.consensusStatus()
    if (catchingUp) return 0
    return (peers === 0 ? MAX_TOLD_ALONE : COMET_MEMPOOL_TRANSACTIONS) - this.#kept.size
  }
}
