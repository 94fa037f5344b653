/** One price for a market's block: the level price of greatest volume, least imbalance, nearest the last block price, lower. */
import { fill, preventSelfTrade } from './continuous.ts'
import { removeOrder, sideOf } from './dead.ts'
import type { Step } from './step.ts'
import type { ModelMarket, ModelOrder } from './world.ts'

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a)

interface Candidate {
  readonly price: bigint
  readonly volume: bigint
  readonly imbalance: bigint
  readonly away: bigint
}

const compare = (a: Candidate, b: Candidate): number => {
  if (a.volume !== b.volume) return a.volume > b.volume ? -1 : 1
  if (a.imbalance !== b.imbalance) return a.imbalance < b.imbalance ? -1 : 1
  if (a.away !== b.away) return a.away < b.away ? -1 : 1
  return a.price < b.price ? -1 : 1
}

/** The price at which what stands in the levels is cleared; undefined where nothing meets. */
const clearingPrice = (
  market: ModelMarket,
  buys: readonly ModelOrder[],
  sells: readonly ModelOrder[],
): bigint | undefined => {
  const sum = (orders: readonly ModelOrder[]): bigint => orders.reduce((total, { left }) => total + left, 0n)
  const prices = [...new Set([...buys, ...sells].map(({ price }) => price))]
  const candidates = prices.map((price): Candidate => {
    const bought = sum(buys.filter((order) => order.price >= price))
    const sold = sum(sells.filter((order) => order.price <= price))
    const volume = bought < sold ? bought : sold
    return { price, volume, imbalance: distance(bought, sold), away: distance(price, market.blockPrice) }
  })
  const best = candidates.toSorted(compare)[0]
  return best === undefined || best.volume === 0n ? undefined : best.price
}

/** What two orders that stand at the heads of both sides do with each other. */
const meet = (step: Step, market: ModelMarket, older: ModelOrder, newer: ModelOrder, price: bigint): void => {
  if (older.owner === newer.owner) preventSelfTrade(step, market, older, newer)
  else fill(step, market, { maker: older, taker: newer }, price)
}

const pairAt = (step: Step, market: ModelMarket, price: bigint): void => {
  const met = new Map<bigint, number>()
  for (;;) {
    const buy = sideOf(step, market, 'buy').find((order) => order.price >= price)
    const sell = sideOf(step, market, 'sell').find((order) => order.price <= price)
    if (buy === undefined || sell === undefined) return
    const [older, newer] = buy.seq < sell.seq ? [buy, sell] : [sell, buy]
    meet(step, market, older, newer, price)
    const count = (met.get(newer.seq) ?? 0) + 1
    met.set(newer.seq, count)
    if (count === newer.maxFills && step.world.orders.includes(newer)) removeOrder(step, newer, 'maxFills')
  }
}

/** What still crosses goes, newest first. */
const uncross = (step: Step, market: ModelMarket): void => {
  for (;;) {
    const buys = sideOf(step, market, 'buy')
    const sells = sideOf(step, market, 'sell')
    const [bid, ask] = [buys[0], sells[0]]
    if (bid === undefined || ask === undefined || bid.price < ask.price) return
    const crossing = [
      ...buys.filter(({ price }) => price >= ask.price),
      ...sells.filter(({ price }) => price <= bid.price),
    ]
    const newest = crossing.toSorted((a, b) => (a.seq > b.seq ? -1 : 1))[0]
    if (newest !== undefined) removeOrder(step, newest, 'crossing')
  }
}

const clearMarket = (step: Step, market: ModelMarket): void => {
  const price = clearingPrice(market, sideOf(step, market, 'buy'), sideOf(step, market, 'sell'))
  if (price !== undefined) pairAt(step, market, price)
  const immediate = step.world.orders.filter((order) => order.market === market.id && order.tif === 'ioc')
  for (const order of immediate) if (order.triggerKind === 'none') removeOrder(step, order, 'notResting')
  uncross(step, market)
}

/** Clears the markets by number. A halted market does nothing. */
export const clearMarkets = (step: Step): void => {
  for (const market of step.world.markets.toSorted((a, b) => a.id - b.id)) {
    if (market.mode === 'uniform' && market.status !== 'halted') clearMarket(step, market)
  }
}
