/** Which orders are dead, and how an order leaves the book. */
import type { ClobTx } from '../../../modules/clob/orders/clob-tx.ts'
import { bytesToUnprefixedHex } from '../../../core/bytes.ts'
import { unlockLots } from './money.ts'
import type { Reason } from './records.ts'
import type { Step } from './step.ts'
import { accountOf, marketOf, type ModelFloor, type ModelMarket, type ModelOrder, type World } from './world.ts'

/** Whether a floor names an order, beside its order_seq. */
const names = (floor: ModelFloor, order: ModelOrder): boolean =>
  (floor.subaccount === undefined || floor.subaccount === order.subaccount) &&
  (floor.market === 0 || floor.market === order.market) &&
  (floor.side === undefined || floor.side === order.side)

/** All that death depends on. */
export type Moment = Pick<Step, 'world' | 'timeMs'>

/** Why an order is dead; undefined where it lives. */
export const deathOf = (step: Moment, order: ModelOrder): Reason | undefined => {
  if (order.expireS !== 0n && order.expireS * 1000n <= step.timeMs) return 'expired'
  const account = step.world.accounts.get(order.owner)
  if (account === undefined) return undefined
  if (account.switchMs !== 0n && account.switchMs <= step.timeMs) return 'switchPassed'
  const floors = account.floors.filter((floor) => names(floor, order) && order.seq < floor.nextSeq)
  if (floors.length === 0) return undefined
  return floors.some(({ subaccount }) => subaccount === undefined) ? 'switchPassed' : 'cancelledAll'
}

export const isDead = (step: Moment, order: ModelOrder): boolean => deathOf(step, order) !== undefined

/** Every record of a market has a number. */
export const record = (step: Step, entry: Step['records'][number]): void => {
  marketOf(step.world, entry.market).sequence += 1n
  step.records.push(entry)
}

/** Takes an order out of the book; what it locked goes back. */
export const removeOrder = (step: Step, order: ModelOrder, reason: Reason): void => {
  const { market, seq, left } = order
  record(step, { kind: 'removed', market, seq, left, reason })
  unlockLots(step.world, marketOf(step.world, market), order, left)
  forget(step.world, order)
}

export const forget = (world: World, order: ModelOrder): void => {
  world.orders = world.orders.filter((candidate) => candidate !== order)
}

/** A floor stays until the last order below it is gone. */
export const dropFloors = (world: World): void => {
  for (const [owner, account] of world.accounts) {
    account.floors = account.floors.filter((floor) =>
      world.orders.some((order) => order.owner === owner && names(floor, order) && order.seq < floor.nextSeq),
    )
  }
}

/** The floor of a switch stands for every other one: it names all orders that are. */
export const turnSwitch = (step: Step, tx: ClobTx): void => {
  const account = accountOf(step.world, bytesToUnprefixedHex(tx.owner))
  if (account.switchMs === 0n || account.switchMs > step.timeMs) return
  account.switchMs = 0n
  account.floors = [{ subaccount: undefined, market: 0, side: undefined, nextSeq: step.world.nextSeq }]
  dropFloors(step.world)
}

/** Both sides of a market as a taker meets them: best first, then the lowest order_seq. Dead orders and those with a trigger are in neither. */
export const sideOf = (step: Step, market: ModelMarket, side: 'buy' | 'sell'): ModelOrder[] =>
  step.world.orders
    .filter((order) => order.market === market.id && order.side === side && order.triggerKind === 'none')
    .filter((order) => !isDead(step, order))
    .toSorted((a, b) => {
      if (a.price !== b.price) return (side === 'buy') === a.price > b.price ? -1 : 1
      return a.seq < b.seq ? -1 : 1
    })
