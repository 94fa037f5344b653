/** The CLOB step. */
export { type BatchItem, UNSIGNED } from './checks.ts'
export type { StepContext } from './deps.ts'
export { codeOf, MATCHING_ENTRIES, type MatchingError } from './error-entries.ts'
export type { BatchResult } from './results.ts'
export { type ClobRecord, marketOf, REMOVAL_REASONS, type RemovalReason } from './records.ts'
export type { RefusedTransaction, Rejection, StepNews } from './step-run.ts'
export { runClobStep, type StepOutcome, streamClobStep } from './step.ts'
export { tierOf, tradedVolume } from './volumes.ts'
