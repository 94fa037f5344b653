/** A uniform market is cleared once a block, at one price for all. docs/clob-spec.md, Uniform. */
import { equalBytes } from '../../../core/bytes.ts'
import type { Level } from '../book/book-side.ts'
import type { MarketBook } from '../book/market-book.ts'
import type { RestingOrder } from '../book/resting-order.ts'
import { settleFill } from './fills.ts'
import { decrement, doesMeet } from './match-continuous.ts'
import type { MarketRun, StepRun } from './step-run.ts'

/** Clears the markets by number: those that orders entered in this block, for no other can cross. */
export const clearUniformMarkets = (step: StepRun): void => {
  const runs = [...step.markets.values()].filter(({ entered }) => entered.length > 0)
  for (const run of runs.toSorted((a, b) => a.market.id - b.market.id)) {
    const priceTicks = clearingPrice(run)
    if (priceTicks !== undefined) new Clearing(step, run, priceTicks).run()
    removeRest(step, run)
  }
}

/** What a side offers level by level, from its best price on. */
class Offers {
  readonly #levels: Iterator<Level, undefined>
  /** The lots of the level at hand, as far as it is not paired. */
  left = 0n
  level: Level | undefined
  /** The last level of which something is paired. */
  touched: Level | undefined

  constructor(book: MarketBook, side: 'buy' | 'sell') {
    this.#levels = book.side(side).levels()
    this.next()
  }

  pair(lots: bigint): void {
    this.touched = this.level
    this.left -= lots
    if (this.left === 0n) this.next()
  }

  /** Whether something of the last level that was touched is left. */
  get isCut(): boolean {
    return this.level !== undefined && this.level === this.touched
  }

  next(): void {
    this.level = this.#levels.next().value
    this.left = this.level?.lots.value ?? 0n
  }
}

/** A price of the greatest volume, and how far demand and supply are apart at it. */
interface Candidate {
  readonly ticks: number
  readonly imbalance: bigint
}

/**
 * Prices of the greatest volume are the levels from `low`, the last ask that was paired, to `high`, the last bid. Only those next to
 * where pairing ended can have the least imbalance: farther in on either side it grows with each level.
 */
const candidatesOf = (bids: Offers, asks: Offers, low: number, high: number): readonly Candidate[] => {
  const hasBid = (): boolean => bids.level !== undefined && bids.level.ticks >= low
  const hasAsk = (): boolean => asks.level !== undefined && asks.level.ticks <= high
  if (bids.isCut) {
    const imbalance = bids.left
    bids.next()
    return hasBid() ? [{ ticks: high, imbalance }] : both(low, high, imbalance)
  }
  if (asks.isCut) {
    const imbalance = asks.left
    asks.next()
    return hasAsk() ? [{ ticks: low, imbalance }] : both(low, high, imbalance)
  }
  return [...besideLast(bids, low, hasBid), ...besideLast(asks, high, hasAsk)]
}

const both = (low: number, high: number, imbalance: bigint): readonly Candidate[] => [
  { ticks: low, imbalance },
  { ticks: high, imbalance },
]

/**
 * The candidates of the side whose levels at hand lie between the last ones paired; `end` is the last one of the other
 * side.
 */
const besideLast = (offers: Offers, end: number, isBetween: () => boolean): readonly Candidate[] => {
  const { level, left } = offers
  if (level === undefined || !isBetween()) return [{ ticks: end, imbalance: 0n }]
  offers.next()
  const found = { ticks: level.ticks, imbalance: left }
  return isBetween() ? [found] : [found, { ticks: end, imbalance: left }]
}

/**
 * Chooses among the prices of levels: that of the greatest volume, then of the least imbalance, then the nearest to the
 * last block price, then the lowest. Undefined where nothing crosses. Levels count whole. It looks at the levels that
 * volume takes and at two more of each side, whatever else rests there.
 */
const clearingPrice = ({ book, blockPriceTicks }: MarketRun): number | undefined => {
  const [bids, asks] = [new Offers(book, 'buy'), new Offers(book, 'sell')]
  while (bids.level !== undefined && asks.level !== undefined && asks.level.ticks <= bids.level.ticks) {
    const lots = bids.left < asks.left ? bids.left : asks.left
    bids.pair(lots)
    asks.pair(lots)
  }
  if (bids.touched === undefined || asks.touched === undefined) return undefined
  let found: Candidate | undefined
  for (const candidate of candidatesOf(bids, asks, asks.touched.ticks, bids.touched.ticks)) {
    if (found === undefined || isBetter(candidate, found, blockPriceTicks)) found = candidate
  }
  return found?.ticks
}

const isBetter = (one: Candidate, other: Candidate, blockPriceTicks: number): boolean => {
  if (one.imbalance !== other.imbalance) return one.imbalance < other.imbalance
  const [near, far] = [one, other].map(({ ticks }) => Math.abs(ticks - blockPriceTicks))
  if (blockPriceTicks !== 0 && near !== far) return (near as number) < (far as number)
  return one.ticks < other.ticks
}

/** Both sides by price, then order_seq, at one price. */
class Clearing {
  readonly #step: StepRun
  readonly #run: MarketRun
  readonly #priceTicks: number
  /** Orders that each newer order has met, by order_seq. */
  readonly #met = new Map<number, number>()

  constructor(step: StepRun, run: MarketRun, priceTicks: number) {
    this.#step = step
    this.#run = run
    this.#priceTicks = priceTicks
  }

  run(): void {
    const { bids, asks } = this.#run.book
    for (;;) {
      const [bid, ask] = [bids.best?.oldest, asks.best?.oldest]
      if (bid === undefined || ask === undefined) return
      if (bid.priceTicks < this.#priceTicks || ask.priceTicks > this.#priceTicks) return
      if (bid.seq < ask.seq) this.#pair(bid, ask)
      else this.#pair(ask, bid)
    }
  }

  #pair(older: RestingOrder, newer: RestingOrder): void {
    this.#meet(older, newer)
    this.#countMet(newer)
  }

  #meet(older: RestingOrder, newer: RestingOrder): void {
    if (equalBytes(older.owner, newer.owner)) {
      this.#preventSelfTrade(older, newer)
      return
    }
    const lots = Math.min(older.left, newer.left)
    settleFill(this.#step, this.#run, older, newer, this.#priceTicks, lots)
    this.#take(older, lots)
    this.#take(newer, lots)
  }

  #take(order: RestingOrder, lots: number): void {
    if (lots === order.left) this.#step.books.remove(order)
    else this.#step.books.setLeft(order, order.left - lots)
  }

  #preventSelfTrade(older: RestingOrder, newer: RestingOrder): void {
    const { stp } = newer
    if (stp === 'decrement') {
      const lots = Math.min(older.left, newer.left)
      decrement(this.#step, this.#run, older, lots)
      decrement(this.#step, this.#run, newer, lots)
      return
    }
    if (stp !== 'cancel_taker') this.#step.removeOrder(this.#run, older, 'selfTrade')
    if (stp !== 'cancel_maker') this.#step.removeOrder(this.#run, newer, 'selfTrade')
  }

  /** One that has met as many as it may is cancelled. */
  #countMet(newer: RestingOrder): void {
    if (this.#run.book.orders.get(newer.seq) !== newer) return
    const met = (this.#met.get(newer.seq) ?? 0) + 1
    this.#met.set(newer.seq, met)
    if (met >= newer.maxFills) this.#step.removeOrder(this.#run, newer, 'maxFills')
  }
}

/** IOC leaves nothing. Then, newest first, what still crosses goes: only orders of this block can. */
const removeRest = (step: StepRun, run: MarketRun): void => {
  const { book, entered } = run
  for (const seq of entered) {
    const order = book.orders.get(seq)
    if (order?.tif === 'ioc') step.removeOrder(run, order, 'notResting')
  }
  for (const seq of entered.toReversed()) {
    const order = book.orders.get(seq)
    const best = order === undefined || order.isDead ? undefined : book.opposite(order.side).best
    if (order !== undefined && best !== undefined && doesMeet(order, best.ticks)) {
      step.removeOrder(run, order, 'crossing')
    }
  }
}
