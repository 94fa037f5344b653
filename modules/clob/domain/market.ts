/** A market as governance made it, and its record: what the last block left. */
import type { Hash } from '../../../core/hash.ts'

export type MarketStatus = 'active' | 'post_only' | 'cancel_only' | 'halted'
export type MarketMode = 'continuous' | 'uniform'

/** What an owner pays who traded at least `volume` in the quote denomination on the 30 UTC days before. */
export interface FeeTier {
  /** The volume in the smallest unit of the quote denomination. */
  readonly volume: bigint
  /** Ppm of notional; a negative one is a rebate. */
  readonly makerPpm: number
  readonly takerPpm: number
}

export interface Market {
  /** Number of the market, from 1. */
  readonly id: number
  readonly baseDenom: string
  readonly quoteDenom: string
  /** Smallest units of base in a lot. Fixed for ever. */
  readonly lotSize: bigint
  /** Smallest units of quote that one tick a lot is worth: notional = ticks x lots x factor. Fixed for ever. */
  readonly factor: bigint
  /** The fees by volume, ascending; the first has volume 0. */
  readonly fees: readonly FeeTier[]
  /** The least notional, in quote. */
  readonly minNotional: bigint
  /** How far beyond the block price a Place that can take may go, in ppm of it; 0 is no band. */
  readonly bandPpm: number
  /** The most open orders of an account, within that of the parameters. */
  readonly maxOpenOrders: number
  /** Notional of a block's fills from which on they change the block price. */
  readonly triggerNotional: bigint
  /** The least equity, in quote. */
  readonly minEquity: bigint
  readonly status: MarketStatus
  readonly mode: MarketMode
}

/** Most orders of a side of a market that are not dead. Both sides have their own, so that one cannot be filled to close the other. */
export const MAX_SIDE_ORDERS = 100_000
/** Most open orders of all markets together, dead ones too: each takes half a kilobyte of memory on every node, and is read when a node starts. */
export const MAX_OPEN_ORDERS = 500_000

export interface MarketRecord {
  /** Sequence of the market's records: one for each placed, fill and removed. */
  readonly sequence: number
  /** 0 before the first. */
  readonly blockPriceTicks: number
  /** Sum of block price x milliseconds until `sinceMs`. */
  readonly priceMs: bigint
  readonly sinceMs: number
  /** 0 where the side is empty. Orders with a trigger are in no level. */
  readonly bestBidTicks: number
  readonly bestAskTicks: number
  readonly openOrders: number
  readonly bookRoot: Hash
}
