/** Replace: the target goes and the place comes, or nothing happens. */
import { RestingOrder } from '../book/resting-order.ts'
import { doesRest, type OpenOrder } from '../domain/order.ts'
import type { Place, Target } from '../orders/clob-tx.ts'
import { maxFillsOf } from '../orders/phase-and-weight.ts'
import { type ActionOutcome, failed, type Sender } from './action.ts'
import { findTarget, markTarget } from './cancel.ts'
import { notionalOf } from './money.ts'
import { enter, freeClientId, staticError } from './place.ts'
import type { MarketRun, StepRun } from './step-run.ts'

export const replace = (
  step: StepRun,
  sender: Sender,
  target: Target,
  place: Place,
  keepPriority: boolean,
): ActionOutcome => {
  const run = step.market(place.market)
  if (run === undefined) return failed('unknownMarket')
  if (run.market.status === 'halted') return failed('marketHalted')
  if (run.market.status === 'cancel_only') return failed('cancelOnly')
  const order = findTarget(step, run, sender, target)
  if (order === undefined || order.isDead) {
    markTarget(step, sender, place.market, target)
    return failed('orderNotFound')
  }
  const error = staticError(step, run, sender, place)
  if (error !== undefined) return failed(error)
  if (keepPriority && keepsPlace(order, sender, place) && !waitsForClearing(step, run, order))
    return amend(step, run, sender, order, place)
  step.removeOrder(run, order, 'cancelled')
  return enter(step, run, sender, place)
}

/** The same order but for fewer lots and what does not bear on its place. */
const keepsPlace = (order: RestingOrder, { subaccount }: Sender, place: Place): boolean =>
  order.side === place.side &&
  order.priceTicks === place.priceTicks &&
  place.qtyLots <= order.left &&
  order.subaccount === subaccount &&
  doesRest(place) &&
  order.triggerKind === place.triggerKind &&
  order.triggerTicks === place.triggerTicks

/**
 * What has entered a uniform market in this step may cross. As post-only it would take all the same, more than it has paid for; an
 * IOC order would rest without having found room. So it gives up its place.
 */
const waitsForClearing = (step: StepRun, { market }: MarketRun, order: RestingOrder): boolean =>
  market.mode === 'uniform' && order.seq >= step.firstSeq

/** It keeps its order_seq and the ppm that it locked, and gets back what fewer lots need not lock. */
const amend = (step: StepRun, run: MarketRun, sender: Sender, order: RestingOrder, place: Place): ActionOutcome => {
  const terms: OpenOrder = order
  const holder = step.books.account(sender.trader.key)?.byClientId(place.market, sender.subaccount, place.clientId)
  if (holder !== order && !freeClientId(step, run, sender, place)) return failed('clientIdTaken')
  if (notionalOf(run.market, place.priceTicks, place.qtyLots) < run.market.minNotional)
    return failed('belowMinNotional')
  const amended = new RestingOrder(
    {
      ...terms,
      tif: place.tif,
      lots: place.qtyLots,
      left: place.qtyLots,
      clientId: place.clientId,
      expireS: place.expireS,
      stp: place.stp,
      maxFills: maxFillsOf(place),
      postOnlyMode: place.postOnlyMode,
    },
    order.account,
  )
  step.unlock(run, sender.trader, order, order.left)
  step.books.swap(order, amended)
  step.lock(run, sender.trader, amended)
  step.record(run, {
    kind: 'removed',
    market: order.market,
    orderSeq: order.seq,
    lots: order.left,
    reason: 'cancelled',
    owner: order.owner,
    left: 0,
  })
  step.record(run, { kind: 'placed', order: amended })
  return { error: undefined, orderSeq: order.seq, filledLots: 0, quote: 0n }
}
