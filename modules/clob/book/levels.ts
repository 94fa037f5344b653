/** Levels of the book as readers see them, and which of them a block has changed. */
import type { Address } from '../../../core/address.ts'
import type { Side } from '../domain/order.ts'
import type { Level } from './book-side.ts'
import type { BookDelta, Books } from './books.ts'
import type { MarketBook } from './market-book.ts'

/** The total of the orders at a price that can be met: neither dead ones nor those that wait for their trigger. */
export interface LevelTotal {
  readonly priceTicks: number
  /** Left of its orders. 0 where the level is gone. */
  readonly lots: bigint
  readonly orders: number
}

/** The best first. */
export interface Depth {
  readonly bids: readonly LevelTotal[]
  readonly asks: readonly LevelTotal[]
}

export const totalOf = (level: Level | undefined): LevelTotal | undefined =>
  level && { priceTicks: level.ticks, lots: level.lots.value, orders: level.orders }

const bestOf = (levels: Iterable<Level>, most: number): LevelTotal[] => {
  const totals: LevelTotal[] = []
  for (const level of levels) {
    if (totals.length >= most) break
    totals.push({ priceTicks: level.ticks, lots: level.lots.value, orders: level.orders })
  }
  return totals
}

/** The depth with at most so many levels of each side. */
export const depthOf = (book: MarketBook, levels: number): Depth => ({
  bids: bestOf(book.bids.levels(), levels),
  asks: bestOf(book.asks.levels(), levels),
})

/** Where a page of levels begins. */
export interface LevelPlace {
  readonly side: Side
  readonly priceTicks: number
}

/** At most so many levels from a place on: those of bids, then those of asks. `next` is undefined where there are no more. */
export const depthPage = (
  { bids, asks }: MarketBook,
  from: LevelPlace | undefined,
  most: number,
): Depth & { readonly next: LevelPlace | undefined } => {
  const page = { bids: [] as LevelTotal[], asks: [] as LevelTotal[] }
  let left = most
  for (const [side, totals] of [
    [bids, page.bids],
    [asks, page.asks],
  ] as const) {
    if (from?.side === 'sell' && side === bids) continue
    for (const level of side.levels(from?.side === side.side ? from.priceTicks : undefined)) {
      if (left-- === 0) return { ...page, next: { side: side.side, priceTicks: level.ticks } }
      totals.push({ priceTicks: level.ticks, lots: level.lots.value, orders: level.orders })
    }
  }
  return { ...page, next: undefined }
}

/** What a block has changed of a market's levels, and which of its orders died. */
export interface LevelChanges extends Depth {
  readonly died: readonly { readonly seq: number; readonly owner: Address }[]
}

interface Touched {
  readonly bids: Set<number>
  readonly asks: Set<number>
  readonly died: { readonly seq: number; readonly owner: Address }[]
}

const totalsAt = (side: MarketBook['bids'], ticks: ReadonlySet<number>): LevelTotal[] => {
  const sign = side.side === 'buy' ? -1 : 1
  return [...ticks]
    .toSorted((a, b) => (a - b) * sign)
    .map((priceTicks) => totalOf(side.levelAt(priceTicks)) ?? { priceTicks, lots: 0n, orders: 0 })
}

/**
 * The changed levels, by market, of a delta that the books have just applied: the totals are those after it. A level
 * may be among them that is as it was before.
 */
export const changedLevels = (books: Books, delta: BookDelta): ReadonlyMap<number, LevelChanges> => {
  const touched = new Map<number, Touched>()
  for (const change of delta.changes) {
    if (!('order' in change)) continue
    const { order, kind } = change
    let inMarket = touched.get(order.market)
    if (inMarket === undefined) {
      inMarket = { bids: new Set(), asks: new Set(), died: [] }
      touched.set(order.market, inMarket)
    }
    if (kind === 'die') inMarket.died.push({ seq: order.seq, owner: order.owner })
    if (order.triggerKind !== 'none') continue
    const side = order.side === 'buy' ? inMarket.bids : inMarket.asks
    side.add(order.priceTicks)
  }
  const changes = new Map<number, LevelChanges>()
  for (const [market, { bids, asks, died }] of touched) {
    const book = books.market(market)
    changes.set(market, { bids: totalsAt(book.bids, bids), asks: totalsAt(book.asks, asks), died })
  }
  return changes
}
