/** Which order goes where there is no more room. */
import { deathOf, isDead, removeOrder } from './dead.ts'
import type { Step } from './step.ts'
import type { ModelOrder } from './world.ts'

type Comer = Pick<ModelOrder, 'market' | 'side' | 'price' | 'left'>

interface GivesWay {
  readonly code: string
  /** Undefined is the comer. */
  readonly order: ModelOrder | undefined
}

/** Rounded once, to binary64. */
const stakeOf = ({ side, price, left }: Comer): number => Number(side === 'buy' ? price * left : left)

/** The least of the orders of a side; of equal stakes the newest, and the comer is newer than all. */
const leastOf = (orders: readonly ModelOrder[], comer: Comer | undefined): ModelOrder | undefined => {
  const stakes = orders.map((order) => ({ order, stake: stakeOf(order) }))
  const all = [...stakes, ...(comer === undefined ? [] : [{ order: undefined, stake: stakeOf(comer) }])]
  const least = Math.min(...all.map(({ stake }) => stake))
  return all.filter(({ stake }) => stake === least).at(-1)?.order
}

/** An IOC order without a trigger is in a uniform market until that is cleared, and takes no room. */
export const takesRoom = ({ tif, triggerKind }: Pick<ModelOrder, 'tif' | 'triggerKind'>): boolean =>
  tif !== 'ioc' || triggerKind !== 'none'

/** What gives way in the world without the comer; undefined where there is room. */
export const givesWayTo = (step: Step, comer: Comer): GivesWay | undefined => {
  const { orders, bounds, markets } = step.world
  const others = orders.filter((order) => order !== comer && takesRoom(order))
  const sides = markets
    .toSorted((a, b) => a.id - b.id)
    .flatMap(({ id }) =>
      (['buy', 'sell'] as const).map((side) => {
        const own = others.filter((order) => order.market === id && order.side === side && !isDead(step, order))
        const isOwn = id === comer.market && side === comer.side
        return { own, isOwn, length: own.length + (isOwn ? 1 : 0) }
      }),
    )
  const joined = sides.find(({ isOwn }) => isOwn)
  if (joined !== undefined && joined.length > bounds.side) {
    return { code: 'marketFull', order: leastOf(joined.own, comer) }
  }
  if (others.length < bounds.all) return undefined
  const dead = others.find((order) => isDead(step, order))
  if (dead !== undefined) return { code: 'bookFull', order: dead }
  const most = Math.max(...sides.map(({ length }) => length))
  const longest = sides.find(({ length }) => length === most)
  return { code: 'bookFull', order: leastOf(longest?.own ?? [], longest?.isOwn === true ? comer : undefined) }
}

/**
 * Finds room for an order that is in the world already and comes to rest: another one goes, or itself. Returns the code
 * of the latter.
 */
export const findRoom = (step: Step, comer: ModelOrder): string => {
  const givesWay = givesWayTo(step, comer)
  if (givesWay === undefined) return ''
  const { order = comer } = givesWay
  removeOrder(step, order, deathOf(step, order) ?? 'displaced')
  return order === comer ? givesWay.code : ''
}
