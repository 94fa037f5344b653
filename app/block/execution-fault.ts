/** Executing a transaction failed in a way that no transaction may: a fault of the engine, not of the transaction. */
import { CodedError, errorText, InvariantError, isFault } from '../../core/errors.ts'
import type { BlockRun, TransactionOutcome } from './run.ts'
import { SlowTransaction, watchPrecompiles } from './slow-transaction.ts'
import type { Clock } from '../environment.ts'

/** The state of the run can no longer be trusted: a proposer begins again, a validator rejects the proposal. */
export class ExecutionFault extends Error {
  override readonly name = 'ExecutionFault'
  /** The transaction at fault. */
  readonly raw: Uint8Array

  constructor(raw: Uint8Array, cause: unknown) {
    super(`executing a transaction failed: ${errorText(cause)}`, { cause })
    this.raw = raw
  }
}

/** Throws {@link ExecutionFault}. A broken invariant of ours or a broken database halts the node, as everywhere. */
export const applyGuarded = async (run: BlockRun, raw: Uint8Array): Promise<TransactionOutcome> => {
  try {
    return await run.apply(raw)
  } catch (error) {
    throw toFault(raw, error)
  }
}

/** As {@link applyGuarded}, for a proposer: gives {@link SlowTransaction} back for one that it should leave out. */
export const applyWatched = async (
  run: BlockRun,
  raw: Uint8Array,
  clock: Clock,
): Promise<TransactionOutcome | SlowTransaction> => {
  try {
    return await run.apply(raw, { onPrecompile: watchPrecompiles(clock) })
  } catch (error) {
    if (error instanceof SlowTransaction) return error
    throw toFault(raw, error)
  }
}

const toFault = (raw: Uint8Array, error: unknown): unknown =>
  error instanceof InvariantError || (error instanceof CodedError && isFault(error))
    ? error
    : new ExecutionFault(raw, error)
