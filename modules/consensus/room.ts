/**
 * What a block must have room for. CometBFT v0.40 keeps back for header and commit what the largest signatures of any key
 * type would take, and panics where nothing is left for transactions (types/block.go, MaxDataBytes): every node would
 * stop at its next proposal.
 */
import type { ConsensusParameters } from './params.ts'

/** Left for transactions and vote extensions, whatever the parameters are. */
const LEAST_DATA_BYTES = 3 * 1_024 * 1_024
/** MaxOverheadForBlock, MaxHeaderBytes and MaxCommitOverheadBytes. */
const HEADER_BYTES = 11 + 626 + 94
/** The largest signature of a commit with its framing: ML-DSA-65, though keys are ed25519 here. */
const BYTES_PER_VALIDATOR = 3_358

/** What is wrong with the sizes where up to `validators` vote, or undefined. */
export const roomFault = (
  { block, evidence }: Pick<ConsensusParameters, 'block' | 'evidence'>,
  validators: number,
): string | undefined => {
  const least = LEAST_DATA_BYTES + evidence.maxBytes + HEADER_BYTES + BYTES_PER_VALIDATOR * validators
  if (block.maxBytes >= least) return undefined
  return `block.max_bytes must be at least ${least} with ${evidence.maxBytes} bytes of evidence and ${validators} validators, not ${block.maxBytes}`
}
