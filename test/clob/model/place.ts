/** How an order enters: its checks in their order, then matching or the book. */
import type { ActionOutcome } from './actions.ts'
import { canFillWhole, matchTaker } from './continuous.ts'
import { deathOf, record, removeOrder, sideOf } from './dead.ts'
import { highestPpm, lockFunds, notionalOf } from './money.ts'
import { amend } from './replace.ts'
import { findRoom, givesWayTo, takesRoom } from './room.ts'
import type { Step } from './step.ts'
import { marketOf, Refusal, type ModelMarket, type ModelOrder } from './world.ts'

export type Wanted = Omit<ModelOrder, 'seq' | 'left' | 'lockedPpm'>

const PPM = 1_000_000n
const TWO_32 = 1n << 32n
const TWO_127 = 1n << 127n

const takes = (wanted: Wanted): boolean => wanted.tif !== 'post_only' && wanted.triggerKind === 'none'

const checkStatus = (market: ModelMarket, wanted: Wanted): void => {
  if (market.status === 'halted') throw new Refusal('halted')
  if (market.status === 'cancel_only') throw new Refusal('cancelOnly')
  if (market.status === 'post_only' && takes(wanted)) throw new Refusal('postOnlyMarket')
  if (market.mode === 'uniform' && (wanted.tif === 'fok' || wanted.triggerKind !== 'none')) throw new Refusal('mode')
}

const checkSize = (market: ModelMarket, wanted: Wanted): void => {
  const isTooLarge = wanted.lots * TWO_32 * market.factor >= TWO_127 || wanted.lots * market.lotSize >= TWO_127
  if (isTooLarge) throw new Refusal('tooLarge')
}

const checkBand = (market: ModelMarket, wanted: Wanted): void => {
  if (!takes(wanted) || market.bandPpm === 0n || market.blockPrice === 0n) return
  const { blockPrice, bandPpm } = market
  const isBeyond =
    wanted.side === 'buy'
      ? wanted.price * PPM > blockPrice * (PPM + bandPpm)
      : wanted.price * PPM < blockPrice * (PPM - bandPpm)
  if (isBeyond) throw new Refusal('band')
}

/** A client id that a dead order holds is free: the Place removes that order. */
const takeClientId = (step: Step, wanted: Wanted, self: ModelOrder | undefined): void => {
  if (wanted.clientId === '') return
  const holder = step.world.orders.find(
    (order) =>
      order !== self &&
      order.owner === wanted.owner &&
      order.subaccount === wanted.subaccount &&
      order.market === wanted.market &&
      order.clientId === wanted.clientId,
  )
  if (holder === undefined) return
  const death = deathOf(step, holder)
  if (death === undefined) throw new Refusal('clientId')
  removeOrder(step, holder, death)
}

const checkCounts = (step: Step, market: ModelMarket, wanted: Wanted, price: bigint): void => {
  const canRest = wanted.tif === 'gtc' || wanted.tif === 'post_only' || wanted.triggerKind !== 'none'
  if (!canRest && market.mode === 'continuous') return
  const ofOwner = step.world.orders.filter(({ owner }) => owner === wanted.owner)
  if (ofOwner.length >= step.world.limits.maxOpenOrders) throw new Refusal('openOrders')
  if (ofOwner.filter((order) => order.market === market.id).length >= market.maxOpenOrders) {
    throw new Refusal('marketOpenOrders')
  }
  if (!takesRoom(wanted)) return
  const givesWay = givesWayTo(step, { ...wanted, price, left: wanted.lots })
  if (givesWay !== undefined && givesWay.order === undefined) throw new Refusal(givesWay.code)
}

const crosses = (side: 'buy' | 'sell', price: bigint, other: bigint): boolean =>
  side === 'buy' ? price >= other : price <= other

/** The price at which a post-only order rests: judged by what it could meet. */
const postOnlyPrice = (step: Step, market: ModelMarket, wanted: Wanted): bigint => {
  if (wanted.tif !== 'post_only' || wanted.triggerKind !== 'none') return wanted.price
  const best = sideOf(step, market, wanted.side === 'buy' ? 'sell' : 'buy')[0]
  if (best === undefined || !crosses(wanted.side, wanted.price, best.price)) return wanted.price
  const price = wanted.side === 'buy' ? best.price - 1n : best.price + 1n
  if (wanted.postOnlyMode === 'reject' || price < 1n || price >= TWO_32) throw new Refusal('wouldTake')
  return price
}

/** What a Place by a transaction has beside one by a trigger. */
export interface PlaceWay {
  checkMarks(): void
  /** Removes what is replaced; an order where that one goes on under its order_seq. */
  before(): ModelOrder | undefined
}

/** Places, matches and rests an order; throws a Refusal, after which the caller undoes everything. */
export const placeOrder = (step: Step, wanted: Wanted, way: PlaceWay): ActionOutcome => {
  const market = marketOf(step.world, wanted.market)
  checkStatus(market, wanted)
  checkSize(market, wanted)
  if (wanted.expireS !== 0n && wanted.expireS * 1000n <= step.timeMs) throw new Refusal('expired')
  way.checkMarks()
  checkBand(market, wanted)
  const kept = way.before()
  takeClientId(step, wanted, kept)
  const price = kept?.price ?? postOnlyPrice(step, market, wanted)
  if (notionalOf(market, price, wanted.lots) < market.minNotional) throw new Refusal('minNotional')
  if (kept !== undefined) {
    amend(step, kept, wanted)
    return { code: '', seq: kept.seq, lots: 0n, quote: 0n }
  }
  checkCounts(step, market, wanted, price)
  const seq = step.world.nextSeq
  const lockedPpm = highestPpm(market)
  const order: ModelOrder = { ...wanted, price, seq, left: wanted.lots, lockedPpm }
  lockFunds(step.world, market, order)
  if (market.mode === 'continuous' && order.tif === 'fok' && takes(order) && !canFillWhole(step, market, order)) {
    throw new Refusal('notFilled')
  }
  step.world.nextSeq += 1n
  const { owner, subaccount, side, tif, lots, clientId } = order
  record(step, { kind: 'placed', market: market.id, seq, owner, subaccount, side, tif, price, lots, clientId })
  step.world.orders.push(order)
  if (market.mode === 'uniform' || !takes(order)) {
    return { code: takesRoom(order) ? findRoom(step, order) : '', seq, lots: 0n, quote: 0n }
  }
  return matchTaker(step, market, order)
}
