/** ProcessProposal and FinalizeBlock: execute a given block. */
import type { CodedError } from '../../core/errors.ts'
import { MAX_BLOCK_RLP_BYTES } from '../../core/limits.ts'
import { proposalBytes } from '../../core/proposal-bytes.ts'
import { type AuthParameters, readAuthParameters } from '../../modules/auth/index.ts'
import type { Chain } from './chain.ts'
import type { Environment } from '../environment.ts'
import { appError } from '../errors.ts'
import { buildCandidate, type Candidate, sealCandidate } from './candidate.ts'
import type { BlockContent } from '../records/content.ts'
import { applyGuarded } from './execution-fault.ts'
import { Pace } from './pace.ts'
import { BlockRun } from './run.ts'
import type { Decode } from './transaction.ts'

/**
 * FinalizeBlock: executes every transaction in order. Invalid ones get a code and change nothing, for a decided block
 * is never rejected.
 */
export const executeBlock = async (
  chain: Chain,
  content: BlockContent,
  decode: Decode,
  environment: Pick<Environment, 'clock' | 'yieldToEventLoop'>,
): Promise<Candidate> => {
  const run = new BlockRun(chain, content, decode)
  const pace = new Pace(environment)
  await run.begin(content.transactions)
  for (const raw of content.transactions) {
    const applied = run.apply(raw, { pace })
    if (applied instanceof Promise) await applied
    if (pace.isYieldDue) await pace.yield()
  }
  run.end()
  return buildCandidate(chain, content, run)
}

/**
 * ProcessProposal: executes until the first transaction that is not valid at its place, and answers with its error
 * then. Throws ExecutionFault.
 */
export const executeProposal = async (
  chain: Chain,
  content: BlockContent,
  decode: Decode,
  environment: Environment,
): Promise<Candidate | CodedError> => {
  const run = new BlockRun(chain, content, decode)
  const fault = contentFault(content, run, readAuthParameters(chain.state))
  if (fault !== undefined) return fault
  await run.begin(content.transactions)
  if (run.batch?.fault !== undefined) return appError('invalidInBlock', run.batch.fault)
  const pace = new Pace(environment)
  for (const raw of content.transactions) {
    const outcome = await applyGuarded(run, raw, { pace })
    if (outcome.kind === 'invalid') return outcome.error
    if (pace.isYieldDue) await pace.yield()
  }
  run.end()
  return buildCandidate(chain, content, run)
}

/** What cannot be valid however it executes: found before a faulty proposer's block has cost anything. */
const contentFault = ({ transactions }: BlockContent, run: BlockRun, auth: AuthParameters): CodedError | undefined => {
  const { families } = run.chain
  const { block } = run.parameters
  let [gas, weight] = [0n, 0]
  for (const raw of transactions) {
    const family = families.of(raw)
    gas += family.leastGas(raw.length, auth)
    weight += family.leastWeight
  }
  if (gas > block.maxGas) {
    const needs = `${transactions.length} transactions need ${gas} gas at least`
    return appError('invalidInBlock', `${needs}, more than ${block.maxGas}`)
  }
  if (weight > run.maxWeight) {
    const needs = `${transactions.length} transactions weigh ${weight} at least`
    return appError('invalidInBlock', `${needs}, more than ${run.maxWeight}`)
  }
  let bytes = 0
  for (const transaction of transactions) bytes += proposalBytes(transaction.length)
  if (bytes > block.maxBytes) {
    return appError('invalidInBlock', `the transactions have ${bytes} bytes, more than ${block.maxBytes}`)
  }
  return undefined
}

/** Why an honest node rejects a proposal, or undefined. Depends on the block and on the state before it only. */
export const proposalFault = (candidate: Candidate): CodedError | undefined => {
  const invalid = candidate.outcomes.find((outcome) => outcome.kind === 'invalid')
  if (invalid !== undefined) return invalid.error
  if (candidate.missesInjected) {
    return appError('invalidInBlock', 'the block must begin with the vote extensions of the last commit')
  }
  const { sizeBytes } = sealCandidate(candidate, new Uint8Array(32)).record
  if (sizeBytes > MAX_BLOCK_RLP_BYTES) {
    return appError('invalidInBlock', `the Ethereum block has ${sizeBytes} bytes, more than ${MAX_BLOCK_RLP_BYTES}`)
  }
  return undefined
}
