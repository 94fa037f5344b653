/** The actions of a transaction, one by one: each changes something or has a code. */
import type { MatchingError } from './error-entries.ts'
import type { Trader } from './step-run.ts'

/** Whose action it is. */
export interface Sender {
  readonly trader: Trader
  readonly subaccount: number
  readonly nonceMs: number
  readonly goodTilBlock: number
}

export interface ActionOutcome {
  readonly error: MatchingError | undefined
  /** order_seq of the order that it placed; 0 is none. */
  readonly orderSeq: number
  readonly filledLots: number
  /** Notional of its fills. */
  readonly quote: bigint
}

export const DONE: ActionOutcome = { error: undefined, orderSeq: 0, filledLots: 0, quote: 0n }

export const failed = (error: MatchingError): ActionOutcome => ({ error, orderSeq: 0, filledLots: 0, quote: 0n })
