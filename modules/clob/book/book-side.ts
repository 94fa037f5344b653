/** One side of a market: levels by price, in each the orders by order_seq. */
import type { Side } from '../domain/order.ts'
import { invariant } from '../../../core/errors.ts'
import { LotSum } from './lot-sum.ts'
import type { RestingOrder } from './resting-order.ts'
import { SortedChunks } from './sorted-chunks.ts'

/** All orders of a side at a price. One without orders is in no book. */
export class Level {
  readonly ticks: number
  oldest: RestingOrder | undefined = undefined
  newest: RestingOrder | undefined = undefined
  orders = 0
  /** The lots that are left of its orders. */
  readonly lots = new LotSum()

  constructor(ticks: number) {
    this.ticks = ticks
  }
}

export class BookSide {
  readonly side: Side
  readonly #sign: 1 | -1
  readonly #levels = new Map<number, Level>()
  /** The best price last: most comes and goes there. */
  readonly #sorted = new SortedChunks<Level>()

  constructor(side: Side) {
    this.side = side
    this.#sign = side === 'buy' ? 1 : -1
  }

  get best(): Level | undefined {
    return this.#sorted.last
  }

  levelAt(ticks: number): Level | undefined {
    return this.#levels.get(ticks)
  }

  /** The levels from the best price on, or from one on that need not be there. The side must not change meanwhile. */
  levels(fromTicks?: number): Generator<Level, undefined> {
    return this.#sorted.descending(fromTicks === undefined ? undefined : fromTicks * this.#sign)
  }

  /** Appends behind all others of its price: it must be the newest of them. */
  append(order: RestingOrder): void {
    let level = this.#levels.get(order.priceTicks)
    if (level === undefined) {
      level = new Level(order.priceTicks)
      this.#open(level)
    }
    order.level = level
    order.olderInLevel = level.newest
    order.newerInLevel = undefined
    if (level.newest === undefined) level.oldest = order
    else level.newest.newerInLevel = order
    level.newest = order
    level.orders++
    level.lots.add(order.left)
  }

  /** The order keeps its neighbours, so that `restore` finds its place. */
  unlink(order: RestingOrder): void {
    const level = levelOf(order)
    const { olderInLevel: older, newerInLevel: newer } = order
    if (older === undefined) level.oldest = newer
    else older.newerInLevel = newer
    if (newer === undefined) level.newest = older
    else newer.olderInLevel = older
    level.orders--
    level.lots.subtract(order.left)
    if (level.orders === 0) this.#close(level)
  }

  /** Undoes `unlink`. Whatever was done after it must be undone already. */
  restore(order: RestingOrder): void {
    const level = levelOf(order)
    if (level.orders === 0) this.#open(level)
    this.#put(order)
    level.orders++
    level.lots.add(order.left)
  }

  /** Puts an order, which has its neighbours already, in the place of another one. */
  exchange(order: RestingOrder, by: RestingOrder): void {
    const level = levelOf(by)
    this.#put(by)
    level.lots.subtract(order.left)
    level.lots.add(by.left)
  }

  /** Makes the neighbours of an order point to it. */
  #put(order: RestingOrder): void {
    const level = levelOf(order)
    if (order.olderInLevel === undefined) level.oldest = order
    else order.olderInLevel.newerInLevel = order
    if (order.newerInLevel === undefined) level.newest = order
    else order.newerInLevel.olderInLevel = order
  }

  #open(level: Level): void {
    this.#levels.set(level.ticks, level)
    this.#sorted.insert(level.ticks * this.#sign, 0, level)
  }

  #close(level: Level): void {
    this.#levels.delete(level.ticks)
    this.#sorted.remove(level.ticks * this.#sign, 0)
  }
}

const levelOf = (order: RestingOrder): Level => {
  invariant(order.level !== undefined, 'an order at a price has a level')
  return order.level
}
