/** What a plan works on: the ids that a block must execute, and what of them it carries on. */
import type { Phase } from '../orders/clob-tx.ts'

/** First 12 bytes of SHA-256(salt || SHA-256(wire form)), as a string of bytesToKey. */
export type IdKey = string

export interface ListedId {
  readonly id: IdKey
  readonly phase: Phase
  /** Block hash in whose votes it was attested: 32 bytes. */
  readonly salt: Uint8Array
  /** Blocks that it was carried for: 0 for an obligation of this block. */
  readonly age: number
  /** Attested by more than two thirds. */
  readonly isWidelyAttested: boolean
}

/** An id that more than a third of the power attests. */
export interface Obligation extends ListedId {
  readonly timeMs: number
}

/** What a validator attests of an order. */
export interface Attestation {
  readonly phase: Phase
  readonly id: IdKey
  /** First-seen time less time of H, in ms: -30,000..30,000. */
  readonly dtMs: number
}

/** What bounds a block's orders: as they stood in the state of H, with the number of validators of set H. */
export interface PlanLimits {
  readonly shareBytes: number
  readonly weight: number
}
