/** A transaction of the order book, decoded: what its signer asks of the book. docs/clob-spec.md, Messages. */
import type { Address } from '../../../core/address.ts'
import type { Hash } from '../../../core/hash.ts'
import type { PostOnlyMode, SelfTradePrevention, Side, TimeInForce, TriggerKind } from '../domain/order.ts'

/** The first byte of the wire form; the ClobTx follows it. */
export const CLOB_TX_BYTE = 0x70
/** The most bytes of the wire form. */
export const MAX_CLOB_TX_BYTES = 4_096
export const MAX_ACTIONS = 50
export const MAX_TX_WEIGHT = 1_000

/**
 * 0 CANCEL: only Cancel, CancelAll, ScheduleCancel. 1 POST: nothing that can take. 2 TAKER: the rest. In this order a block runs them.
 */
export const PHASES = [0, 1, 2] as const
export type Phase = (typeof PHASES)[number]

export interface Place {
  /** Number of the market, from 1. */
  readonly market: number
  readonly side: Side
  /** 1..2^32-1; of a market order the bound. */
  readonly priceTicks: number
  /** 1..2^53-1. */
  readonly qtyLots: number
  readonly tif: TimeInForce
  readonly stp: SelfTradePrevention
  /** The client's ID: at most 16 bytes; empty is none. */
  readonly clientId: Uint8Array
  /** Seconds since 1970; 0 is never. */
  readonly expireS: number
  readonly triggerTicks: number
  readonly triggerKind: TriggerKind
  /** The number as written: 0 stands for 20. */
  readonly maxFills: number
  readonly postOnlyMode: PostOnlyMode
}

export type Target =
  | { readonly kind: 'client'; readonly clientId: Uint8Array }
  | { readonly kind: 'seq'; readonly orderSeq: number }

export type Action =
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'cancel'; readonly market: number; readonly target: Target }
  /** Market 0 is all; no side is both. */
  | { readonly kind: 'cancelAll'; readonly market: number; readonly side: Side | undefined }
  /** Target and place are of one market. */
  | { readonly kind: 'replace'; readonly target: Target; readonly place: Place; readonly keepPriority: boolean }
  /** 0 clears. */
  | { readonly kind: 'scheduleCancel'; readonly atMs: number }

/** 1 is EIP-712; 2 and 3 sign cosmos' SignDoc with an Ethereum key and with a plain secp256k1 key. */
/** 0 names all markets. */
export const marketOfAction = (action: Action): number => {
  if (action.kind === 'place' || action.kind === 'replace') return action.place.market
  return action.kind === 'scheduleCancel' ? 0 : action.market
}

export type SignatureScheme = 1 | 2 | 3

export interface ClobTx {
  readonly owner: Address
  readonly subaccount: number
  /** Milliseconds since 1970. */
  readonly nonceMs: number
  readonly goodTilBlock: number
  readonly actions: readonly Action[]
  readonly sigScheme: SignatureScheme
  /** 65 bytes: r, s (low), v of 0 or 1. */
  readonly signature: Uint8Array
  readonly agent: Address | undefined
}

/** A wire form that is statically valid, with what a plan knows of it. */
export interface ClobBody {
  readonly raw: Uint8Array
  /** SHA-256 of the wire form: CometBFT's. */
  readonly hash: Hash
  readonly tx: ClobTx
  readonly phase: Phase
  readonly weight: number
}
