/** Who is told what becomes of transactions and blocks: for figures and traces. It answers nothing, and nothing depends on it. */
import type { CodedError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import type { SealedBlock } from './block/candidate.ts'
import type { BlockFamily } from './block/family.ts'
import type { Origin } from './pool/family.ts'

export type PoolName = 'transactions' | 'orders'

/** Is called once, with the hash of what the pool has taken, or with the reason why it has not. */
export type ArrivalEnd = (result: Hash | CodedError) => void

export interface Witness {
  /** Something comes to a pool. */
  arrived(pool: PoolName, origin: Origin): ArrivalEnd
  /** A proposal, of this node or of another, was accepted or refused. */
  judged(isAccepted: boolean): void
  /** A block is committed, and nobody else knows yet. */
  committed(block: SealedBlock, families: { of(raw: Uint8Array): BlockFamily }): void
}
