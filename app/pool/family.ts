/** How a transaction of a family enters the pool. */
import type { SignatureTask } from '../../core/signature.ts'
import type { TransactionLimits } from '../../evm/transaction/validity.ts'
import type { StateReader } from '../../store/state.ts'
import type { BlockFamily } from '../block/family.ts'
import type { ApplicationSettings } from '../settings.ts'
import type { PoolEntry } from './entry.ts'
import type { Pool } from './pool.ts'

/**
 * Who brings it: a wallet through eth_sendRawTransaction, a native client's broadcast, CometBFT's mempool, or the journal of
 * the last run, whose pool held it.
 */
export type Origin = 'wallet' | 'client' | 'network' | 'journal'

/** What admission depends on: all of it as of the committed head. */
export interface AdmissionContext {
  readonly pool: Pool
  readonly state: StateReader
  readonly settings: ApplicationSettings
  readonly limits: TransactionLimits
  /** CometBFT's chain id. */
  readonly nativeChainId: string
  /** Height of the next block. */
  readonly height: number
  /** The base fee of the next block, in anat. */
  readonly baseFeePerGas: bigint
  readonly nowMs: number
  readonly arrival: number
}

/** A transaction that is decoded, and checked as far as that needs no sender. */
export interface ExaminedTransaction {
  /** What of its signature another thread may check; undefined where it is checked with the rest. */
  signatureTask(): SignatureTask | undefined
  /**
   * Checks with the sender's account, and inserts. `answer` is that of the task: without one, or where the signature does
   * not hold, it is looked at here. The head may have moved on, and the same transaction may have come twice. Throws a
   * CodedError, whose text is what the sender sees. Never executes code.
   */
  enter(answer: Uint8Array | undefined, context: AdmissionContext): PoolEntry
}

export interface PoolFamily extends BlockFamily {
  /** The first half of an admission. Throws a CodedError. */
  examine(raw: Uint8Array, origin: Origin, context: AdmissionContext): ExaminedTransaction
}
