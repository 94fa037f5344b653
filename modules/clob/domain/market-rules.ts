/** What a market may be: checked where governance makes or changes one, and in a genesis. docs/clob-spec.md, State. */
import { isDenom } from '../../../core/denom.ts'
import { clobError } from '../errors.ts'
import type { FeeTier, Market } from './market.ts'

/** Parts per million. */
export const PPM = 1_000_000
/** Markets are never removed: every one is a book in the memory of every node. */
export const MAX_MARKETS = 256
export const MAX_FEE_TIERS = 16
/** A fee stays below it, and so does a rebate. */
const FEE_LIMIT_PPM = 100_000
/** An order of at least 2^27 lots is possible, and one of 2^15 lots at any price: Places of 2^127 or more are refused. */
export const MAX_LOT_SIZE = 2n ** 100n - 1n
export const MAX_FACTOR = 2n ** 80n - 1n
/** Amounts of settings: no order is worth as much. */
export const MAX_AMOUNT = 2n ** 127n - 1n
/** Ten times the block price. */
const MAX_BAND_PPM = 10 * PPM
/** The most open orders of an account, which are also the most that the parameters may allow. */
const MAX_ACCOUNT_ORDERS = 5_000

/** What governance may change of a market. */
export type MarketSettings = Omit<Market, 'id' | 'baseDenom' | 'quoteDenom' | 'lotSize' | 'factor'>

/** Throws clob/20. */
const checkDenoms = ({ baseDenom, quoteDenom }: Pick<Market, 'baseDenom' | 'quoteDenom'>): void => {
  for (const denom of [baseDenom, quoteDenom]) {
    if (!isDenom(denom)) throw clobError('marketDenoms', `${denom.slice(0, 128)} is no denomination`)
  }
  if (baseDenom === quoteDenom) {
    throw clobError('marketDenoms', `a market has two different denominations, not ${baseDenom} and ${quoteDenom}`)
  }
}

/** Throws clob/21. */
const checkSize = (name: string, size: bigint, most: bigint): void => {
  if (size >= 1n && size <= most) return
  throw clobError('marketSizes', `${name} must be an integer from 1 to ${most}, not ${size}`)
}

const tierFault = ({ volume, makerPpm, takerPpm }: FeeTier, previous: FeeTier | undefined): string | undefined => {
  if (previous === undefined && volume !== 0n) return `the first tier has volume 0, not ${volume}`
  if (previous !== undefined && volume <= previous.volume) return 'the volumes of the tiers must ascend'
  if (volume > MAX_AMOUNT) return `a volume must be below 2^127, not ${volume}`
  if (!Number.isSafeInteger(makerPpm) || Math.abs(makerPpm) >= FEE_LIMIT_PPM) {
    return `maker_ppm must be between -${FEE_LIMIT_PPM} and ${FEE_LIMIT_PPM}, not ${makerPpm}`
  }
  if (!Number.isSafeInteger(takerPpm) || takerPpm < 0 || takerPpm >= FEE_LIMIT_PPM) {
    return `taker_ppm must be from 0 to below ${FEE_LIMIT_PPM}, not ${takerPpm}`
  }
  return undefined
}

const feesFault = (fees: readonly FeeTier[]): string | undefined => {
  if (fees.length === 0 || fees.length > MAX_FEE_TIERS) return `1 to ${MAX_FEE_TIERS} tiers, not ${fees.length}`
  for (const [index, tier] of fees.entries()) {
    const fault = tierFault(tier, fees[index - 1])
    if (fault !== undefined) return fault
  }
  const maker = Math.min(...fees.map(({ makerPpm }) => makerPpm))
  const taker = Math.min(...fees.map(({ takerPpm }) => takerPpm))
  // Makers and takers of a fill may be of any two tiers: together they must bring more than the rebate costs.
  return maker < 0 && maker + taker <= 0 ? `a rebate of ${-maker} ppm is no less than a fee of ${taker} ppm` : undefined
}

const checkAmount = (name: string, amount: bigint, least: bigint): void => {
  if (amount >= least && amount <= MAX_AMOUNT) return
  throw clobError('marketSettings', `${name} must be from ${least} to 2^127 - 1, not ${amount}`)
}

const checkCount = (name: string, count: number, least: number, most: number): void => {
  if (Number.isSafeInteger(count) && count >= least && count <= most) return
  throw clobError('marketSettings', `${name} must be from ${least} to ${most}, not ${count}`)
}

/** Throws clob/22 and clob/23. */
export const checkSettings = (settings: MarketSettings): void => {
  const fault = feesFault(settings.fees)
  if (fault !== undefined) throw clobError('marketFees', `fees: ${fault}`)
  checkAmount('min_notional', settings.minNotional, 0n)
  checkCount('band_ppm', settings.bandPpm, 0, MAX_BAND_PPM)
  checkCount('max_open_orders', settings.maxOpenOrders, 1, MAX_ACCOUNT_ORDERS)
  // A block without fills has a notional of 0, and no price.
  checkAmount('trigger_notional', settings.triggerNotional, 1n)
  checkAmount('min_equity', settings.minEquity, 0n)
}

/** Throws clob/20 to clob/23. */
export const checkMarket = (market: Omit<Market, 'id'>): void => {
  checkDenoms(market)
  checkSize('lot_size', market.lotSize, MAX_LOT_SIZE)
  checkSize('factor', market.factor, MAX_FACTOR)
  checkSettings(market)
}
