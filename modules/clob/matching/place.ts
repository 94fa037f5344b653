/** A Place: what it is checked for, in this order; then its funds are locked, it is matched, and what is left rests. */
import type { GivesWay } from '../book/crowd.ts'
import { RestingOrder } from '../book/resting-order.ts'
import type { Market } from '../domain/market.ts'
import { PPM } from '../domain/market-rules.ts'
import { doesRest } from '../domain/order.ts'
import type { Place } from '../orders/clob-tx.ts'
import { canTake, maxFillsOf } from '../orders/phase-and-weight.ts'
import type { ActionOutcome, Sender } from './action.ts'
import type { MatchingError } from './error-entries.ts'
import { canFillWhole, doesMeet, matchTaker } from './match-continuous.ts'
import { lockDenom, lockOf, notionalOf } from './money.ts'
import type { RemovalReason } from './records.ts'
import type { MarketRun, StepRun } from './step-run.ts'

const MAX_TICKS = 2 ** 32 - 1
/** Amounts of one order stay below it. */
const AMOUNT_LIMIT = 1n << 127n
const TICKS_LIMIT = 1n << 32n

const statusError = ({ status, mode }: Market, place: Place): MatchingError | undefined => {
  if (status === 'halted') return 'marketHalted'
  if (status === 'cancel_only') return 'cancelOnly'
  if (status === 'post_only' && canTake(place)) return 'postOnlyMarket'
  if (mode === 'uniform' && (place.tif === 'fok' || place.triggerKind !== 'none')) return 'notInUniform'
  return undefined
}

const isTooLarge = ({ factor, lotSize }: Market, lots: number): boolean => {
  const amount = BigInt(lots)
  return amount * TICKS_LIMIT * factor >= AMOUNT_LIMIT || amount * lotSize >= AMOUNT_LIMIT
}

/** Whether the price is more than the band beyond the block price: above it for a buy, below it for a sell. */
const isOutsideBand = ({ market, blockPriceTicks }: MarketRun, { side, priceTicks }: Place): boolean => {
  if (market.bandPpm === 0 || blockPriceTicks === 0) return false
  const beyond = side === 'buy' ? priceTicks - blockPriceTicks : blockPriceTicks - priceTicks
  // Both sides are exact where it matters: the left one is below 2^53, and a greater right one is not less.
  return beyond * PPM > blockPriceTicks * market.bandPpm
}

/** What the book as it stands does not change. */
export const staticError = (step: StepRun, run: MarketRun, sender: Sender, place: Place): MatchingError | undefined => {
  const { market } = run
  const status = statusError(market, place)
  if (status !== undefined) return status
  if (isTooLarge(market, place.qtyLots)) return 'amountTooLarge'
  if (place.expireS !== 0 && place.expireS * 1_000 <= step.timeMs) return 'expired'
  const from = { ownerKey: sender.trader.key, subaccount: sender.subaccount, nonceMs: sender.nonceMs }
  if (step.books.marks.refuses(place, from, step.height) || step.ownMarks.refuses(place, from, step.height)) {
    return 'marked'
  }
  // The reference is that of the block before: a price that this block makes holds from the next one on.
  if (canTake(place) && isOutsideBand(run, place)) return 'outsideBand'
  return undefined
}

/** The price at which it enters, or undefined where a post-only order would take. */
const entryPrice = (run: MarketRun, place: Place): number | undefined => {
  if (place.tif !== 'post_only' || place.triggerKind !== 'none') return place.priceTicks
  const best = run.book.opposite(place.side).best?.ticks
  if (best === undefined || !doesMeet(place, best)) return place.priceTicks
  if (place.postOnlyMode === 'reject') return undefined
  const slid = place.side === 'buy' ? best - 1 : best + 1
  return slid >= 1 && slid <= MAX_TICKS ? slid : undefined
}

const noRoom = ({ isSide }: GivesWay): MatchingError => (isSide ? 'marketOrders' : 'bookOrders')

const limitError = (
  step: StepRun,
  run: MarketRun,
  sender: Sender,
  place: Place,
  priceTicks: number,
): MatchingError | undefined => {
  // Until a uniform market is cleared, an IOC order is in the book too.
  if (!doesRest(place) && run.market.mode === 'continuous') return undefined
  const account = step.account(sender.trader)
  if (account.openOrders >= step.parameters.maxOpenOrders) return 'accountOrders'
  if (account.ordersIn(place.market) >= run.market.maxOpenOrders) return 'accountMarketOrders'
  // That one leaves in this step, and needs no room: nothing that rests gives way to it.
  if (!doesRest(place)) return undefined
  const { market, side, qtyLots } = place
  const givesWay = step.books.givesWayTo({ market, side, priceTicks, left: qtyLots })
  return givesWay === undefined || givesWay.order !== undefined ? undefined : noRoom(givesWay)
}

const newOrder = (step: StepRun, run: MarketRun, sender: Sender, place: Place, priceTicks: number): RestingOrder =>
  new RestingOrder(
    {
      market: place.market,
      seq: step.nextSeq,
      owner: sender.trader.owner,
      subaccount: sender.subaccount,
      side: place.side,
      tif: place.tif,
      priceTicks,
      lots: place.qtyLots,
      left: place.qtyLots,
      lockedPpm: run.highestFeePpm,
      clientId: place.clientId,
      expireS: place.expireS,
      triggerTicks: place.triggerTicks,
      triggerKind: place.triggerKind,
      stp: place.stp,
      maxFills: maxFillsOf(place),
      postOnlyMode: place.postOnlyMode,
    },
    step.account(sender.trader),
  )

/** Takes a dead order with the client id out of the way. Whether the id is free then. */
export const freeClientId = (step: StepRun, run: MarketRun, sender: Sender, place: Place): boolean => {
  if (place.clientId.length === 0) return true
  const holder = step.books.account(sender.trader.key)?.byClientId(place.market, sender.subaccount, place.clientId)
  if (holder === undefined) return true
  if (!holder.isDead) return false
  step.removeOrder(run, holder, step.deathOf(holder))
  return true
}

/** The rest of the checks, and the placing. The caller takes back what it did where it fails. */
export const enter = (step: StepRun, run: MarketRun, sender: Sender, place: Place): ActionOutcome => {
  const fail = (error: MatchingError): ActionOutcome => ({ error, orderSeq: 0, filledLots: 0, quote: 0n })
  if (!freeClientId(step, run, sender, place)) return fail('clientIdTaken')
  const priceTicks = entryPrice(run, place)
  if (priceTicks === undefined) return fail('wouldTake')
  if (notionalOf(run.market, priceTicks, place.qtyLots) < run.market.minNotional) return fail('belowMinNotional')
  const limit = limitError(step, run, sender, place, priceTicks)
  if (limit !== undefined) return fail(limit)
  const order = newOrder(step, run, sender, place, priceTicks)
  const purse = step.purse(sender.trader, lockDenom(run.market, order.side))
  const lock = lockOf(run.market, order, order.left)
  if (step.purses.available(purse) < lock) return fail('insufficientFunds')
  if (order.tif === 'fok' && canTake(place) && !canFillWhole(run, order)) return fail('cannotFill')
  step.nextSeq++
  step.purses.move(purse, -lock)
  step.record(run, { kind: 'placed', order })
  return matchAndRest(step, run, sender, order)
}

const matchAndRest = (step: StepRun, run: MarketRun, sender: Sender, order: RestingOrder): ActionOutcome => {
  const isUniform = run.market.mode === 'uniform'
  const isTaker = !isUniform && order.tif !== 'post_only' && order.triggerKind === 'none'
  const match = isTaker ? matchTaker(step, run, order) : { end: undefined, filledLots: 0, notional: 0n }
  let error = match.end
  if (order.left > 0) {
    const comesToRest = error === undefined && (isUniform || doesRest(order))
    if (comesToRest && order.rests) error = makeRoom(step, order)
    if (comesToRest && error === undefined) {
      step.books.insert(order)
      if (isUniform) run.entered.push(order.seq)
    } else cancelRest(step, run, sender, order, reasonOf(error))
  }
  return { error, orderSeq: order.seq, filledLots: match.filledLots, quote: match.notional }
}

/**
 * Makes room for what is left of an order: another one gives way where there is none. An error where that is the order
 * itself.
 */
const makeRoom = (step: StepRun, order: RestingOrder): MatchingError | undefined => {
  const givesWay = step.books.givesWayTo(order)
  if (givesWay === undefined) return undefined
  const other = givesWay.order
  const run = other === undefined ? undefined : step.market(other.market)
  if (other === undefined || run === undefined) return noRoom(givesWay)
  step.removeOrder(run, other, other.isDead ? step.deathOf(other) : 'displaced')
  return undefined
}

const reasonOf = (end: MatchingError | undefined): RemovalReason => {
  if (end === undefined) return 'notResting'
  if (end === 'selfTrade') return 'selfTrade'
  return end === 'maxFillsMet' ? 'maxFills' : 'displaced'
}

/** Cancels the rest of an order that never was in the book. */
const cancelRest = (
  step: StepRun,
  run: MarketRun,
  { trader }: Sender,
  order: RestingOrder,
  reason: RemovalReason,
): void => {
  step.unlock(run, trader, order, order.left)
  const { market, seq: orderSeq, left: lots, owner } = order
  step.record(run, { kind: 'removed', market, orderSeq, lots, reason, owner, left: 0 })
}
