/** The open orders of an owner, by market, label and side; and what bounds their life: the switch and the floors. */
import type { Address } from '../../../core/address.ts'
import { bytesToKey } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import type { Floor } from '../domain/account.ts'
import type { Side } from '../domain/order.ts'
import type { RestingOrder } from './resting-order.ts'

/** Orders of an owner with the same market, label and side, by order_seq. */
export class OrderGroup {
  readonly account: AccountBook
  readonly market: number
  readonly subaccount: number
  readonly side: Side
  oldest: RestingOrder | undefined = undefined
  newest: RestingOrder | undefined = undefined
  orders = 0

  constructor(account: AccountBook, { market, subaccount, side }: RestingOrder) {
    this.account = account
    this.market = market
    this.subaccount = subaccount
    this.side = side
  }
}

/** A floor, and how many open orders it still names. */
export interface LiveFloor {
  readonly floor: Floor
  named: number
}

export const doesFloorName = (floor: Floor, group: Pick<OrderGroup, 'market' | 'subaccount' | 'side'>): boolean =>
  (floor.market === 0 || floor.market === group.market) &&
  (floor.subaccount === undefined || floor.subaccount === group.subaccount) &&
  (floor.side === undefined || floor.side === group.side)

const groupKeyOf = (subaccount: number, side: Side): number => subaccount * 2 + (side === 'buy' ? 0 : 1)

export const clientKeyOf = (market: number, subaccount: number, clientId: Uint8Array): string =>
  `${market}/${subaccount}/${bytesToKey(clientId)}`

interface OrdersInMarket {
  orders: number
  readonly groups: Map<number, OrderGroup>
}

export class AccountBook {
  readonly owner: Address
  /** bytesToKey of the owner. */
  readonly key: string
  openOrders = 0
  /** Those that are not dead. */
  living = 0
  /** The oldest and the newest of all its open orders, by order_seq. */
  oldest: RestingOrder | undefined = undefined
  #newest: RestingOrder | undefined = undefined
  switchMs = 0
  floors: readonly LiveFloor[] = []
  /** The key under which the switches that are kept by time hold it: only while it has orders that may die by it. */
  heldSwitch: { readonly switchMs: number; readonly seq: number } | undefined = undefined
  readonly #markets = new Map<number, OrdersInMarket>()
  readonly #byClientId = new Map<string, RestingOrder>()

  constructor(owner: Address, key: string) {
    this.owner = owner
    this.key = key
  }

  ordersIn(market: number): number {
    return this.#markets.get(market)?.orders ?? 0
  }

  byClientId(market: number, subaccount: number, clientId: Uint8Array): RestingOrder | undefined {
    return this.#byClientId.size === 0 ? undefined : this.#byClientId.get(clientKeyOf(market, subaccount, clientId))
  }

  /** Groups with orders that a floor would name. Their order means nothing. */
  groupsNamedBy(filter: Pick<Floor, 'subaccount' | 'market' | 'side'>): OrderGroup[] {
    const found: OrderGroup[] = []
    if (filter.market !== 0) collect(this.#markets.get(filter.market), filter, found)
    else for (const inMarket of this.#markets.values()) collect(inMarket, filter, found)
    return found
  }

  /** Appends behind all others: its order_seq is the greatest. */
  append(order: RestingOrder): void {
    const group = this.#groupFor(order)
    order.group = group
    order.olderInGroup = group.newest
    order.newerInGroup = undefined
    if (group.newest === undefined) group.oldest = order
    else group.newest.newerInGroup = order
    group.newest = order
    order.olderOfOwner = this.#newest
    order.newerOfOwner = undefined
    if (this.#newest === undefined) this.oldest = order
    else this.#newest.newerOfOwner = order
    this.#newest = order
    this.#count(order, group)
  }

  /** The order keeps its neighbours, so that `restore` finds its place. */
  unlink(order: RestingOrder): void {
    const group = groupOf(order)
    const { olderInGroup: older, newerInGroup: newer } = order
    if (older === undefined) group.oldest = newer
    else older.newerInGroup = newer
    if (newer === undefined) group.newest = older
    else newer.olderInGroup = older
    const { olderOfOwner, newerOfOwner } = order
    if (olderOfOwner === undefined) this.oldest = newerOfOwner
    else olderOfOwner.newerOfOwner = newerOfOwner
    if (newerOfOwner === undefined) this.#newest = olderOfOwner
    else newerOfOwner.olderOfOwner = olderOfOwner
    this.#discount(order, group)
  }

  /** Undoes `unlink`. Whatever was done after it must be undone already. */
  restore(order: RestingOrder): void {
    const group = groupOf(order)
    this.put(order)
    this.#count(order, group)
  }

  /** Makes the neighbours of an order point to it. */
  put(order: RestingOrder): void {
    const group = groupOf(order)
    if (order.olderInGroup === undefined) group.oldest = order
    else order.olderInGroup.newerInGroup = order
    if (order.newerInGroup === undefined) group.newest = order
    else order.newerInGroup.olderInGroup = order
    if (order.olderOfOwner === undefined) this.oldest = order
    else order.olderOfOwner.newerOfOwner = order
    if (order.newerOfOwner === undefined) this.#newest = order
    else order.newerOfOwner.olderOfOwner = order
  }

  setClientId({ market, subaccount, clientId }: RestingOrder, order: RestingOrder | undefined): void {
    if (clientId.length === 0) return
    const key = clientKeyOf(market, subaccount, clientId)
    if (order === undefined) this.#byClientId.delete(key)
    else this.#byClientId.set(key, order)
  }

  #groupFor(order: RestingOrder): OrderGroup {
    const found = this.#markets.get(order.market)?.groups.get(groupKeyOf(order.subaccount, order.side))
    return found ?? new OrderGroup(this, order)
  }

  #count(order: RestingOrder, group: OrderGroup): void {
    this.openOrders++
    if (!order.isDead) this.living++
    let inMarket = this.#markets.get(order.market)
    if (inMarket === undefined) {
      inMarket = { orders: 0, groups: new Map() }
      this.#markets.set(order.market, inMarket)
    }
    inMarket.orders++
    if (group.orders++ === 0) inMarket.groups.set(groupKeyOf(order.subaccount, order.side), group)
    this.setClientId(order, order)
    for (const each of this.floors) {
      if (order.seq < each.floor.nextSeq && doesFloorName(each.floor, group)) each.named++
    }
  }

  #discount(order: RestingOrder, group: OrderGroup): void {
    this.openOrders--
    if (!order.isDead) this.living--
    const inMarket = this.#markets.get(order.market)
    invariant(inMarket !== undefined, 'an owner of an order is in its market')
    if (--inMarket.orders === 0) this.#markets.delete(order.market)
    if (--group.orders === 0) inMarket.groups.delete(groupKeyOf(order.subaccount, order.side))
    this.setClientId(order, undefined)
    for (const each of this.floors) {
      if (order.seq < each.floor.nextSeq && doesFloorName(each.floor, group)) each.named--
    }
  }
}

const collect = (
  inMarket: OrdersInMarket | undefined,
  { subaccount, side }: Pick<Floor, 'subaccount' | 'side'>,
  found: OrderGroup[],
): void => {
  if (inMarket === undefined) return
  if (subaccount === undefined) {
    for (const group of inMarket.groups.values()) if (side === undefined || side === group.side) found.push(group)
    return
  }
  const buys = side === 'sell' ? undefined : inMarket.groups.get(groupKeyOf(subaccount, 'buy'))
  const sells = side === 'buy' ? undefined : inMarket.groups.get(groupKeyOf(subaccount, 'sell'))
  if (buys !== undefined) found.push(buys)
  if (sells !== undefined) found.push(sells)
}

const groupOf = (order: RestingOrder): OrderGroup => {
  invariant(order.group !== undefined, 'an open order is in a group of its owner')
  return order.group
}
