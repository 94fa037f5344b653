/** The levels of a market, kept from the stream `book`: a snapshot, then what each block changed. */
import { Continuity } from './continuity.ts'
import { ClobClientError } from './errors.ts'
import type { BookLevel, BookUpdate } from './messages.ts'

/** The best first. */
class BookSide {
  readonly #isBetter: (a: number, b: number) => boolean
  #levels: BookLevel[] = []

  constructor(isBetter: (a: number, b: number) => boolean) {
    this.#isBetter = isBetter
  }

  get levels(): readonly BookLevel[] {
    return this.#levels
  }

  clear(): void {
    this.#levels = []
  }

  set(level: BookLevel): void {
    const at = this.#placeOf(level.priceTicks)
    const isThere = this.#levels[at]?.priceTicks === level.priceTicks
    if (level.lots > 0n) this.#levels.splice(at, isThere ? 1 : 0, level)
    else if (isThere) this.#levels.splice(at, 1)
  }

  at(priceTicks: number): BookLevel | undefined {
    const level = this.#levels[this.#placeOf(priceTicks)]
    return level?.priceTicks === priceTicks ? level : undefined
  }

  /** Where the level stands, or would stand. */
  #placeOf(priceTicks: number): number {
    let [low, high] = [0, this.#levels.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBetter(this.#levels[middle]?.priceTicks ?? 0, priceTicks)) low = middle + 1
      else high = middle
    }
    return low
  }
}

const BUY = (a: number, b: number): boolean => a > b
const SELL = (a: number, b: number): boolean => a < b

/**
 * A book without a gap, or none: after a message that does not follow the one before it says nothing until the next snapshot. Lists
 * are the best first, and change with the next message: copy what is to stay.
 */
export class LocalBook {
  readonly market: number
  readonly #bids = new BookSide(BUY)
  readonly #asks = new BookSide(SELL)
  #stream = new Continuity<BookUpdate>(undefined)

  constructor(market: number) {
    this.market = market
  }

  /** Throws `gap` where the update does not follow the last one, or where no snapshot has come yet. */
  apply(update: BookUpdate): void {
    if (update.market !== this.market) {
      this.#stream = new Continuity(undefined)
      throw new ClobClientError('gap', `an update of market ${update.market} for the book of market ${this.market}`)
    }
    this.#stream.take(update)
    if (update.isSnapshot) {
      this.#bids.clear()
      this.#asks.clear()
    }
    for (const level of update.bids) this.#bids.set(level)
    for (const level of update.asks) this.#asks.set(level)
  }

  /** False before the first snapshot and after a gap. */
  get isReady(): boolean {
    return this.#stream.last !== undefined
  }

  get height(): number {
    return this.#ready().height
  }

  /** Time of the block, in milliseconds since 1970. */
  get timeMs(): number {
    return this.#ready().timeMs
  }

  get sequence(): number {
    return this.#ready().sequence
  }

  get bids(): readonly BookLevel[] {
    this.#ready()
    return this.#bids.levels
  }

  get asks(): readonly BookLevel[] {
    this.#ready()
    return this.#asks.levels
  }

  levelAt(side: 'buy' | 'sell', priceTicks: number): BookLevel | undefined {
    this.#ready()
    return (side === 'buy' ? this.#bids : this.#asks).at(priceTicks)
  }

  /** Throws `gap`: what is known may be wrong. */
  #ready(): BookUpdate {
    const { last } = this.#stream
    if (last === undefined) {
      throw new ClobClientError('gap', `the book of market ${this.market} waits for a snapshot`)
    }
    return last
  }
}
