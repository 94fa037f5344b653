/** Locks, fees and rebates. Fees round up, rebates down. */
import type { ModelMarket, ModelOrder, ModelTier, World, Owner } from './world.ts'
import { add, Refusal } from './world.ts'

const PPM = 1_000_000n
const DAY_MS = 86_400_000n
/** The days of volume before the running one. */
const TIER_DAYS = 30n

export const roundUp = (amount: bigint, divisor: bigint): bigint => (amount + divisor - 1n) / divisor
export const notionalOf = (market: ModelMarket, price: bigint, lots: bigint): bigint => price * lots * market.factor
export const dayOf = (timeMs: bigint): bigint => timeMs / DAY_MS

export const highestPpm = (market: ModelMarket): bigint =>
  market.fees.flatMap(({ makerPpm, takerPpm }) => [makerPpm, takerPpm]).reduce((a, b) => (b > a ? b : a), 0n)

/** What an order with so many lots left holds in escrow. */
export const lockOf = (market: ModelMarket, order: ModelOrder, left = order.left): readonly [string, bigint] => {
  if (order.side === 'sell') return [market.baseDenom, left * market.lotSize]
  const notional = notionalOf(market, order.price, left)
  return [market.quoteDenom, notional + roundUp(notional * order.lockedPpm, PPM)]
}

/** Moves the whole lock from the owner to escrow, or refuses. */
export const lockFunds = (world: World, market: ModelMarket, order: ModelOrder): void => {
  const [denom, amount] = lockOf(market, order)
  const key = `${order.owner} ${denom}`
  if ((world.balances.get(key) ?? 0n) < amount) throw new Refusal('funds')
  add(world.balances, key, -amount)
  add(world.escrow, denom, amount)
}

/** Takes lots off an order without a fill: what they locked goes back. */
export const unlockLots = (world: World, market: ModelMarket, order: ModelOrder, lots: bigint): void => {
  const [denom, before] = lockOf(market, order)
  const [, after] = lockOf(market, order, order.left - lots)
  order.left -= lots
  add(world.escrow, denom, after - before)
  add(world.balances, `${order.owner} ${denom}`, before - after)
}

/** What the owner traded in this denomination on the 30 UTC days before this one chooses its tier. */
const tierOf = (world: World, market: ModelMarket, owner: Owner, timeMs: bigint): ModelTier => {
  const today = dayOf(timeMs)
  const volume = world.trades
    .filter((trade) => trade.owner === owner && trade.denom === market.quoteDenom)
    .filter(({ day }) => day < today && day >= today - TIER_DAYS)
    .reduce((sum, { notional }) => sum + notional, 0n)
  const reached = market.fees.filter((tier) => tier.volume <= volume)
  const tier = reached.at(-1)
  if (tier === undefined) throw new RangeError('the first tier has volume 0')
  return tier
}

export interface FillMoney {
  readonly notional: bigint
  readonly makerFee: bigint
  readonly makerRebate: bigint
  readonly takerFee: bigint
}

/** No order pays more than the highest ppm of the market when it was placed. */
const feeOf = (notional: bigint, ppm: bigint, order: ModelOrder): bigint => {
  const held = ppm < order.lockedPpm ? ppm : order.lockedPpm
  return held > 0n ? roundUp(notional * held, PPM) : 0n
}

/** Pays one side of a fill from escrow; returns the fee that it paid. */
const paySide = (
  world: World,
  market: ModelMarket,
  order: ModelOrder,
  lots: bigint,
  notional: bigint,
  wantedFee: bigint,
  rebate: bigint,
): bigint => {
  const [lockDenom, before] = lockOf(market, order)
  const [, after] = lockOf(market, order, order.left - lots)
  const released = before - after
  order.left -= lots
  add(world.escrow, lockDenom, -released)
  const quote = `${order.owner} ${market.quoteDenom}`
  if (order.side === 'sell') {
    add(world.balances, quote, notional - wantedFee + rebate)
    return wantedFee
  }
  // The lock of many fills was rounded up once, each fee alone: a fee never takes more than its lots had locked.
  const fee = wantedFee < released - notional ? wantedFee : released - notional
  add(world.balances, quote, released - notional - fee + rebate)
  add(world.balances, `${order.owner} ${market.baseDenom}`, lots * market.lotSize)
  return fee
}

/** Settles a fill between two orders of different owners. */
export const settleFill = (
  world: World,
  timeMs: bigint,
  market: ModelMarket,
  sides: { readonly maker: ModelOrder; readonly taker: ModelOrder },
  price: bigint,
  lots: bigint,
): FillMoney => {
  const { maker, taker } = sides
  const notional = notionalOf(market, price, lots)
  const makerPpm = tierOf(world, market, maker.owner, timeMs).makerPpm
  const takerPpm = tierOf(world, market, taker.owner, timeMs).takerPpm
  const makerRebate = makerPpm < 0n ? (notional * -makerPpm) / PPM : 0n
  const makerFee = paySide(world, market, maker, lots, notional, feeOf(notional, makerPpm, maker), makerRebate)
  const takerFee = paySide(world, market, taker, lots, notional, feeOf(notional, takerPpm, taker), 0n)
  if (takerFee + makerFee < makerRebate) throw new RangeError('a rebate is more than the fees')
  add(world.fees, market.quoteDenom, takerFee + makerFee - makerRebate)
  const day = dayOf(timeMs)
  for (const owner of [maker.owner, taker.owner]) {
    world.trades.push({ owner, denom: market.quoteDenom, day, notional })
  }
  return { notional, makerFee, makerRebate, takerFee }
}
