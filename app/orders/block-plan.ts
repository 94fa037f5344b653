/** What a block on top of a chain must hold of the order book: one plan for who proposes, judges, decides and votes. */
import type { Attestations } from '../../modules/attestations.ts'
import { type PlanInput, readCarried, readParameters } from '../../modules/clob/index.ts'
import { extensionCapBytes } from '../attestations/cap.ts'
import type { VotedChain } from '../attestations/chain.ts'
import type { BlockContent } from '../records/content.ts'

const NANOSECONDS_PER_MILLISECOND = 1_000_000n

/** Whole milliseconds, rounded down. */
export const toMilliseconds = (timeNs: bigint): number => Number(timeNs / NANOSECONDS_PER_MILLISECOND)

/** `attestations` are those of the block's first transaction; undefined where it has none. */
export const planInputOf = (
  { state, head }: Pick<VotedChain, 'state' | 'head'>,
  { height, lastCommit }: Pick<BlockContent, 'height' | 'lastCommit'>,
  attestations: Attestations | undefined,
  readBody: PlanInput['readBody'],
): PlanInput => ({
  attestations,
  // Nothing is carried past a block without votes.
  carried: attestations === undefined ? [] : readCarried(state),
  timeOfHMs: toMilliseconds(head.record.timeNs),
  salt: head.record.header.extraData,
  parameters: readParameters(state),
  capBytes: attestations === undefined ? 0 : extensionCapBytes(state, height - 1),
  validators: lastCommit.length,
  readBody,
})
