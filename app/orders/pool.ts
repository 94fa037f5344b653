/**
 * The bodies of orders that this node has seen, with the times at which it saw them first. Orders of one owner need no order
 * among each other, so that this is no queue by nonces (app/pool): blocks take what the votes attest.
 */
import { bytesToKey } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import type { ClobBody } from '../../modules/clob/index.ts'
import { Heap } from '../pool/heap.ts'
import { BLOCKS_KEPT_AFTER_END, MAX_POOLED_ORDER_BYTES, MAX_POOLED_ORDERS, MAX_UNFUNDED_ORDERS } from './limits.ts'
import { type OrderEnd, PooledOrder, type Rank, RANKS } from './pooled-order.ts'
import { Shares } from './shares.ts'

export interface PoolBounds {
  readonly orders: number
  readonly bytes: number
  /** How many of them may be of owners without funds; left out, all. */
  readonly unfunded?: number
}

interface Owned {
  readonly orders: Set<PooledOrder>
  /** The actions of all of them. */
  actions: number
  /** All of them and some that have left, the last by nonce first; made where the owner reaches a limit. */
  last: Heap<PooledOrder> | undefined
}

type Placed = Pick<ClobBody, 'tx' | 'hash'>

/** The order of an owner's bodies, which is the same on all nodes: by nonce, then by hash. */
const isLater = (a: Placed, b: Placed): boolean =>
  a.tx.nonceMs === b.tx.nonceMs ? bytesToKey(a.hash) > bytesToKey(b.hash) : a.tx.nonceMs > b.tx.nonceMs

/** Bodies that have left and still lie in an owner's heap, beside as many as are there. */
const MOST_STALE = 64

const MS_PER_SECOND = 1_000

const secondOf = ({ tx }: PooledOrder): number => Math.floor(tx.nonceMs / MS_PER_SECOND)

const addTo = (index: Map<number, Set<PooledOrder>>, key: number, order: PooledOrder): void => {
  const orders = index.get(key)
  if (orders === undefined) index.set(key, new Set([order]))
  else orders.add(order)
}

const deleteFrom = (index: Map<number, Set<PooledOrder>>, key: number, order: PooledOrder): void => {
  const orders = index.get(key)
  orders?.delete(order)
  if (orders?.size === 0) index.delete(key)
}

const heapOf = (orders: Iterable<PooledOrder>): Heap<PooledOrder> => {
  const heap = new Heap<PooledOrder>(isLater)
  for (const order of orders) heap.push(order)
  return heap
}

const BOUNDS: PoolBounds = {
  orders: MAX_POOLED_ORDERS,
  bytes: MAX_POOLED_ORDER_BYTES,
  unfunded: MAX_UNFUNDED_ORDERS,
}

export class OrderPool {
  readonly #bounds: PoolBounds
  readonly #onLeft: (order: PooledOrder, how: OrderEnd) => void
  readonly #byHash = new Map<string, PooledOrder>()
  readonly #byEnd = new Map<number, Set<PooledOrder>>()
  /** The bodies by the second of their nonce: nonces are within a minute of the time of the chain, so that these are few. */
  readonly #bySecond = new Map<number, Set<PooledOrder>>()
  readonly #byOwner = new Map<string, Owned>()
  /** Actions of an owner that have left for earlier ones since the last block. */
  readonly #given = new Map<string, number>()
  /** The shares by rank: orders of a lower rank leave first, as long as there are any. */
  readonly #shares: readonly Shares[] = RANKS.map(() => new Shares())
  #bytes = 0
  #arrivals = 0
  /** No body ends below it. */
  #lowestEnd = 0

  /** `onLeft` is told of each body that leaves. */
  constructor(onLeft: (order: PooledOrder, how: OrderEnd) => void = () => undefined, bounds: PoolBounds = BOUNDS) {
    this.#onLeft = onLeft
    this.#bounds = bounds
  }

  get size(): number {
    return this.#byHash.size
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The number that the next body gets. */
  get arrivals(): number {
    return this.#arrivals
  }

  get(hash: Hash): PooledOrder | undefined {
    return this.#byHash.get(bytesToKey(hash))
  }

  /** Finds an order by `bytesToKey` of its hash. */
  byKey(key: string): PooledOrder | undefined {
    return this.#byHash.get(key)
  }

  /** The orders in the order of their arrival. */
  orders(): IterableIterator<PooledOrder> {
    return this.#byHash.values()
  }

  /** Actions of all bodies of an owner. */
  actionCount(owner: Uint8Array): number {
    return this.#byOwner.get(bytesToKey(owner))?.actions ?? 0
  }

  /** In the order of their arrival. */
  ordersOf(owner: Uint8Array): Iterable<PooledOrder> {
    return this.#byOwner.get(bytesToKey(owner))?.orders ?? []
  }

  /**
   * Tells which of its owner's bodies leave for this one, so that all of them have no more than `most` actions: the last by
   * nonce, whichever came first. Nodes that have seen the same orders of an owner so keep the same ones: whoever shows
   * different orders to different nodes splits their pools for as long as gossip takes. Undefined where the body itself is
   * the last, and where as many have left since the last block: each that comes is gossiped, and costs its owner nothing.
   */
  leavingFor(body: Placed, most: number): readonly PooledOrder[] | undefined {
    const owned = this.#byOwner.get(bytesToKey(body.tx.owner))
    let over = (owned?.actions ?? 0) + body.tx.actions.length - most
    if (over <= 0) return []
    if (owned === undefined || (this.#given.get(bytesToKey(body.tx.owner)) ?? 0) >= most) return undefined
    const last = (owned.last ??= heapOf(owned.orders))
    const leaving: PooledOrder[] = []
    const looked: PooledOrder[] = []
    while (over > 0) {
      const order = last.pop()
      if (order === undefined) break
      if (!owned.orders.has(order)) continue
      looked.push(order)
      if (order.isProtected) continue
      if (!isLater(order, body)) break
      leaving.push(order)
      over -= order.tx.actions.length
    }
    // Those that leave are passed over once they have left.
    for (const order of looked) last.push(order)
    return over > 0 ? undefined : leaving
  }

  /** Lets go what {@link leavingFor} has told. */
  giveUp(leaving: readonly PooledOrder[]): void {
    for (const order of leaving) {
      this.#given.set(order.ownerKey, (this.#given.get(order.ownerKey) ?? 0) + order.tx.actions.length)
      this.delete(order)
    }
  }

  /** Those that no block above this height may run. */
  ending(height: number): Iterable<PooledOrder> {
    return this.#byEnd.get(height) ?? []
  }

  /**
   * Takes a body in that is not here; others leave for it where there is no room. Undefined where it would be the first to
   * leave itself: a pool that is full of other owners' funded orders takes none of somebody without funds, and one that has
   * enough of those neither.
   */
  add(body: ClobBody, seenMs: number, rank: Rank): PooledOrder | undefined {
    const order = new PooledOrder(body, { seenMs, rank, arrival: this.#arrivals++ })
    this.#insert(order)
    for (;;) {
      const isOver = this.#byHash.size > this.#bounds.orders || this.#bytes > this.#bounds.bytes
      if (!isOver && this.#unfunded.size <= (this.#bounds.unfunded ?? Infinity)) break
      const victim = isOver ? this.#greediest : this.#unfunded.greediest
      // All others are protected: the arrival is not.
      if (victim === undefined) break
      this.delete(victim)
      if (victim === order) return undefined
    }
    return order
  }

  /** False where {@link add} would take it in vain: the pool is full, and nothing in it leaves before what has no funds. */
  mayTake({ raw }: Pick<ClobBody, 'raw'>, rank: () => Rank): boolean {
    const hasRoom = this.#byHash.size < this.#bounds.orders && this.#bytes + raw.length <= this.#bounds.bytes
    if (hasRoom) return true
    const next = this.#greediest
    if (next === undefined) return rank() > 0
    return next.rank === 0 || rank() >= next.rank
  }

  get #unfunded(): Shares {
    return this.#shares[0] as Shares
  }

  /** What leaves next; undefined where all that is here is protected. */
  get #greediest(): PooledOrder | undefined {
    for (const shares of this.#shares) {
      const found = shares.greediest
      if (found !== undefined) return found
    }
    return undefined
  }

  delete(order: PooledOrder, how: OrderEnd = 'displaced'): void {
    if (this.#byHash.get(order.key) !== order) return
    this.#byHash.delete(order.key)
    this.#bytes -= order.raw.length
    this.#sharesOf(order).delete(order)
    this.#forgetOwned(order)
    deleteFrom(this.#byEnd, order.tx.goodTilBlock, order)
    deleteFrom(this.#bySecond, secondOf(order), order)
    this.#onLeft(order, how)
  }

  /** Protects a body that is here, or ends that. */
  protect(order: PooledOrder, isProtected: boolean): void {
    if (this.#byHash.get(order.key) === order) this.#sharesOf(order).protect(order, isProtected)
  }

  /** Drops what neither block `height` nor a later one can hold, nor carry. */
  expire(height: number): void {
    this.#given.clear()
    const lowest = height - BLOCKS_KEPT_AFTER_END
    if (lowest - this.#lowestEnd > this.#byEnd.size) {
      for (const end of [...this.#byEnd.keys()]) if (end < lowest) this.#dropEnding(end)
    } else {
      for (let end = this.#lowestEnd; end < lowest; end++) this.#dropEnding(end)
    }
    this.#lowestEnd = Math.max(this.#lowestEnd, lowest)
  }

  /** Drops what has a nonce of a second before this time: no block may run it, nor carry it. */
  expireNonces(leastMs: number): void {
    const least = Math.floor(leastMs / MS_PER_SECOND)
    for (const [second, orders] of [...this.#bySecond]) {
      if (second < least) for (const order of [...orders]) this.delete(order, 'dropped')
    }
  }

  clear(): void {
    this.#given.clear()
    for (const order of [...this.#byHash.values()]) this.delete(order)
    this.#lowestEnd = 0
  }

  #dropEnding(end: number): void {
    for (const order of [...(this.#byEnd.get(end) ?? [])]) this.delete(order, 'dropped')
  }

  #insert(order: PooledOrder): void {
    this.#byHash.set(order.key, order)
    this.#bytes += order.raw.length
    this.#sharesOf(order).add(order)
    this.#noteOwned(order)
    const end = order.tx.goodTilBlock
    addTo(this.#byEnd, end, order)
    addTo(this.#bySecond, secondOf(order), order)
    this.#lowestEnd = Math.min(this.#lowestEnd, end)
  }

  #sharesOf({ rank }: PooledOrder): Shares {
    return this.#shares[rank] as Shares
  }

  #noteOwned(order: PooledOrder): void {
    const owned = this.#byOwner.get(order.ownerKey) ?? { orders: new Set(), actions: 0, last: undefined }
    owned.orders.add(order)
    owned.last?.push(order)
    owned.actions += order.tx.actions.length
    this.#byOwner.set(order.ownerKey, owned)
  }

  #forgetOwned(order: PooledOrder): void {
    const owned = this.#byOwner.get(order.ownerKey)
    if (owned === undefined) return
    owned.orders.delete(order)
    owned.actions -= order.tx.actions.length
    if (owned.last !== undefined && owned.last.size > 2 * owned.orders.size + MOST_STALE) owned.last = undefined
    if (owned.orders.size === 0) this.#byOwner.delete(order.ownerKey)
  }
}
