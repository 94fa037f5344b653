/** How many orders may be open, and which of them gives way where there is no more room. docs/clob-spec.md, Room; docs/adr/041. */
import { invariant } from '../../../core/errors.ts'
import { MAX_OPEN_ORDERS, MAX_SIDE_ORDERS } from '../domain/market.ts'
import type { OpenOrder } from '../domain/order.ts'
import type { RestingOrder } from './resting-order.ts'
import { SortedChunks } from './sorted-chunks.ts'

/** Orders with a trigger count, too. */
export interface OrderBounds {
  /** The most orders of a side of a market that are not dead. */
  readonly side: number
  /** The most orders of all markets together, dead ones too. */
  readonly all: number
}

export const ORDER_BOUNDS: OrderBounds = { side: MAX_SIDE_ORDERS, all: MAX_OPEN_ORDERS }

export type Staked = Pick<OpenOrder, 'market' | 'side' | 'priceTicks' | 'left'>

/** What an order locks, in units of its side: ticks x lots of a buy, as the binary64 product, and lots of a sell. */
export const stakeOf = ({ side, priceTicks, left }: Omit<Staked, 'market'>): number =>
  side === 'buy' ? priceTicks * left : left

/** Orders of a side of a market that rest and are not dead: an IOC order that waits for a clearing is none. They are sorted only while so many are open that one may have to give way. */
export class Crowd {
  /** The orders by what they lock: of equal ones the newest is the least. */
  #byStake: SortedChunks<RestingOrder> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get isSorted(): boolean {
    return this.#byStake !== undefined
  }

  get least(): RestingOrder | undefined {
    invariant(this.#byStake !== undefined, 'the orders of a side are sorted where one gives way')
    return this.#byStake.first
  }

  insert(order: RestingOrder): void {
    if (!order.rests) return
    this.#size++
    this.#byStake?.insert(stakeOf(order), -order.seq, order)
  }

  /** Called before anything of the order changes that its stake depends on. */
  remove(order: RestingOrder): void {
    if (!order.rests) return
    this.#size--
    this.#byStake?.remove(stakeOf(order), -order.seq)
  }

  /** `orders` are all of it. */
  sort(orders: Iterable<RestingOrder>): void {
    const byStake = new SortedChunks<RestingOrder>()
    for (const order of orders) if (order.rests) byStake.insert(stakeOf(order), -order.seq, order)
    this.#byStake = byStake
  }

  unsort(): void {
    this.#byStake = undefined
  }
}

/** What gives way where an order comes to rest. */
export interface GivesWay {
  /** Whether its side is full, or all markets together. */
  readonly isSide: boolean
  /** Undefined is the order itself. */
  readonly order: RestingOrder | undefined
}

/** The least of a side that the new order joins: it is the newest, so that of equal stakes its own is the less. */
export const leastWith = (crowd: Crowd, order: Staked): RestingOrder | undefined => {
  const { least } = crowd
  return least !== undefined && stakeOf(least) < stakeOf(order) ? least : undefined
}
