/** The open orders of a market: those at a price, those that wait for their trigger, and dead ones, which are in neither. */
import type { OpenOrder, Side } from '../domain/order.ts'
import { OrderBuckets } from './bucket-root.ts'
import { BookSide } from './book-side.ts'
import { Crowd } from './crowd.ts'
import type { RestingOrder } from './resting-order.ts'
import { SortedChunks } from './sorted-chunks.ts'

/** Whether a block price at or above the trigger fires it, or one at or below. */
export const firesAbove = ({ side, triggerKind }: Pick<OpenOrder, 'side' | 'triggerKind'>): boolean =>
  (side === 'buy') === (triggerKind === 'stop')

export class MarketBook {
  readonly id: number
  readonly bids = new BookSide('buy')
  readonly asks = new BookSide('sell')
  /** All open orders by order_seq, also dead ones and those with a trigger. */
  readonly orders = new Map<number, RestingOrder>()
  readonly #buyers = new Crowd()
  readonly #sellers = new Crowd()
  /** What state has of them, as of the committed head. */
  readonly buckets = new OrderBuckets()
  /**
   * Orders that wait, by trigger price, ascending; those that fire at or below it by its negative. The ties are
   * order_seq.
   */
  readonly #above = new SortedChunks<RestingOrder>()
  readonly #below = new SortedChunks<RestingOrder>()

  constructor(id: number) {
    this.id = id
  }

  side(side: Side): BookSide {
    return side === 'buy' ? this.bids : this.asks
  }

  opposite(side: Side): BookSide {
    return side === 'buy' ? this.asks : this.bids
  }

  /** All orders of a side that are not dead, also those with a trigger. */
  crowd(side: Side): Crowd {
    return side === 'buy' ? this.#buyers : this.#sellers
  }

  sortCrowds(): void {
    for (const side of ['buy', 'sell'] as const) {
      this.crowd(side).sort([...this.orders.values()].filter((order) => order.side === side && !order.isDead))
    }
  }

  unsortCrowds(): void {
    this.#buyers.unsort()
    this.#sellers.unsort()
  }

  get hasTriggers(): boolean {
    return this.#above.size + this.#below.size > 0
  }

  /** The order with the lowest order_seq that a block price fires. */
  firstFiredAt(priceTicks: number): RestingOrder | undefined {
    const above = this.#above.leastTieUpTo(priceTicks)
    const below = this.#below.leastTieUpTo(-priceTicks)
    if (above === undefined || below === undefined) return above ?? below
    return above.seq < below.seq ? above : below
  }

  append(order: RestingOrder): void {
    this.orders.set(order.seq, order)
    if (order.isDead) return
    this.crowd(order.side).insert(order)
    if (order.triggerKind === 'none') this.side(order.side).append(order)
    else this.#addTrigger(order)
  }

  unlink(order: RestingOrder): void {
    this.orders.delete(order.seq)
    if (!order.isDead) this.#takeOut(order)
  }

  /** Undoes `unlink`. Whatever was done after it must be undone already. */
  restore(order: RestingOrder): void {
    this.orders.set(order.seq, order)
    if (!order.isDead) this.#putBack(order)
  }

  /** Takes a dying order out of its level or the triggers. */
  bury(order: RestingOrder): void {
    order.isDead = true
    this.#takeOut(order)
  }

  /** Undoes `bury`. Whatever was done after it must be undone already. */
  unbury(order: RestingOrder): void {
    order.isDead = false
    this.#putBack(order)
  }

  /** Changes what is left of an order that is not dead. */
  changeLeft(order: RestingOrder, left: number): void {
    const crowd = this.crowd(order.side)
    crowd.remove(order)
    order.level?.lots.subtract(order.left)
    order.left = left
    order.level?.lots.add(left)
    crowd.insert(order)
  }

  /** Puts an order in the place of another one with the same order_seq, side and prices. */
  exchange(order: RestingOrder, by: RestingOrder): void {
    this.orders.set(by.seq, by)
    const crowd = this.crowd(order.side)
    crowd.remove(order)
    crowd.insert(by)
    if (order.triggerKind === 'none') this.side(order.side).exchange(order, by)
    else {
      this.#dropTrigger(order)
      this.#addTrigger(by)
    }
  }

  #takeOut(order: RestingOrder): void {
    this.crowd(order.side).remove(order)
    if (order.triggerKind === 'none') this.side(order.side).unlink(order)
    else this.#dropTrigger(order)
  }

  #putBack(order: RestingOrder): void {
    this.crowd(order.side).insert(order)
    if (order.triggerKind === 'none') this.side(order.side).restore(order)
    else this.#addTrigger(order)
  }

  #addTrigger(order: RestingOrder): void {
    if (firesAbove(order)) this.#above.insert(order.triggerTicks, order.seq, order)
    else this.#below.insert(-order.triggerTicks, order.seq, order)
  }

  #dropTrigger(order: RestingOrder): void {
    if (firesAbove(order)) this.#above.remove(order.triggerTicks, order.seq)
    else this.#below.remove(-order.triggerTicks, order.seq)
  }
}
