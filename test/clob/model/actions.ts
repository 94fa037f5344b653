/** What each action does. One that is refused throws, and everything it did is undone by whoever called it. */
import type { Action, ClobTx, Place, Target } from '../../../modules/clob/orders/clob-tx.ts'
import type { Side } from '../../../modules/clob/domain/order.ts'
import { bytesToUnprefixedHex } from '../../../core/bytes.ts'
import { dropFloors, isDead, removeOrder } from './dead.ts'
import { isNew, keepsPlace } from './replace.ts'
import { placeOrder, type Wanted } from './place.ts'
import type { Step } from './step.ts'
import { fillsOf } from './checks.ts'
import { accountOf, marketOf, Refusal, type ModelFloor, type ModelOrder } from './world.ts'

export interface ActionOutcome {
  /** '' is success. */
  readonly code: string
  readonly seq: bigint
  readonly lots: bigint
  readonly quote: bigint
}

const DONE: ActionOutcome = { code: '', seq: 0n, lots: 0n, quote: 0n }
const AT_ONCE = 20
const MAX_FLOORS = 16
const DAY_MS = 86_400_000n

const ownerOf = (tx: ClobTx): string => bytesToUnprefixedHex(tx.owner)

const checkMarket = (step: Step, id: number): void => {
  if (marketOf(step.world, id).status === 'halted') throw new Refusal('halted')
}

/** The owner's open order, dead or not. A client id is of a subaccount; an order_seq needs none. */
const findTarget = (step: Step, tx: ClobTx, market: number, target: Target): ModelOrder | undefined =>
  step.world.orders.find((order) => {
    if (order.owner !== ownerOf(tx) || order.market !== market) return false
    if (target.kind === 'seq') return order.seq === BigInt(target.orderSeq)
    return order.subaccount === tx.subaccount && order.clientId === bytesToUnprefixedHex(target.clientId)
  })

const leaveMark = (step: Step, tx: ClobTx, market: number, side: Side | undefined, clientId: string): void => {
  const { subaccount, goodTilBlock } = tx
  const owner = ownerOf(tx)
  const nonceMs = BigInt(tx.nonceMs)
  step.world.marks.push({ height: step.height, owner, subaccount, market, side, clientId, nonceMs, goodTilBlock })
}

/** The mark of a Cancel; one by order_seq leaves none. */
const markTarget = (step: Step, tx: ClobTx, market: number, target: Target): void => {
  if (target.kind === 'client') leaveMark(step, tx, market, undefined, bytesToUnprefixedHex(target.clientId))
}

const checkMarks = (step: Step, tx: ClobTx, place: Place): void => {
  const clientId = bytesToUnprefixedHex(place.clientId)
  const isMarked = step.world.marks.some(
    (mark) =>
      mark.owner === ownerOf(tx) &&
      mark.subaccount === tx.subaccount &&
      (mark.market === 0 || mark.market === place.market) &&
      (mark.side === undefined || mark.side === place.side) &&
      (mark.clientId === '' || mark.clientId === clientId) &&
      BigInt(tx.nonceMs) < mark.nonceMs &&
      step.height <= mark.goodTilBlock,
  )
  if (isMarked) throw new Refusal('marked')
}

export const wantedOf = (tx: ClobTx, place: Place): Wanted => ({
  market: place.market,
  owner: ownerOf(tx),
  subaccount: tx.subaccount,
  side: place.side,
  tif: place.tif,
  price: BigInt(place.priceTicks),
  lots: BigInt(place.qtyLots),
  clientId: bytesToUnprefixedHex(place.clientId),
  expireS: BigInt(place.expireS),
  triggerTicks: BigInt(place.triggerTicks),
  triggerKind: place.triggerKind,
  stp: place.stp,
  maxFills: fillsOf(place),
  postOnlyMode: place.postOnlyMode,
})

const cancel = (step: Step, tx: ClobTx, market: number, target: Target): ActionOutcome => {
  checkMarket(step, market)
  const order = findTarget(step, tx, market, target)
  // What is not open yet may be on its way: the mark stays although there is nothing to remove.
  if (order === undefined) throw new Refusal('notOpen', () => markTarget(step, tx, market, target))
  removeOrder(step, order, 'cancelled')
  markTarget(step, tx, market, target)
  return DONE
}

/** Whether a newer floor names all that an older one does, which then goes. */
const covers = (newer: ModelFloor, older: ModelFloor): boolean =>
  (newer.subaccount === undefined || newer.subaccount === older.subaccount) &&
  (newer.market === 0 || newer.market === older.market) &&
  (newer.side === undefined || newer.side === older.side)

const cancelAll = (step: Step, tx: ClobTx, market: number, side: Side | undefined): ActionOutcome => {
  if (market !== 0) checkMarket(step, market)
  const named = step.world.orders.filter(
    (order) =>
      order.owner === ownerOf(tx) &&
      order.subaccount === tx.subaccount &&
      (market === 0 || order.market === market) &&
      (side === undefined || order.side === side),
  )
  for (const order of named.slice(0, AT_ONCE)) removeOrder(step, order, 'cancelledAll')
  dropFloors(step.world)
  if (named.length > AT_ONCE) {
    const account = accountOf(step.world, ownerOf(tx))
    const floor = { subaccount: tx.subaccount, market, side, nextSeq: step.world.nextSeq }
    const others = account.floors.filter((older) => !covers(floor, older))
    if (others.length === MAX_FLOORS) throw new Refusal('floors')
    account.floors = [...others, floor]
  }
  leaveMark(step, tx, market, side, '')
  return DONE
}

const replace = (step: Step, tx: ClobTx, action: Action & { kind: 'replace' }): ActionOutcome => {
  const { place, target } = action
  const order = findTarget(step, tx, place.market, target)
  if (order === undefined || isDead(step, order)) {
    checkPlaceable(step, place)
    throw new Refusal('notOpen', () => markTarget(step, tx, place.market, target))
  }
  const wanted = wantedOf(tx, place)
  return placeOrder(step, wanted, {
    checkMarks: () => checkMarks(step, tx, place),
    before: () => {
      if (action.keepPriority && keepsPlace(order, wanted) && !isNew(step, order)) return order
      removeOrder(step, order, 'cancelled')
      return undefined
    },
  })
}

/** What a Replace without a target is refused for before its mark: the market takes no action of its kind. */
const checkPlaceable = (step: Step, place: Place): void => {
  const { status } = marketOf(step.world, place.market)
  if (status === 'halted') throw new Refusal('halted')
  if (status === 'cancel_only') throw new Refusal('cancelOnly')
}

const schedule = (step: Step, tx: ClobTx, at: number): ActionOutcome => {
  const atMs = BigInt(at)
  if (atMs !== 0n) {
    if (!step.world.orders.some(({ owner }) => owner === ownerOf(tx))) throw new Refusal('noOpenOrder')
    if (atMs <= step.timeMs || atMs > step.timeMs + DAY_MS) throw new Refusal('switchTime')
  }
  accountOf(step.world, ownerOf(tx)).switchMs = atMs
  return DONE
}

const perform = (step: Step, tx: ClobTx, action: Action): ActionOutcome => {
  if (action.kind === 'cancel') return cancel(step, tx, action.market, action.target)
  if (action.kind === 'cancelAll') return cancelAll(step, tx, action.market, action.side)
  if (action.kind === 'scheduleCancel') return schedule(step, tx, action.atMs)
  if (action.kind === 'replace') return replace(step, tx, action)
  return placeOrder(step, wantedOf(tx, action.place), {
    checkMarks: () => checkMarks(step, tx, action.place),
    before: () => undefined,
  })
}

/** Counts the action against the owner's limit of the block, then does it. */
export const runAction = (step: Step, tx: ClobTx, action: Action): ActionOutcome => {
  const count = (step.actions.get(ownerOf(tx)) ?? 0) + 1
  step.actions.set(ownerOf(tx), count)
  if (count > step.world.limits.maxActions) throw new Refusal('tooManyActions')
  return perform(step, tx, action)
}
