/**
 * Who has how much of the pool, by what leaves first: of the owner with the largest share the newest body. All operations take
 * constant time: an order costs nobody a search.
 */
import { LinkedList, type Link } from './list.ts'
import { MAX_POOLED_ORDER_BYTES, MAX_POOLED_ORDERS } from './limits.ts'
import type { PooledOrder } from './pooled-order.ts'

/** So many bytes count as much as one body. */
const BYTES_OF_A_BODY = Math.ceil(MAX_POOLED_ORDER_BYTES / MAX_POOLED_ORDERS)

/**
 * So much weight counts as much as one body: what a round of selection gives an owner. Otherwise bodies of which a block takes 40
 * would fill the pool for as long as they live, one an owner, and nobody could cancel.
 */
const WEIGHT_OF_A_BODY = 20

/** What one owner has in a ranking. */
class Share implements Link<Share> {
  previous: Share | undefined
  next: Share | undefined
  readonly owner: string
  /** Bodies that may leave, oldest first. */
  readonly orders = new LinkedList<PooledOrder>()
  /** Those that may not leave count, too. */
  count = 0
  bytes = 0
  weight = 0
  /** Rank of the list that it is in; 0 is none. */
  rank = 0

  constructor(owner: string) {
    this.owner = owner
  }
}

export class Shares {
  readonly #byOwner = new Map<string, Share>()
  /** Shares with a body that may leave, by their size. */
  readonly #ranks: (LinkedList<Share> | undefined)[] = []
  /** No share has a higher rank. */
  #highest = 0
  /** Bodies of all owners. */
  size = 0

  /**
   * The newest body of the owner with most. Among equal owners it is the one that came last: whoever comes with many
   * names gains nothing.
   */
  get greediest(): PooledOrder | undefined {
    while (this.#highest > 0) {
      const newest = this.#ranks[this.#highest]?.last?.orders.last
      if (newest !== undefined) return newest
      this.#highest--
    }
    return undefined
  }

  add(order: PooledOrder): void {
    const share = this.#byOwner.get(order.ownerKey) ?? this.#begin(order.ownerKey)
    share.count++
    this.size++
    share.bytes += order.raw.length
    share.weight += order.weight
    if (!order.isProtected) share.orders.append(order)
    this.#rank(share)
  }

  delete(order: PooledOrder): void {
    const share = this.#byOwner.get(order.ownerKey)
    if (share === undefined) return
    share.count--
    this.size--
    share.bytes -= order.raw.length
    share.weight -= order.weight
    if (!order.isProtected) share.orders.delete(order)
    if (share.count === 0) this.#byOwner.delete(share.owner)
    this.#rank(share)
  }

  /** Changes whether a body that is here may leave. */
  protect(order: PooledOrder, isProtected: boolean): void {
    const share = this.#byOwner.get(order.ownerKey)
    if (share === undefined || order.isProtected === isProtected) return
    if (isProtected) share.orders.delete(order)
    // What was attested is older than what was not.
    else share.orders.prepend(order)
    order.isProtected = isProtected
    this.#rank(share)
  }

  #begin(owner: string): Share {
    const share = new Share(owner)
    this.#byOwner.set(owner, share)
    return share
  }

  #rank(share: Share): void {
    const { count, bytes, weight } = share
    const size = Math.max(count, Math.ceil(bytes / BYTES_OF_A_BODY), Math.ceil(weight / WEIGHT_OF_A_BODY))
    const rank = share.orders.last === undefined ? 0 : size
    if (rank === share.rank) return
    if (share.rank > 0) this.#ranks[share.rank]?.delete(share)
    share.rank = rank
    if (rank === 0) return
    const list = (this.#ranks[rank] ??= new LinkedList())
    list.append(share)
    if (rank > this.#highest) this.#highest = rank
  }
}
