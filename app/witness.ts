/** Who is told what comes to the pools and what becomes of proposals: for figures and traces. Nothing depends on the answers. */
import type { CodedError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'

export type PoolName = 'transactions' | 'orders'

/** Is called once, with the hash of what the pool has taken, or with the reason why it has not. */
export type ArrivalEnd = (result: Hash | CodedError) => void

export interface Witness {
  /** Something comes to a pool; `origin` is who brings it (pool/family.ts). */
  arrived(pool: PoolName, origin: string): ArrivalEnd
  /** A proposal, of this node or of another, was accepted or refused. */
  judged(isAccepted: boolean): void
}
