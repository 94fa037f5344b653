/** An order that rests in the book, as state keeps it. */
import type { Address } from '../../../core/address.ts'

export type Side = 'buy' | 'sell'
export type TimeInForce = 'gtc' | 'ioc' | 'fok' | 'post_only'
export type SelfTradePrevention = 'cancel_maker' | 'cancel_taker' | 'cancel_both' | 'decrement'
export type TriggerKind = 'none' | 'stop' | 'take_profit'
export type PostOnlyMode = 'reject' | 'slide'

/** Also one with a trigger that has not fired. */
export interface OpenOrder {
  readonly market: number
  /** order_seq: accepted Places of all markets, from 1. Time priority. */
  readonly seq: number
  readonly owner: Address
  readonly subaccount: number
  readonly side: Side
  readonly tif: TimeInForce
  readonly priceTicks: number
  /** The lots that were placed. */
  readonly lots: number
  readonly left: number
  /** The highest fee of the market when it was placed, in ppm of notional: it never pays more. A buy has locked it, too. */
  readonly lockedPpm: number
  /** Empty is none. */
  readonly clientId: Uint8Array
  readonly expireS: number
  readonly triggerTicks: number
  readonly triggerKind: TriggerKind
  readonly stp: SelfTradePrevention
  /** 1..200. */
  readonly maxFills: number
  readonly postOnlyMode: PostOnlyMode
}

/**
 * Whether what is left of an order rests. One with a trigger does until that fires, whatever its time in force. An IOC order of a uniform
 * market is in the book until that is cleared, and does not.
 */
export const doesRest = ({ tif, triggerKind }: Pick<OpenOrder, 'tif' | 'triggerKind'>): boolean =>
  tif === 'gtc' || tif === 'post_only' || triggerKind !== 'none'

/** An order as the live book has it. */
export interface BookOrder extends OpenOrder {
  /** Expired, or its owner's switch has passed, or a floor names it: nothing meets it any more. */
  readonly isDead: boolean
}
