/** ProcessProposal and FinalizeBlock: execute a given block. */
import type { Chain } from '../chain.ts'
import { MAX_BLOCK_RLP_BYTES } from '../../core/limits.ts'
import { appError } from '../errors.ts'
import { buildCandidate, type Candidate, sealCandidate } from './candidate.ts'
import type { BlockContent } from './content.ts'
import { proposalBytes } from './choose.ts'
import { BlockRun, type Decode } from './run.ts'
import type { CodedError } from '../../core/errors.ts'

/** Transactions between two chances for input and output to happen. */
const YIELD_AFTER_TRANSACTIONS = 64

/**
 * Executes every transaction in order. Invalid ones get a code and change nothing: whether that rejects the block is
 * the caller's rule (ProcessProposal rejects, FinalizeBlock never does).
 */
export const executeBlock = async (
  chain: Chain,
  content: BlockContent,
  decode: Decode,
  yieldToEventLoop: () => Promise<void>,
): Promise<Candidate> => {
  const run = new BlockRun(chain, content, decode)
  await run.begin()
  for (const [index, raw] of content.transactions.entries()) {
    const applied = run.apply(raw)
    if (applied instanceof Promise) await applied
    if (index % YIELD_AFTER_TRANSACTIONS === YIELD_AFTER_TRANSACTIONS - 1) await yieldToEventLoop()
  }
  run.end()
  return buildCandidate(chain, content, run)
}

/** Why an honest node rejects a proposal, or undefined. Depends on the block and on the state before it only. */
export const proposalFault = (candidate: Candidate, maxBytes: number): CodedError | undefined => {
  const { content, outcomes } = candidate
  const invalid = outcomes.find((outcome) => outcome.kind === 'invalid')
  if (invalid !== undefined) return invalid.error
  if (candidate.missesInjected) {
    return appError('invalidInBlock', 'the block must begin with the vote extensions of the last commit')
  }
  let bytes = 0
  for (const transaction of content.transactions) bytes += proposalBytes(transaction.length)
  if (bytes > maxBytes) return appError('invalidInBlock', `the transactions have ${bytes} bytes, more than ${maxBytes}`)
  const { sizeBytes } = sealCandidate(candidate, new Uint8Array(32)).record
  if (sizeBytes > MAX_BLOCK_RLP_BYTES) {
    return appError('invalidInBlock', `the Ethereum block has ${sizeBytes} bytes, more than ${MAX_BLOCK_RLP_BYTES}`)
  }
  return undefined
}
