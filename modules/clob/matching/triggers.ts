/** Orders whose trigger the block price has reached become Places, once a block, those with the lowest order_seq first. */
import type { RestingOrder } from '../book/resting-order.ts'
import type { OpenOrder } from '../domain/order.ts'
import type { Place } from '../orders/clob-tx.ts'
import type { Sender } from './action.ts'
import { enter, staticError } from './place.ts'
import type { MarketRun, StepRun } from './step-run.ts'

/** Only where they can become orders: in a market that is active and continuous, and has a block price. */
const runsWithTriggers = (step: StepRun): MarketRun[] => {
  const runs: MarketRun[] = []
  for (const book of step.books.markets()) {
    const run = book.hasTriggers ? step.market(book.id) : undefined
    if (run === undefined || run.blockPriceTicks === 0) continue
    if (run.market.status === 'active' && run.market.mode === 'continuous') runs.push(run)
  }
  return runs
}

const weightOf = ({ tif, maxFills }: RestingOrder): number => (tif === 'post_only' ? 1 : maxFills)

/** The first order over a limit ends it: the rest is judged anew in the next block. */
export const fireTriggers = (step: StepRun): void => {
  const { maxTriggers, triggerWeight } = step.parameters
  const runs = runsWithTriggers(step)
  const next = runs.map((run) => run.book.firstFiredAt(run.blockPriceTicks))
  for (let [count, weight] = [0, 0]; count < maxTriggers; count++) {
    const at = indexOfFirst(next)
    const [run, order] = [runs[at], next[at]]
    if (run === undefined || order === undefined) return
    weight += weightOf(order)
    if (weight > triggerWeight) return
    fire(step, run, order)
    next[at] = run.book.firstFiredAt(run.blockPriceTicks)
  }
}

const indexOfFirst = (orders: readonly (RestingOrder | undefined)[]): number => {
  let first = -1
  for (const [at, order] of orders.entries()) {
    if (order !== undefined && (first < 0 || order.seq < (orders[first]?.seq ?? 0))) first = at
  }
  return first
}

/** Removed, then placed with the funds that it had locked. It was sent long ago: no mark refuses it. */
const fire = (step: StepRun, run: MarketRun, order: RestingOrder): void => {
  step.removeOrder(run, order, 'triggered')
  const savepoint = step.savepoint()
  const sender: Sender = {
    trader: step.trader(order.owner),
    subaccount: order.subaccount,
    nonceMs: Number.POSITIVE_INFINITY,
    goodTilBlock: step.height,
  }
  const terms: OpenOrder = order
  const place: Place = { ...terms, qtyLots: order.left, triggerTicks: 0, triggerKind: 'none' }
  const error = staticError(step, run, sender, place)
  if (error === undefined && enter(step, run, sender, place).orderSeq === 0) step.takeBack(savepoint)
}
