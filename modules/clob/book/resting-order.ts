/** An order in the book of memory: what state keeps of it, and its places in the lists. */
import type { Address } from '../../../core/address.ts'
import {
  doesRest,
  type OpenOrder,
  type PostOnlyMode,
  type SelfTradePrevention,
  type Side,
  type TimeInForce,
  type TriggerKind,
} from '../domain/order.ts'
import type { AccountBook, OrderGroup } from './account-book.ts'
import type { Level } from './book-side.ts'

export class RestingOrder implements OpenOrder {
  readonly market: number
  readonly seq: number
  readonly owner: Address
  readonly subaccount: number
  readonly side: Side
  readonly tif: TimeInForce
  readonly priceTicks: number
  readonly lots: number
  /** The lots that are left; only the book changes them. */
  left: number
  readonly lockedPpm: number
  readonly clientId: Uint8Array
  readonly expireS: number
  readonly triggerTicks: number
  readonly triggerKind: TriggerKind
  readonly stp: SelfTradePrevention
  readonly maxFills: number
  readonly postOnlyMode: PostOnlyMode

  /** Looked at whenever it comes or goes. */
  readonly rests: boolean
  /** Expired, or its owner's switch has passed, or a floor names it: for ever. Changed by the book alone. */
  isDead = false
  /** The account of its owner. */
  readonly account: AccountBook
  /** Set once it rests at a price; an order with a trigger does not. One that died or is removed keeps its places, for the undoing. */
  level: Level | undefined = undefined
  olderInLevel: RestingOrder | undefined = undefined
  newerInLevel: RestingOrder | undefined = undefined
  group: OrderGroup | undefined = undefined
  olderInGroup: RestingOrder | undefined = undefined
  newerInGroup: RestingOrder | undefined = undefined

  olderOfOwner: RestingOrder | undefined = undefined
  newerOfOwner: RestingOrder | undefined = undefined

  constructor(order: OpenOrder, account: AccountBook) {
    this.account = account
    this.market = order.market
    this.seq = order.seq
    // One address for all orders of an owner.
    this.owner = account.owner
    this.subaccount = order.subaccount
    this.side = order.side
    this.tif = order.tif
    this.priceTicks = order.priceTicks
    this.lots = order.lots
    this.left = order.left
    this.lockedPpm = order.lockedPpm
    this.clientId = order.clientId
    this.expireS = order.expireS
    this.triggerTicks = order.triggerTicks
    this.triggerKind = order.triggerKind
    this.stp = order.stp
    this.maxFills = order.maxFills
    this.postOnlyMode = order.postOnlyMode
    this.rests = doesRest(order)
  }
}
