/** What the state knows of events, and how far it is. */
import type { BridgeEvent } from '../../core/bridge-event.ts'

/** Ids above the first open one that are acknowledged: a stuck event holds up so many at most. */
export const OPEN_WINDOW = 64
/** Events between the next one to be credited and the first open one: what waits for its delay. */
export const MAX_WAITING = 16_384
/** Refused events that are remembered. */
export const MAX_REFUSED = 1_024
/** The most bytes of the words with which governance rejects. */
export const MAX_REASON_BYTES = 200

/** A hash that validators have acknowledged by an id. */
export interface Candidate {
  /** 32 bytes. */
  readonly hash: Uint8Array
  /** Addresses of their keys, in the order in which they came; never empty. */
  readonly validators: readonly Uint8Array[]
  /** Kept once more than a third of the power has acknowledged the hash. */
  readonly event: BridgeEvent | undefined
  /** More than a third of the power acknowledged it when it was counted last, and nobody has told the content. */
  readonly isWanted: boolean
}

/** The candidates in the order in which the hashes came. */
export type OpenEvent = readonly Candidate[]

export interface AcceptedEvent {
  readonly kind: 'accepted'
  readonly event: BridgeEvent
  /** Block that accepted it. */
  readonly height: number
  readonly timeNs: bigint
  /** Governance completed it: it has no delay. */
  readonly isImmediate: boolean
}

export interface RejectedEvent {
  readonly kind: 'rejected'
  readonly reason: string
}

/** An event that is settled in its turn. */
export type DecidedEvent = AcceptedEvent | RejectedEvent

/** An event that had its turn, and for which nothing was credited. */
export interface RefusedEvent {
  readonly reason: string
  /** Undefined where governance rejected it unread. */
  readonly event: BridgeEvent | undefined
}

/** The progress with the contract of the parameters; only the contradictions are of all contracts. */
export interface Progress {
  /** The next event to be credited or refused. */
  readonly nextId: number
  /** The first event that is not decided. */
  readonly openId: number
  readonly credited: number
  readonly refused: number
  /** How many of the refused ones are remembered. */
  readonly remembered: number
  /** Acknowledgements of a second hash by the same id and validator, of all contracts. */
  readonly contradictions: number
}

export const NO_PROGRESS: Progress = { nextId: 0, openId: 0, credited: 0, refused: 0, remembered: 0, contradictions: 0 }
