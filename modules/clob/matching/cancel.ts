/** Cancel, CancelAll and ScheduleCancel. */
import type { LiveFloor, OrderGroup } from '../book/account-book.ts'
import type { RestingOrder } from '../book/resting-order.ts'
import { type Floor, MAX_FLOORS } from '../domain/account.ts'
import type { Side } from '../domain/order.ts'
import type { Target } from '../orders/clob-tx.ts'
import { type ActionOutcome, DONE, failed, type Sender } from './action.ts'
import { equalBytes } from '../../../core/bytes.ts'
import type { MarketRun, StepRun } from './step-run.ts'

/** Orders that a CancelAll removes itself; its weight is as much. */
const REMOVED_AT_ONCE = 20
const MAX_SWITCH_AHEAD_MS = 24 * 60 * 60 * 1_000

/** An open order of the sender, dead or not: by client id that of its own label, by order_seq of any. */
export const findTarget = (
  step: StepRun,
  run: MarketRun,
  { trader, subaccount }: Sender,
  target: Target,
): RestingOrder | undefined => {
  if (target.kind === 'client') {
    return step.books.account(trader.key)?.byClientId(run.market.id, subaccount, target.clientId)
  }
  const order = run.book.orders.get(target.orderSeq)
  return order !== undefined && equalBytes(order.owner, trader.owner) ? order : undefined
}

/** What is on its way is cancelled too. A target by order_seq leaves none: what has one is in the book. */
export const markTarget = (step: StepRun, sender: Sender, market: number, target: Target): void => {
  if (target.kind === 'client') leaveMark(step, sender, market, undefined, target.clientId)
}

const leaveMark = (
  step: StepRun,
  { trader, subaccount, nonceMs, goodTilBlock }: Sender,
  market: number,
  side: Side | undefined,
  clientId: Uint8Array,
): void => step.leaveMark({ owner: trader.owner, subaccount, market, side, clientId, nonceMs, goodTilBlock })

export const cancel = (step: StepRun, sender: Sender, market: number, target: Target): ActionOutcome => {
  const run = step.market(market)
  if (run === undefined) return failed('unknownMarket')
  if (run.market.status === 'halted') return failed('marketHalted')
  markTarget(step, sender, market, target)
  const order = findTarget(step, run, sender, target)
  if (order === undefined) return failed('orderNotFound')
  step.removeOrder(run, order, 'cancelled')
  return DONE
}

/** Removes the first twenty at once; a floor kills the others. */
export const cancelAll = (step: StepRun, sender: Sender, market: number, side: Side | undefined): ActionOutcome => {
  if (market !== 0) {
    const run = step.market(market)
    if (run === undefined) return failed('unknownMarket')
    if (run.market.status === 'halted') return failed('marketHalted')
  }
  const { subaccount } = sender
  const account = step.account(sender.trader)
  const groups = account.groupsNamedBy({ subaccount, market, side })
  for (let count = 0; count < REMOVED_AT_ONCE; count++) {
    const order = firstOf(groups)
    if (order === undefined) break
    const run = step.market(order.market)
    if (run === undefined) break
    step.removeOrder(run, order, 'cancelledAll')
  }
  let named = 0
  for (const group of groups) named += group.orders
  if (named > 0) {
    const floor: Floor = { subaccount, market, side, nextSeq: step.nextSeq }
    const floors = [...account.floors.filter((each) => !covers(floor, each.floor)), { floor, named }]
    if (floors.length > MAX_FLOORS) return failed('tooManyFloors')
    step.books.setFloors(account, floors)
  }
  leaveMark(step, sender, market, side, new Uint8Array(0))
  return DONE
}

const firstOf = (groups: readonly OrderGroup[]): RestingOrder | undefined => {
  let first: RestingOrder | undefined
  for (const { oldest } of groups) {
    if (oldest !== undefined && (first === undefined || oldest.seq < first.seq)) first = oldest
  }
  return first
}

/** Whether a newer floor names all that an older one does. */
const covers = (newer: Floor, older: Floor): boolean =>
  (newer.subaccount === undefined || newer.subaccount === older.subaccount) &&
  (newer.market === 0 || newer.market === older.market) &&
  (newer.side === undefined || newer.side === older.side)

export const scheduleCancel = (step: StepRun, sender: Sender, atMs: number): ActionOutcome => {
  const account = step.account(sender.trader)
  if (atMs !== 0) {
    if (account.openOrders === 0) return failed('noOpenOrder')
    if (atMs <= step.timeMs || atMs > step.timeMs + MAX_SWITCH_AHEAD_MS) return failed('switchTime')
  }
  step.books.setSwitch(account, atMs)
  return DONE
}

/** A switch that has passed becomes a floor over all that the owner has, before anything else of it runs. */
export const settleSwitch = (step: StepRun, sender: Pick<Sender, 'trader'>): void => {
  const account = step.account(sender.trader)
  if (account.switchMs === 0 || account.switchMs > step.timeMs) return
  const floor: Floor = { subaccount: undefined, market: 0, side: undefined, nextSeq: step.nextSeq }
  const floors: readonly LiveFloor[] = account.openOrders === 0 ? [] : [{ floor, named: account.openOrders }]
  if (account.openOrders > 0) step.books.setFloors(account, floors)
  step.books.setSwitch(account, 0)
}
