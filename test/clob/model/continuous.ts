/** Continuous matching: price, then order_seq, at the resting order's price. */
import type { ActionOutcome } from './actions.ts'
import { forget, record, removeOrder, sideOf } from './dead.ts'
import { settleFill, unlockLots } from './money.ts'
import { findRoom } from './room.ts'
import type { Step } from './step.ts'
import type { ModelMarket, ModelOrder } from './world.ts'

const other = (side: 'buy' | 'sell'): 'buy' | 'sell' => (side === 'buy' ? 'sell' : 'buy')

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** What a taker meets, in order: never itself, which stands on its own side. */
const metBy = (step: Step, market: ModelMarket, taker: ModelOrder): ModelOrder[] =>
  sideOf(step, market, other(taker.side)).filter((maker) =>
    taker.side === 'buy' ? maker.price <= taker.price : maker.price >= taker.price,
  )

/** A FOK looks at no more than its max_fills. One of its own that would cancel or shrink it leaves it unfilled. */
export const canFillWhole = (step: Step, market: ModelMarket, taker: ModelOrder): boolean => {
  let wanted = taker.lots
  for (const maker of metBy(step, market, taker).slice(0, taker.maxFills)) {
    if (maker.owner === taker.owner) {
      if (taker.stp !== 'cancel_maker') return false
      continue
    }
    wanted -= least(wanted, maker.left)
    if (wanted === 0n) return true
  }
  return false
}

/** Fills both at a price; an order with nothing left leaves the book. */
export const fill = (
  step: Step,
  market: ModelMarket,
  sides: { readonly maker: ModelOrder; readonly taker: ModelOrder },
  price: bigint,
): { readonly lots: bigint; readonly notional: bigint } => {
  const { maker, taker } = sides
  const lots = least(maker.left, taker.left)
  const { notional, ...fees } = settleFill(step.world, step.timeMs, market, sides, price, lots)
  record(step, { kind: 'fill', market: market.id, makerSeq: maker.seq, takerSeq: taker.seq, price, lots, ...fees })
  step.fills.push({ market: market.id, price, lots, notional })
  for (const order of [maker, taker]) if (order.left === 0n) forget(step.world, order)
  return { lots, notional }
}

const decrement = (step: Step, market: ModelMarket, pair: readonly ModelOrder[], lots: bigint): void => {
  for (const order of pair) {
    record(step, { kind: 'removed', market: market.id, seq: order.seq, left: lots, reason: 'decremented' })
    unlockLots(step.world, market, order, lots)
    if (order.left === 0n) forget(step.world, order)
  }
}

/** Two orders of one owner meet: the newer's stp holds. Says whether the newer is gone. */
export const preventSelfTrade = (step: Step, market: ModelMarket, older: ModelOrder, newer: ModelOrder): void => {
  const { stp } = newer
  if (stp === 'decrement') return decrement(step, market, [older, newer], least(older.left, newer.left))
  if (stp !== 'cancel_taker') removeOrder(step, older, 'selfTrade')
  if (stp !== 'cancel_maker') removeOrder(step, newer, 'selfTrade')
}

/** Matches an order that has just entered; the rest of a GTC stays, unless it has met its max_fills. */
export const matchTaker = (step: Step, market: ModelMarket, taker: ModelOrder): ActionOutcome => {
  let [met, lots, quote] = [0, 0n, 0n]
  const outcome = (code: string): ActionOutcome => ({ code, seq: taker.seq, lots, quote })
  for (const maker of metBy(step, market, taker)) {
    if (maker.owner === taker.owner) preventSelfTrade(step, market, maker, taker)
    else {
      const done = fill(step, market, { maker, taker }, maker.price)
      lots += done.lots
      quote += done.notional
    }
    met += 1
    if (!step.world.orders.includes(taker)) {
      const isStopped = maker.owner === taker.owner && taker.stp !== 'decrement'
      return outcome(isStopped ? 'selfTrade' : '')
    }
    if (met === taker.maxFills) {
      removeOrder(step, taker, 'maxFills')
      return outcome('maxFills')
    }
  }
  if (taker.tif !== 'gtc') {
    removeOrder(step, taker, 'notResting')
    return outcome('')
  }
  return outcome(findRoom(step, taker))
}
