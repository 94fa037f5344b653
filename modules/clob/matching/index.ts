/** The CLOB step. */
export type { BatchItem } from './checks.ts'
export type { StepContext } from './deps.ts'
export { MATCHING_ENTRIES } from './error-entries.ts'
export type { BatchResult } from './results.ts'
export { runClobStep, type StepOutcome, streamClobStep } from './step.ts'
