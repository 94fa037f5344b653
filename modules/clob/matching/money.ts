/** What orders are worth, and what they lock. Amounts are of the smallest unit of a denomination. */
import type { Market } from '../domain/market.ts'
import type { OpenOrder } from '../domain/order.ts'
import { PPM } from '../domain/market-rules.ts'

const PPM_BIG = BigInt(PPM)

/** ticks x lots, exact. */
export const multiply = (ticks: number, lots: number): bigint => {
  const product = ticks * lots
  return product <= Number.MAX_SAFE_INTEGER ? BigInt(product) : BigInt(ticks) * BigInt(lots)
}

/** The notional in quote. It needs no rounding. */
export const notionalOf = (market: Market, ticks: number, lots: number): bigint => multiply(ticks, lots) * market.factor

export const roundUp = (notional: bigint, ppm: number): bigint =>
  ppm === 0 ? 0n : (notional * BigInt(ppm) + PPM_BIG - 1n) / PPM_BIG

export const roundDown = (notional: bigint, ppm: number): bigint => (notional * BigInt(ppm)) / PPM_BIG

export type Lockable = Pick<OpenOrder, 'side' | 'priceTicks' | 'lockedPpm'>

/** What an order with so many lots left has in escrow: a buy quote, a sell base. */
export const lockOf = (market: Market, { side, priceTicks, lockedPpm }: Lockable, left: number): bigint => {
  if (side === 'sell') return BigInt(left) * market.lotSize
  const notional = notionalOf(market, priceTicks, left)
  return notional + roundUp(notional, lockedPpm)
}

export const lockDenom = (market: Market, side: OpenOrder['side']): string =>
  side === 'buy' ? market.quoteDenom : market.baseDenom

/** The highest fee that anybody may pay in the market: what a buy locks, and what no order placed now pays more than. */
export const highestFeePpm = (market: Market): number => {
  let highest = 0
  for (const { makerPpm, takerPpm } of market.fees) highest = Math.max(highest, makerPpm, takerPpm)
  return highest
}
