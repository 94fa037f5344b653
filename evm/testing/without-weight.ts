/** The reference does not count all that a transaction weighs: its outcomes are compared without that. */
import type { ExecutionOutcome } from '../engine.ts'

export const withoutWeight = (outcome: ExecutionOutcome): ExecutionOutcome =>
  outcome.valid ? { ...outcome, result: { ...outcome.result, weight: 0 } } : outcome
