/** PrepareProposal: the proposer chooses, executes what it chooses, and leaves out what turns out invalid. */
import type { CodedError } from '../../core/errors.ts'
import { MAX_BLOCK_RLP_BYTES, PLAIN_TRANSFER_GAS } from '../../core/limits.ts'
import { proposalBytes } from '../../core/proposal-bytes.ts'
import { isEvmError } from '../../evm/errors.ts'
import type { Chain } from '../chain.ts'
import type { Environment } from '../environment.ts'
import type { PoolEntry } from '../pool/account-queue.ts'
import type { PriorityCursor } from '../pool/order.ts'
import { buildCandidate, type Candidate } from './candidate.ts'
import type { BlockContent } from './content.ts'
import { applyGuarded } from './execution-fault.ts'
import { Pace } from './pace.ts'
import { BlockRun, type Decode, type TransactionOutcome } from './run.ts'
import { type HeavyTransactions, WeightShares } from './weight-shares.ts'

/** Room for header, list prefixes and a margin in the RLP of a block. */
const BLOCK_OVERHEAD_BYTES = 4_096

/** Typed transactions are byte strings in the Ethereum block: up to this many bytes before each. */
const RLP_PREFIX_BYTES = 4

export interface ChooseOptions {
  readonly injected: Uint8Array | undefined
  readonly candidates: PriorityCursor
  readonly maxTxBytes: number
  /** Of execution. */
  readonly maxBlockMs: number
  readonly decode: Decode
  /** A chosen transaction turned out invalid at its place. */
  readonly onInvalid: (entry: PoolEntry, error: CodedError) => void
  readonly heavy: HeavyTransactions
  /** A chosen transaction weighs more than any block has room for. */
  readonly onTooHeavy: (entry: PoolEntry) => void
}

const isOverWeight = (outcome: TransactionOutcome): boolean =>
  outcome.kind === 'invalid' && isEvmError(outcome.error, 'overWeight')

/**
 * Fills a block by priority until the gas, the weight, the bytes or the time budget are used up. The result holds the chosen
 * transactions in order and is the candidate that ProcessProposal of the same content only has to seal. Throws
 * {@link ExecutionFault} with the transaction at fault.
 */
export const chooseBlock = async (
  chain: Chain,
  content: Omit<BlockContent, 'transactions'>,
  environment: Environment,
  options: ChooseOptions,
): Promise<Candidate> => {
  const { candidates, maxTxBytes } = options
  const pace = new Pace(environment)
  /** What is applied now: the pool has it decoded, and need not be asked by its hash. */
  let applied: PoolEntry | undefined
  const run = new BlockRun(chain, content, {
    ethereum: (raw) => (applied?.kind === 'ethereum' ? applied.signed : options.decode.ethereum(raw)),
    native: (raw) => (applied?.kind === 'native' ? applied.prepared : options.decode.native(raw)),
  })
  const transactions: Uint8Array[] = []
  let wireBytes = 0
  let rlpBytes = BLOCK_OVERHEAD_BYTES
  const shares = new WeightShares(options.heavy, run.maxWeight)
  await run.begin()
  if (options.injected !== undefined) {
    await run.apply(options.injected)
    transactions.push(options.injected)
    wireBytes += proposalBytes(options.injected.length)
  }
  for (let entry = candidates.peek(); entry !== undefined; entry = candidates.peek()) {
    if (pace.isSpent(options.maxBlockMs) || run.gasLeft < PLAIN_TRANSFER_GAS) break
    if (pace.isYieldDue) await pace.yield()
    const { raw, gasLimit } = entry
    const size = proposalBytes(raw.length)
    const rlpSize = entry.kind === 'ethereum' ? raw.length + RLP_PREFIX_BYTES : 0
    const fits = wireBytes + size <= maxTxBytes && rlpBytes + rlpSize <= MAX_BLOCK_RLP_BYTES
    if (!fits || gasLimit > run.gasLeft) {
      candidates.skipAccount()
      continue
    }
    if (options.heavy.fitsNoBlock(entry)) {
      options.onTooHeavy(entry)
      candidates.skipAccount()
      continue
    }
    const weightLimit = shares.limitOf(entry, run.weightLeft)
    if (weightLimit === undefined) {
      candidates.skipAccount()
      continue
    }
    applied = entry
    const fromMs = pace.nowMs
    const outcome = await applyGuarded(run, raw, { weightLimit })
    if (isOverWeight(outcome)) {
      run.dropLast()
      const elapsedMs = pace.nowMs - fromMs
      pace.leaveOut(elapsedMs)
      if (shares.noteStopped(entry, weightLimit, elapsedMs)) options.onTooHeavy(entry)
      candidates.skipAccount()
      continue
    }
    if (outcome.kind === 'invalid') {
      run.dropLast()
      options.onInvalid(entry, outcome.error)
      candidates.skipAccount()
      continue
    }
    if (outcome.kind === 'ethereum') {
      const elapsedMs = pace.nowMs - fromMs
      const { gasBeforeRefund, weight } = outcome.result
      if (shares.noteIncluded(gasBeforeRefund, weight, elapsedMs) === 'heavy') pace.leaveOut(elapsedMs)
    }
    transactions.push(raw)
    wireBytes += size
    rlpBytes += rlpSize
    candidates.take()
  }
  run.end()
  return buildCandidate(chain, { ...content, transactions }, run)
}
