/** Executing a transaction failed in a way that no transaction may: a fault of the engine, not of the transaction. */
import { CodedError, errorText, InvariantError, isFault } from '../../core/errors.ts'
import type { BlockRun } from './run.ts'
import type { BlockTransaction, ExecutionHooks, TransactionOutcome } from './transaction.ts'

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
export const applyGuarded = async (
  run: BlockRun,
  raw: Uint8Array,
  hooks?: ExecutionHooks,
  decoded?: BlockTransaction,
): Promise<TransactionOutcome> => {
  try {
    return await run.apply(raw, hooks, decoded)
  } catch (error) {
    throw toFault(raw, error)
  }
}

const toFault = (raw: Uint8Array, error: unknown): unknown =>
  error instanceof InvariantError || (error instanceof CodedError && isFault(error))
    ? error
    : new ExecutionFault(raw, error)
