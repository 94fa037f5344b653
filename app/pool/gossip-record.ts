/** What CometBFT's mempool holds of the pool, and what it is offered for gossip. */
import type { Environment } from '../environment.ts'
import { HALF_OF_COMET } from './limits.ts'
import type { PoolEntry } from './entry.ts'
import { Lingering } from './lingering.ts'
import type { Pool } from './pool.ts'

/** Blocks after which an entry that CometBFT was offered, or took, and does not ask of, is offered again. */
const OFFER_AGAIN_BLOCKS = 10
const MAX_OFFERED_AGAIN = 2_000
/**
 * A node without peers tells CometBFT of as many as a page of its unconfirmed_txs shows: gossip would only cost
 * CometBFT's time (half of what it spends on a transaction).
 */
const MAX_TOLD_ALONE = 100

/** What CometBFT was offered of an entry. */
interface Offer {
  readonly height: number
  /** It took the entry, and let it go because the entry must wait: once that is over it may be offered at once. */
  readonly isGivenBack: boolean
  /** That was done already. Whoever makes the entry wait and go by turns has it offered no more often than all others. */
  readonly wasSoon: boolean
}

export class GossipRecord {
  readonly #pool: Pool
  readonly #environment: Pick<Environment, 'gossip' | 'consensusStatus'>
  /** What CometBFT's mempool has taken, with the height when it last asked of it. */
  readonly #told = new Map<PoolEntry, number>()
  readonly #lingering = new Lingering()
  /** The bytes of their wire forms. */
  #toldBytes = 0
  #offered = new WeakMap<PoolEntry, Offer>()
  /** CometBFT asks after every block again of all that its mempool holds, unless its operator has switched that off. */
  #isAskedAgain = false
  /** Height of the last block. */
  #height = 0

  constructor(pool: Pool, environment: Pick<Environment, 'gossip' | 'consensusStatus'>) {
    this.#pool = pool
    this.#environment = environment
  }

  /** Whether CometBFT may keep it beside what it keeps: half of its mempool is for the order book. */
  hasRoom(entry: PoolEntry): boolean {
    if (this.#told.has(entry)) return true
    const bytes = this.#toldBytes + this.#lingering.bytes + entry.raw.length
    return this.#places > 0 && bytes <= HALF_OF_COMET.bytes
  }

  /** Places of CometBFT's mempool that are free for these families. */
  get #places(): number {
    return HALF_OF_COMET.transactions - this.#told.size - this.#lingering.transactions
  }

  /** CometBFT asked of an entry, and keeps it. */
  keep(entry: PoolEntry): void {
    if (!this.#told.has(entry)) this.#toldBytes += entry.raw.length
    this.#told.set(entry, this.#height)
  }

  /** It must wait, and CometBFT, which was told so, does not keep it. */
  giveBack(entry: PoolEntry): void {
    this.#forget(entry)
    const offer = this.#offered.get(entry)
    if (offer !== undefined) this.#offered.set(entry, { ...offer, isGivenBack: true })
  }

  /** It left the pool. CometBFT itself takes out what a block has included. */
  delete(entry: PoolEntry, isIncluded: boolean): void {
    if (this.#forget(entry) && !isIncluded) this.#lingering.add(entry.raw.length)
    this.#offered.delete(entry)
  }

  /** Whether CometBFT had it. */
  #forget(entry: PoolEntry): boolean {
    if (!this.#told.delete(entry)) return false
    this.#toldBytes -= entry.raw.length
    return true
  }

  askedAgain(): void {
    this.#isAskedAgain = true
  }

  /** CometBFT was restarted, or another chain begins. */
  clear(): void {
    this.#told.clear()
    this.#toldBytes = 0
    this.#lingering.clear()
    this.#offered = new WeakMap()
    this.#isAskedAgain = false
  }

  /** Whether CometBFT may hold it: nothing stands between it and the next block. */
  isDue(entry: PoolEntry, baseFeePerGas: bigint): boolean {
    const queue = this.#pool.account(entry.sender)
    return queue?.isExecutable(entry.nonce) === true && queue.highestBaseFee(entry.nonce) >= baseFeePerGas
  }

  /** Offers those that are due, as far as there is room. */
  offer(entries: Iterable<PoolEntry>, baseFeePerGas: bigint): void {
    const room = this.#room()
    const raws: Uint8Array[] = []
    for (const entry of entries) {
      if (raws.length >= room) break
      if (this.#isMissing(entry) && this.isDue(entry, baseFeePerGas)) raws.push(this.#noteOffered(entry))
    }
    if (raws.length > 0) this.#environment.gossip.offer(raws)
  }

  /** Offers what CometBFT does not have, the best first: its mempool may have been full or lost, or the first peer has come. */
  offerMissing(baseFeePerGas: bigint): void {
    if (this.#environment.consensusStatus().catchingUp) {
      // It has taken nothing of what it was offered meanwhile.
      this.#offered = new WeakMap()
      return
    }
    const room = Math.min(this.#room(), MAX_OFFERED_AGAIN)
    if (room <= 0 || this.#told.size >= this.#pool.executableCount) return
    const raws: Uint8Array[] = []
    const cursor = this.#pool.byPriority(baseFeePerGas)
    for (let entry = cursor.peek(); entry !== undefined && raws.length < room; entry = cursor.peek()) {
      if (this.#isMissing(entry)) raws.push(this.#noteOffered(entry))
      cursor.take()
    }
    if (raws.length > 0) this.#environment.gossip.offer(raws)
  }

  settle(height: number): void {
    this.#height = height
    this.#lingering.settle()
  }

  /** Forgets what CometBFT took and dropped: when its mempool ran full meanwhile. */
  forgetDropped(): void {
    if (!this.#isAskedAgain) return
    for (const [entry, askedAt] of this.#told) {
      if (askedAt >= this.#height - OFFER_AGAIN_BLOCKS) continue
      this.#forget(entry)
      this.#offered.delete(entry)
    }
  }

  #isMissing(entry: PoolEntry): boolean {
    if (this.#told.has(entry)) return false
    const offer = this.#offered.get(entry)
    return offer === undefined || !this.#isRecent(offer) || (offer.isGivenBack && !offer.wasSoon)
  }

  #noteOffered(entry: PoolEntry): Uint8Array {
    const before = this.#offered.get(entry)
    const wasSoon = before !== undefined && (before.wasSoon || this.#isRecent(before))
    this.#offered.set(entry, { height: this.#height, isGivenBack: false, wasSoon })
    return entry.raw
  }

  #isRecent({ height }: Offer): boolean {
    return this.#height - height < OFFER_AGAIN_BLOCKS
  }

  /** How many transactions more CometBFT is to be told of. While it catches up it takes none: they are offered afterwards. */
  #room(): number {
    const { catchingUp, peers } = this.#environment.consensusStatus()
    if (catchingUp) return 0
    return peers === 0 ? MAX_TOLD_ALONE - this.#told.size : this.#places
  }
}
