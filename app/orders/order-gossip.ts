/** What CometBFT's mempool holds of the orders, and what it is offered for gossip. */
import type { Environment } from '../environment.ts'
import { HALF_OF_COMET } from '../pool/limits.ts'
import { Lingering } from '../pool/lingering.ts'
import type { OrderPool } from './pool.ts'
import type { OrderEnd, PooledOrder } from './pooled-order.ts'

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
  readonly #lingering = new Lingering()
  /** Some wait for a place. */
  #isCrowded = false
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

  /** Whether CometBFT may keep it: half of its places are for orders, whoever has sent them, so that they silence nobody else. */
  mayKeep(order: PooledOrder): boolean {
    if (this.#kept.has(order) || this.#places > 0) return true
    this.#isCrowded = true
    return false
  }

  /** Places of CometBFT's mempool that are free for orders. */
  get #places(): number {
    return HALF_OF_COMET.transactions - this.#kept.size - this.#lingering.transactions
  }

  /** CometBFT asked of it, and keeps it. */
  keep(order: PooledOrder): void {
    this.#kept.set(order, this.#height)
  }

  /** CometBFT asked of it, and was told not to keep it. */
  refuse(order: PooledOrder): void {
    this.#kept.delete(order)
  }

  /** It left the pool. CometBFT itself takes out what a block has included. */
  delete(order: PooledOrder, how: OrderEnd): void {
    if (this.#kept.delete(order) && how !== 'included') this.#lingering.add(order.raw.length)
  }

  askedAgain(): void {
    this.#isAskedAgain = true
  }

  /** CometBFT was restarted, or another chain begins. */
  clear(): void {
    this.#kept.clear()
    this.#lingering.clear()
    this.#offered = new WeakMap()
    this.#isAskedAgain = false
  }

  /** Offers those that CometBFT does not have, as far as there is room. */
  offer(orders: Iterable<PooledOrder>, most = Number.POSITIVE_INFINITY): void {
    const room = Math.min(this.#room(), most)
    const raws: Uint8Array[] = []
    for (const order of orders) {
      if (!this.#isMissing(order)) continue
      if (raws.length >= room) {
        this.#isCrowded = true
        break
      }
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
    this.#lingering.settle()
  }

  /**
   * Whether some are to be offered with this block: CometBFT has not got what it was offered, or there was no place. An order
   * does not live long enough to wait for the next care.
   */
  isDue(): boolean {
    const { losses = 0 } = this.#environment.gossip
    const hasLost = losses !== this.#losses
    const isCrowded = this.#isCrowded && this.#environment.consensusStatus().peers > 0
    this.#losses = losses
    this.#isCrowded = false
    if (hasLost || isCrowded) this.#offered = new WeakMap()
    return hasLost || isCrowded
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
    return peers === 0 ? MAX_TOLD_ALONE - this.#kept.size : this.#places
  }
}
