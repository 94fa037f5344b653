/** The live book of a market as readers see it. */
import { queryRefusal } from '../../modules/sdk-errors.ts'
import { type Books, depthOf, type LevelTotal, readMarket } from '../../modules/clob/index.ts'
import type { StateReader } from '../../store/state.ts'
import type { MarketStamp, UpdateRing } from '../../app/orders/update-ring.ts'
import type { ClobDepth, ClobLevel, ClobStamp } from '../../app/ports.ts'

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

/**
 * The newest block's depth, with at most so many levels of each side, from the best on; 0 is all. Throws grpc/5 where
 * there is no such market.
 */
export const clobDepth = (source: ClobSource, market: number, levels: number): ClobDepth => {
  requireMarket(source, market)
  const { updates } = source
  const { height, timeMs } = updates
  const { bids, asks } = depthOf(source.books().market(market), levels === 0 ? Number.POSITIVE_INFINITY : levels)
  return {
    height,
    timeMs,
    ...stampView(updates.stampOf(market)),
    bids: bids.map(levelView),
    asks: asks.map(levelView),
  }
}
