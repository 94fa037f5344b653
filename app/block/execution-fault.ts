/** Executing a transaction failed in a way that no transaction may: a fault of the engine, not of the transaction. */
import { InvariantError } from '../../core/errors.ts'
import type { BlockRun, TransactionOutcome } from './run.ts'

/** The state of the run can no longer be trusted: a proposer begins again, a validator rejects the proposal. */
export class ExecutionFault extends Error {
  override readonly name = 'ExecutionFault'
  /** The transaction at fault. */
  readonly raw: Uint8Array

  constructor(raw: Uint8Array, cause: unknown) {
    super(`executing a transaction failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.raw = raw
  }
}

/** Throws {@link ExecutionFault}. A broken invariant of ours halts the node, as everywhere. */
export const applyGuarded = async (run: BlockRun, raw: Uint8Array): Promise<TransactionOutcome> => {
  try {
    return await run.apply(raw)
  } catch (error) {
    if (error instanceof InvariantError) throw error
    throw new ExecutionFault(raw, error)
  }
}
