/** What the application tells of the order book: its depth, its updates by block, the orders that wait. */
import type { Hex } from '../../core/hex.ts'

/** The total of the orders at a price that can be met. */
export interface ClobLevel {
  readonly priceTicks: number
  /** Decimal. "0": the level is gone. */
  readonly lots: string
  readonly orders: number
}

/** What every message of a market carries, as of the end of a block. */
export interface ClobStamp {
  readonly height: number
  /** Milliseconds since 1970; 0 for a block before those of the ring. */
  readonly timeMs: number
  /** Sequence of the market's records. */
  readonly sequence: number
  /** 0 before the first. */
  readonly blockPriceTicks: number
  readonly bid: ClobLevel | null
  readonly ask: ClobLevel | null
}

/** The best first. */
export interface ClobDepth extends ClobStamp {
  readonly bids: readonly ClobLevel[]
  readonly asks: readonly ClobLevel[]
  /** Where the next page of all levels begins, asks behind bids; null behind the last, and where not all were asked for. */
  readonly next: { readonly side: 'buy' | 'sell'; readonly priceTicks: number } | null
}

interface ClobRecordPlace {
  readonly market: number
  readonly sequence: number
}

/** Owners are bech32; codes are those of docs/clob-spec.md; amounts are decimal. */
export type ClobRecordView = ClobRecordPlace &
  (
    | {
        readonly kind: 'placed'
        readonly orderSeq: number
        readonly owner: string
        readonly subaccount: number
        readonly side: 1 | 2
        readonly tif: 1 | 2 | 3 | 4
        readonly priceTicks: number
        readonly lots: number
        readonly clientId: Hex
        readonly triggerTicks: number
        readonly triggerKind: 0 | 1 | 2
        readonly expireS: number
      }
    | {
        readonly kind: 'fill'
        readonly makerSeq: number
        readonly takerSeq: number
        readonly priceTicks: number
        readonly lots: number
        readonly makerFee: string
        readonly makerRebate: string
        readonly takerFee: string
        readonly maker: string
        readonly taker: string
        readonly takerSide: 1 | 2
        readonly makerLotsLeft: number
        readonly takerLotsLeft: number
      }
    | {
        readonly kind: 'removed'
        readonly orderSeq: number
        readonly lots: number
        readonly reason: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11
        readonly owner: string
        readonly lotsLeft: number
      }
  )

/** What a block changed of the order book. */
export interface ClobUpdates {
  readonly height: number
  readonly timeMs: number
  /** Those in which something has changed, by number; none on the pages behind the first. */
  readonly markets: readonly {
    readonly market: number
    readonly before: Pick<ClobStamp, 'sequence'>
    readonly after: Omit<ClobStamp, 'height' | 'timeMs'>
    readonly bids: readonly ClobLevel[]
    readonly asks: readonly ClobLevel[]
    readonly died: readonly { readonly orderSeq: number; readonly owner: string }[]
  }[]
  /** Null where they were not asked for, and `rejected` and `refused` are empty then: levels are few where records are many. */
  readonly records: readonly ClobRecordView[] | null
  /** Where the next page of records and of what was rejected begins; null behind the last. */
  readonly next: number | null
  readonly rejected: readonly {
    readonly owner: string
    readonly action: number
    readonly code: number
    readonly reason: string
    /** Null where a contract queued it. */
    readonly hash: Hex | null
  }[]
  /** Transactions that failed as a whole, in the same pages. */
  readonly refused: readonly {
    readonly owner: string
    readonly hash: Hex
    readonly code: number
    readonly reason: string
    readonly subaccount: number
    readonly nonceMs: number
  }[]
}

export interface ClobOrdersPage {
  readonly height: number
  readonly timeMs: number
  readonly sequence: number
  /** An OrdersUpdate (nat.clob.v1) in base64, with `orders` and `died`. */
  readonly orders: string
  /** Height of the block whose open orders the pages list, where there are several: some blocks below that of the first page at most. */
  readonly listHeight: number
  /** The next page of the orders that were open at `listHeight`; null behind the last. */
  readonly next: { readonly list: number; readonly at: number } | null
}

/** An order that no block holds yet, or did not when this was noted. */
export interface ClobWaitingOrder {
  readonly hash: Hex
  /** Number of nat.clob.v1.OrderStage. */
  readonly stage: number
  /** Bech32. */
  readonly owner: string
  /** That its actions name; 0 is all. */
  readonly markets: readonly number[]
  /** Milliseconds since 1970. */
  readonly seenMs: number
  /** Height of the block that took it; else of the newest one. */
  readonly height: number
  /** The wire form in base64; null where its stage alone is told. */
  readonly raw: string | null
}

/** What the pool of orders holds, page by page. */
export interface ClobPool {
  readonly height: number
  readonly timeMs: number
  /** In {@link ClobNews}, of what happened since the first page was asked for. */
  readonly place: number
  readonly orders: readonly ClobWaitingOrder[]
  /** The next page; null behind the last. */
  readonly next: { readonly arrival: number; readonly below: number; readonly place: number } | null
}

/** What has happened to orders since a place. */
export interface ClobNews {
  readonly height: number
  readonly timeMs: number
  /** The next place. */
  readonly next: number
  /** There is more to ask for at once. */
  readonly isMore: boolean
  readonly orders: readonly ClobWaitingOrder[]
}
