/** The live book of a market as readers see it. */
import { queryRefusal } from '../../modules/sdk-errors.ts'
import { type Books, depthOf, depthPage, type LevelTotal, readMarket } from '../../modules/clob/index.ts'
import type { StateReader } from '../../store/state.ts'
import type { MarketStamp, UpdateRing } from '../../app/orders/update-ring.ts'
import type { ClobDepth, ClobLevel, ClobStamp, Questions } from '../../app/ports.ts'

/** The order book of the committed head, and what the last blocks have changed of it. */
export interface ClobSource {
  books(): Books
  readonly updates: UpdateRing
  /** State of the committed head. */
  latest(): StateReader
}

/** Throws grpc/5. */
export const requireMarket = (source: ClobSource, market: number): void => {
  if (readMarket(source.latest(), market) === undefined) throw queryRefusal('notFound', `there is no market ${market}`)
}

export const levelView = ({ priceTicks, lots, orders }: LevelTotal): ClobLevel => ({
  priceTicks,
  lots: String(lots),
  orders,
})

export const stampView = ({
  sequence,
  blockPriceTicks,
  bid,
  ask,
}: MarketStamp): Omit<ClobStamp, 'height' | 'timeMs'> => ({
  sequence,
  blockPriceTicks,
  bid: bid === undefined ? null : levelView(bid),
  ask: ask === undefined ? null : levelView(ask),
})

/** Some milliseconds of the thread that executes blocks: a whole book of 100,000 levels takes a third of a second. */
const LEVELS_A_PAGE = 5_000

/**
 * The newest block's depth, with at most so many levels of each side, from the best on; 0 is a page of all of them. Throws grpc/5
 * where there is no such market.
 */
export const clobDepth = (source: ClobSource, { market, levels, from }: Questions['clobDepth']): ClobDepth => {
  requireMarket(source, market)
  const { updates } = source
  const { height, timeMs } = updates
  const book = source.books().market(market)
  const page = levels === 0 ? depthPage(book, from, LEVELS_A_PAGE) : { ...depthOf(book, levels), next: undefined }
  return {
    height,
    timeMs,
    ...stampView(updates.stampOf(market)),
    bids: page.bids.map(levelView),
    asks: page.asks.map(levelView),
    next: page.next ?? null,
  }
}
