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

/** An order as the live book has it. */
export interface BookOrder extends OpenOrder {
  /** Expired, or its owner's switch has passed, or a floor names it: nothing meets it any more. */
  readonly isDead: boolean
}
