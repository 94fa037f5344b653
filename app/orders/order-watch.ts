/**
 * What happens to orders before a block holds them, for those who follow it: pending in the pool of this node, attested by votes that it has heard,
 * carried. Nothing of it is final. While nobody follows, an order and a vote cost a look-up each.
 */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { marketOfAction } from '../../modules/clob/index.ts'
import type { StateReader } from '../../store/state.ts'
import { HeardVotes, type VotePowers, votePowers, votersOf } from './heard-votes.ts'
import type { OrderIds } from './order-ids.ts'
import type { OrderPool } from './pool.ts'
import type { OrderEnd, OrderStage, PooledOrder } from './pooled-order.ts'
import { VoteTally } from './vote-tally.ts'

/** Something that has happened to an order. */
export interface OrderNews {
  readonly order: PooledOrder
  readonly stage: OrderStage | OrderEnd
  /** It has just come. */
  readonly isNew: boolean
  /** Height of the block that took it; else that of the head. */
  readonly height: number
}

/** What has happened since a place, and the next place. */
export interface NewsPage {
  readonly next: number
  /** There is more to read at once. */
  readonly isMore: boolean
  readonly news: readonly OrderNews[]
}

/** Whose orders are looked at: those that name a market, or all markets, and those of an owner. */
export interface WatchedOrders {
  /** 0 is any. */
  readonly market: number
  /** Undefined is any. */
  readonly owner: Address | undefined
}

/** Orders of the pool, in the order of their arrival. */
export interface OrdersPage {
  readonly orders: readonly PooledOrder[]
  /** The arrival at which the next page begins; undefined behind the last. */
  readonly next: number | undefined
}

/** The most news that are kept: a reader that is further behind has lost its place. */
const MAX_NEWS = 65_536
/** Bodies have left the pool while the news still has them. */
const MAX_NEWS_BYTES = 32 * 1024 * 1024
const NEWS_BYTES = 256
/** Forgotten together. */
const FORGOTTEN_AT_ONCE = 4_096
/** Blocks after which somebody who asked for nothing has gone. */
const FOLLOWED_BLOCKS = 10
const NEWS_A_PAGE = 500
const PAGE_BYTES = 256 * 1024
/** Bodies that are looked at for a page: less than a millisecond. */
const LOOKED_AT_A_PAGE = 8_000

export interface OrderWatchOptions {
  readonly pool: OrderPool
  readonly ids: OrderIds
  /** The state of the committed head. */
  state(): StateReader
  /** Height of the next block. */
  nextHeight(): number
}

export class OrderWatch {
  readonly #options: OrderWatchOptions
  readonly #heard = new HeardVotes()
  /** The validators of the newest height for which votes came. */
  #voters: { readonly height: number; readonly keys: ReadonlySet<string> } | undefined
  #carried: ReadonlySet<PooledOrder> = new Set()
  #tallies: VoteTally[] = []
  #news: OrderNews[] = []
  /** Place of the first of them. */
  #first = 0
  #bytes = 0
  /** Blocks for which it is followed still; 0: nobody does. */
  #followed = 0

  constructor(options: OrderWatchOptions) {
    this.#options = options
  }

  /** See {@link HeardVotes.note}. Votes for other blocks than the next one are of no use, nor are those of others than its validators. */
  noteVote(height: number, hash: Hash, validator: Uint8Array | undefined, extension: Uint8Array): void {
    if (height !== this.#options.nextHeight()) return
    if (validator !== undefined && !this.#mayVote(height, validator)) return
    this.#heard.note(height, hash, validator, extension)
  }

  #mayVote(height: number, validator: Uint8Array): boolean {
    if (this.#voters?.height !== height) this.#voters = { height, keys: votersOf(this.#options.state(), height) }
    return this.#voters.keys.has(bytesToKey(validator))
  }

  /** How many votes are kept. */
  get heardVotes(): number {
    return this.#heard.blocks.reduce((sum, { votes }) => sum + votes.size, 0)
  }

  arrived(order: PooledOrder): void {
    this.#tell(order, 'pending', true)
  }

  /** Where a block took it the head is that block. */
  left(order: PooledOrder, how: OrderEnd): void {
    for (const { attested } of this.#tallies) attested.delete(order)
    if (how === 'dropped' && order.stage === 'dropped') return
    this.#tell(order, how, false)
  }

  /** The block is committed, and what it took has left the pool. `carried` are those of its list that the pool holds. */
  settle(height: number, hash: Hash, carried: ReadonlySet<PooledOrder>): void {
    this.#heard.settle(height, hash)
    const before = this.#carried
    this.#carried = carried
    if (this.#followed === 0 || --this.#followed === 0) {
      this.#rest()
      return
    }
    const changed = new Set([...before, ...carried, ...this.#options.pool.ending(height)])
    const kept = new Set(this.#heard.blocks)
    for (const { block, attested } of this.#tallies)
      if (!kept.has(block)) for (const order of attested) changed.add(order)
    this.#tallies = this.#tallies.filter(({ block }) => kept.has(block))
    for (const order of changed) this.#restage(order)
  }

  /** The list that is carried when the node begins. */
  carry(carried: ReadonlySet<PooledOrder>): void {
    this.#carried = carried
  }

  clear(): void {
    this.#heard.clear()
    this.#voters = undefined
    this.#carried = new Set()
    this.#rest()
  }

  /** The stage of an order that the pool holds. */
  stageOf(order: PooledOrder): OrderStage {
    if (this.#carried.has(order)) return 'carried'
    if (order.tx.goodTilBlock < this.#options.nextHeight()) return 'dropped'
    if (this.#tallies.some(({ attested }) => attested.has(order))) return 'attested'
    if (this.#followed > 0) return 'pending'
    return this.#heard.isAttested(order.hash, (height) => this.#powersAt(height)) ? 'attested' : 'pending'
  }

  /** Where the next news will stand; from now on it is kept, as long as somebody reads on. */
  follow(): number {
    this.#followed = FOLLOWED_BLOCKS
    return this.#first + this.#news.length
  }

  /** Undefined where what follows the place is not here any more. It does a step of what there is to count. */
  read(since: number): NewsPage | undefined {
    if (this.#followed === 0 || since < this.#first || since > this.#first + this.#news.length) return undefined
    this.#followed = FOLLOWED_BLOCKS
    const isCounted = this.#step()
    const news: OrderNews[] = []
    let bytes = 0
    for (let at = since - this.#first; news.length < NEWS_A_PAGE && bytes < PAGE_BYTES; at++) {
      const each = this.#news[at]
      if (each === undefined) break
      news.push(each)
      bytes += each.isNew ? each.order.raw.length : 0
    }
    const next = since + news.length
    return { next, news, isMore: !isCounted || next < this.#first + this.#news.length }
  }

  /**
   * A page of the orders that came from one arrival on and before another. All who follow are told what it shows of an
   * order.
   */
  page(watched: WatchedOrders, from: number, below: number): OrdersPage {
    const { pool } = this.#options
    const orders: PooledOrder[] = []
    let looked = 0
    let bytes = 0
    for (const order of watched.owner === undefined ? pool.orders() : pool.ordersOf(watched.owner)) {
      if (order.arrival < from) continue
      if (order.arrival >= below) break
      if (++looked > LOOKED_AT_A_PAGE || orders.length === NEWS_A_PAGE || bytes >= PAGE_BYTES) {
        return { orders, next: order.arrival }
      }
      if (!isWatched(order, watched)) continue
      this.#restage(order)
      orders.push(order)
      bytes += order.raw.length
    }
    return { orders, next: undefined }
  }

  /** False where votes are left to count. */
  #step(): boolean {
    const known = new Set(this.#tallies.map(({ block }) => block))
    for (const block of this.#heard.blocks) {
      if (!known.has(block)) this.#tallies.push(new VoteTally(block, this.#powersAt(block.height), this.#options.ids))
    }
    const { arrivals } = this.#options.pool
    return this.#tallies.every((tally) => tally.step(arrivals, (order) => this.#restage(order)))
  }

  #powersAt(height: number): VotePowers {
    return votePowers(this.#options.state(), height)
  }

  #restage(order: PooledOrder): void {
    // What has left the pool was told of.
    if (this.#options.pool.get(order.hash) !== order) return
    const stage = this.stageOf(order)
    if (stage !== order.stage) this.#tell(order, stage, false)
  }

  #tell(order: PooledOrder, stage: OrderStage | OrderEnd, isNew: boolean): void {
    if (this.#followed === 0) return
    if (stage !== 'included' && stage !== 'displaced') order.stage = stage
    this.#news.push({ order, stage, isNew, height: this.#options.nextHeight() - 1 })
    this.#bytes += order.raw.length + NEWS_BYTES
    while (this.#news.length > MAX_NEWS || this.#bytes > MAX_NEWS_BYTES) {
      for (const forgotten of this.#news.splice(0, FORGOTTEN_AT_ONCE)) {
        this.#first++
        this.#bytes -= forgotten.order.raw.length + NEWS_BYTES
      }
    }
  }

  /** Nobody reads. */
  #rest(): void {
    this.#followed = 0
    this.#first += this.#news.length
    this.#news = []
    this.#bytes = 0
    this.#tallies = []
  }
}

export const isWatched = ({ ownerKey, tx }: PooledOrder, { market, owner }: WatchedOrders): boolean => {
  if (owner !== undefined && bytesToKey(owner) !== ownerKey) return false
  if (market === 0) return true
  return tx.actions.some((action) => [0, market].includes(marketOfAction(action)))
}
