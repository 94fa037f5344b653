/** A Replace that keeps its place in the queue. */
import { record } from './dead.ts'
import { unlockLots } from './money.ts'
import type { Wanted } from './place.ts'
import type { Step } from './step.ts'
import { marketOf, type ModelOrder } from './world.ts'

/**
 * Only the same side, price and label with no more lots keep the order_seq, of what rests as it will rest: a tif that never rests where
 * there is no trigger, or another trigger, is another order.
 */
export const keepsPlace = (order: ModelOrder, wanted: Wanted): boolean =>
  order.side === wanted.side &&
  order.price === wanted.price &&
  order.subaccount === wanted.subaccount &&
  wanted.lots <= order.left &&
  (wanted.tif === 'gtc' || wanted.tif === 'post_only' || wanted.triggerKind !== 'none') &&
  order.triggerKind === wanted.triggerKind &&
  order.triggerTicks === wanted.triggerTicks

/** True for an order of a uniform market that came in this step: it has not been cleared, and keeps nothing. */
export const isNew = (step: Step, order: ModelOrder): boolean =>
  marketOf(step.world, order.market).mode === 'uniform' && order.seq >= step.firstSeq

/** What the Place says holds from now on; the records are those of an order that goes and one that comes. */
export const amend = (step: Step, order: ModelOrder, wanted: Wanted): void => {
  const { market, seq } = order
  record(step, { kind: 'removed', market, seq, left: order.left, reason: 'cancelled' })
  unlockLots(step.world, marketOf(step.world, market), order, order.left - wanted.lots)
  const { tif, clientId, expireS, stp, maxFills, postOnlyMode } = wanted
  Object.assign(order, { lots: wanted.lots, tif, clientId, expireS, stp, maxFills, postOnlyMode })
  const { owner, subaccount, side, price, lots } = order
  record(step, { kind: 'placed', market, seq, owner, subaccount, side, tif, price, lots, clientId })
}
