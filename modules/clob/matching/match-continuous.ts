/** Price-time priority: a taker meets the best price first, then the lowest order_seq, at the resting order's price. */
import type { RestingOrder } from '../book/resting-order.ts'
import { settleFill } from './fills.ts'
import type { MatchingError } from './error-entries.ts'
import type { MarketRun, StepRun } from './step-run.ts'
import { equalBytes } from '../../../core/bytes.ts'

export interface Match {
  /** Why what is left of the taker is cancelled, if it is. */
  readonly end: MatchingError | undefined
  readonly filledLots: number
  readonly notional: bigint
}

export const doesMeet = (order: Pick<RestingOrder, 'side' | 'priceTicks'>, otherTicks: number): boolean =>
  order.side === 'buy' ? order.priceTicks >= otherTicks : order.priceTicks <= otherTicks

/** Fills what the taker meets, at most max_fills orders; its `left` is what remains. It is not in the book. */
export const matchTaker = (step: StepRun, run: MarketRun, taker: RestingOrder): Match => {
  const side = run.book.opposite(taker.side)
  let [filledLots, notional] = [0, 0n]
  let met = 0
  for (; taker.left > 0 && met < taker.maxFills; met++) {
    const maker = side.best?.oldest
    if (maker === undefined || !doesMeet(taker, maker.priceTicks)) return { end: undefined, filledLots, notional }
    if (equalBytes(maker.owner, taker.owner)) {
      if (preventSelfTrade(step, run, maker, taker)) return { end: 'selfTrade', filledLots, notional }
    } else {
      const lots = Math.min(maker.left, taker.left)
      notional += settleFill(step, run, maker, taker, maker.priceTicks, lots)
      filledLots += lots
      taker.left -= lots
      if (lots === maker.left) step.books.remove(maker)
      else step.books.setLeft(maker, maker.left - lots)
    }
  }
  return { end: taker.left > 0 && met === taker.maxFills ? 'maxFillsMet' : undefined, filledLots, notional }
}

/** Acts by the taker's choice. Returns whether the rest of the taker is cancelled. */
const preventSelfTrade = (step: StepRun, run: MarketRun, maker: RestingOrder, taker: RestingOrder): boolean => {
  switch (taker.stp) {
    case 'cancel_maker':
      step.removeOrder(run, maker, 'selfTrade')
      return false
    case 'cancel_taker':
      return true
    case 'cancel_both':
      step.removeOrder(run, maker, 'selfTrade')
      return true
    case 'decrement': {
      const lots = Math.min(maker.left, taker.left)
      decrement(step, run, maker, lots)
      decrementTaker(step, run, taker, lots)
      return false
    }
  }
}

/** Takes lots off an order in the book, and gives back what they had locked. */
export const decrement = (step: StepRun, run: MarketRun, order: RestingOrder, lots: number): void => {
  if (lots === order.left) {
    step.removeOrder(run, order, 'decremented')
    return
  }
  const trader = step.traderOf(order)
  step.unlock(run, trader, order, order.left)
  step.books.setLeft(order, order.left - lots)
  step.lock(run, trader, order)
  const { market, seq: orderSeq, owner, left } = order
  step.record(run, { kind: 'removed', market, orderSeq, lots, reason: 'decremented', owner, left })
}

const decrementTaker = (step: StepRun, run: MarketRun, taker: RestingOrder, lots: number): void => {
  const trader = step.traderOf(taker)
  step.unlock(run, trader, taker, taker.left)
  taker.left -= lots
  step.lock(run, trader, taker)
  const { market, seq: orderSeq, owner, left } = taker
  step.record(run, { kind: 'removed', market, orderSeq, lots, reason: 'decremented', owner, left })
}

/** Whether a FOK order would be filled whole: no more than max_fills orders are looked at, and nothing changes. */
export const canFillWhole = (run: MarketRun, taker: RestingOrder): boolean => {
  let { left } = taker
  let met = 0
  for (const level of run.book.opposite(taker.side).levels()) {
    if (!doesMeet(taker, level.ticks)) return false
    for (let maker = level.oldest; maker !== undefined; maker = maker.newerInLevel) {
      if (met++ === taker.maxFills) return false
      if (equalBytes(maker.owner, taker.owner)) {
        if (taker.stp !== 'cancel_maker') return false
      } else if (maker.left >= left) return true
      else left -= maker.left
    }
  }
  return false
}
