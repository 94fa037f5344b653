/** What follows the batch: block prices, triggers, removals. */
import { deathOf, isDead, removeOrder } from './dead.ts'
import { placeOrder } from './place.ts'
import { attempt, type Step } from './step.ts'
import { marketOf, type ModelOrder, type World } from './world.ts'

/** Volume-weighted over the fills until now, rounded down; what triggers do later in the block is in no block price. */
export const setBlockPrices = (step: Step): void => {
  for (const market of step.world.markets) {
    const fills = step.fills.filter((one) => one.market === market.id)
    const lots = fills.reduce((sum, one) => sum + one.lots, 0n)
    const notional = fills.reduce((sum, one) => sum + one.notional, 0n)
    if (lots === 0n || notional < market.triggerNotional) continue
    market.blockPrice = fills.reduce((sum, one) => sum + one.price * one.lots, 0n) / lots
  }
}

/** Buys of a STOP fire at or above their trigger, sells at or below; a TAKE_PROFIT the reverse. */
const isReached = (world: World, order: ModelOrder): boolean => {
  const { blockPrice, status, mode } = marketOf(world, order.market)
  if (blockPrice === 0n || status !== 'active' || mode !== 'continuous') return false
  const firesAbove = (order.side === 'buy') === (order.triggerKind === 'stop')
  return firesAbove ? blockPrice >= order.triggerTicks : blockPrice <= order.triggerTicks
}

const weightOf = (order: ModelOrder): number => (order.tif === 'post_only' ? 1 : order.maxFills)

/** Removed, then placed anew without its trigger; one that is refused stays removed. */
const fire = (step: Step, order: ModelOrder): void => {
  removeOrder(step, order, 'triggered')
  const { seq: _, left: __, lockedPpm: ___, ...wanted } = order
  const placed = { ...wanted, triggerKind: 'none' as const, triggerTicks: 0n }
  attempt(step, () => placeOrder(step, placed, { checkMarks: () => undefined, before: () => undefined }))
}

/** Fires triggers by order_seq, until the next one goes beyond a limit. */
export const fireTriggers = (step: Step): void => {
  let weight = 0
  for (let count = 0; count < step.world.limits.maxTriggers; count++) {
    const order = step.world.orders.find(
      (one) => one.triggerKind !== 'none' && isReached(step.world, one) && !isDead(step, one),
    )
    if (order === undefined) return
    weight += weightOf(order)
    if (weight > step.world.limits.triggerWeight) return
    fire(step, order)
  }
}

export const removeDead = (step: Step): void => {
  const dead = step.world.orders.filter((order) => isDead(step, order)).slice(0, step.world.limits.maxRemovals)
  for (const order of dead) {
    const death = deathOf(step, order)
    if (death !== undefined) removeOrder(step, order, death)
  }
}

/** The sum of price x ms moves where the block price does; until then it goes on from `since`. */
export const movePriceSums = (step: Step, before: World): void => {
  for (const market of step.world.markets) {
    const old = marketOf(before, market.id).blockPrice
    if (old === market.blockPrice) continue
    market.priceMs += old * (step.timeMs - market.sinceMs)
    market.sinceMs = step.timeMs
  }
}
