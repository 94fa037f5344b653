/** What state keeps of an owner beside orders. */
import type { Address } from '../../../core/address.ts'
import type { Side } from './order.ts'

/** Orders of the owner below `nextSeq` that it names are dead. */
export interface Floor {
  /** Undefined names all labels: the floor of a switch that has passed. */
  readonly subaccount: number | undefined
  /** 0 is all. */
  readonly market: number
  readonly side: Side | undefined
  readonly nextSeq: number
}

export interface ClobAccount {
  readonly openOrders: number
  /** Dead man's switch, in milliseconds since 1970; 0 is none. */
  readonly switchMs: number
  readonly floors: readonly Floor[]
}

export const MAX_FLOORS = 16

export interface Agent {
  readonly name: string
  readonly expireS: number
  /** Empty is all. */
  readonly markets: readonly number[]
}

export const MAX_AGENTS = 16

/** A cancel refuses Places on their way: those with a smaller nonce, until `goodTilBlock`. */
export interface Mark {
  readonly owner: Address
  readonly subaccount: number
  readonly market: number
  readonly side: Side | undefined
  /** Empty in the mark of a CancelAll. */
  readonly clientId: Uint8Array
  readonly nonceMs: number
  readonly goodTilBlock: number
}

/** Blocks that nonces and marks are kept, the running one too. */
export const KEPT_BLOCKS = 41
