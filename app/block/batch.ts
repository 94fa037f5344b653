/**
 * The batch of a block: the transactions that the votes of the last commit oblige it to hold. They stand right behind these
 * votes, and are executed together before all others (docs/clob-spec.md).
 */
import type { Attestations } from '../../modules/attestations.ts'
import type { Event } from '../../modules/module.ts'
import type { BookDelta, ListedId, StepNews } from '../../modules/clob/index.ts'
import type { Overlay } from '../../store/overlay.ts'
import type { StateChanges } from '../../store/overlay.ts'
import type { TransactionResult } from '../ports.ts'
import type { BlockContent } from '../records/content.ts'
import type { Chain } from './chain.ts'

export interface BatchScope {
  readonly chain: Pick<Chain, 'state' | 'head' | 'families'>
  readonly content: Omit<BlockContent, 'transactions'>
  /** What the hooks at the beginning of the block left. Nothing but the batch writes to it meanwhile. */
  readonly state: Overlay
  /** Undefined in a block whose last commit carries no vote extensions, or wrong ones. */
  readonly attestations: Attestations | undefined
  emit(event: Event): void
}

/** What a batch came to. */
export interface BatchOutcome {
  /** Why no honest proposer makes such a block: its orders have changed nothing then. */
  readonly fault: string | undefined
  /** The ids that the block carries on, by its plan; undefined where the batch is not planned, or not the plan's. */
  readonly carried: readonly ListedId[] | undefined
  /** Whether the proposer stopped before the end of its list: it left out an order that others have. */
  readonly isStopped: boolean
  /** The results of all transactions of the batch, by place in the block. */
  readonly results: ReadonlyMap<number, TransactionResult>
  /** All that it wrote. */
  readonly changes: StateChanges
  /** What the book in memory does when the block is committed; undefined where there is none. */
  readonly book: BookDelta | undefined
  /** What streams tell of it once the block is committed; undefined where there is no book. */
  readonly told: StepNews | undefined
}

/** Executes the batch of a block, or knows what it came to. */
export interface BatchStep {
  /** `transactions` are those of the block, or those with which a proposer begins it. */
  run(scope: BatchScope, transactions: readonly Uint8Array[]): BatchOutcome
}
