/** What contracts ask of the book: it runs in the next block, right after the batch. docs/clob-spec.md, Orders of contracts. */
import type { Address } from '../../../core/address.ts'

export interface QueuedAction {
  /** Who called the precompile. */
  readonly owner: Address
  readonly subaccount: number
  /** An Action in its one encoding, statically valid. */
  readonly action: Uint8Array
}

/** What an action may weigh in the queue bounds how many there are: the least weighs 1. */
export const MAX_QUEUE_WEIGHT = 5_000
export const MAX_QUEUED = MAX_QUEUE_WEIGHT
/** The most bytes of an encoded Action: a Replace by a Place with the largest values has 122. */
export const MAX_ACTION_BYTES = 128
