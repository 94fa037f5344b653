/** PrepareProposal: the proposer chooses, executes what it chooses, and leaves out what turns out invalid. */
import type { Address } from '../../core/address.ts'
import type { CodedError } from '../../core/errors.ts'
import { MAX_BLOCK_RLP_BYTES, PLAIN_TRANSFER_GAS } from '../../core/limits.ts'
import { proposalBytes } from '../../core/proposal-bytes.ts'
import { isEvmError } from '../../evm/errors.ts'
import type { Chain } from './chain.ts'
import type { Environment } from '../environment.ts'
import { buildCandidate, type Candidate } from './candidate.ts'
import type { BlockContent } from '../records/content.ts'
import { applyGuarded } from './execution-fault.ts'
import { Pace } from './pace.ts'
import { BlockRun } from './run.ts'
import type { BlockTransaction, Decode, TransactionOutcome } from './transaction.ts'
import { type HeavyTransactions, WeightShares } from './weight-shares.ts'

/** Room for header, list prefixes and a margin in the RLP of a block. */
const BLOCK_OVERHEAD_BYTES = 4_096

/** What a proposer must know of a transaction to choose it. */
export interface ProposableTransaction {
  readonly raw: Uint8Array
  /** The account that pays, and whose nonce is used. */
  readonly sender: Address
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** Bytes that it adds to the RLP of the Ethereum block. */
  readonly rlpBytes: number
  /** Most that it can weigh, in nanoseconds, where that is known before it runs. */
  readonly mostWeight: number | undefined
  readonly transaction: BlockTransaction
}

/** Transactions in the order in which they should come in. */
export interface ProposalCursor<Transaction extends ProposableTransaction> {
  /** The best transaction that is left. */
  peek(): Transaction | undefined
  take(): void
  /** Leaves out the best one, and with it those that depend on it. */
  skipAccount(): void
}

export interface ChooseOptions<Transaction extends ProposableTransaction> {
  /** The vote extensions of the last commit, where the block must begin with them, and the orders that they oblige it to hold. */
  readonly leading: readonly Uint8Array[]
  readonly candidates: ProposalCursor<Transaction>
  readonly maxTxBytes: number
  /** The most time that execution may take. */
  readonly maxBlockMs: number
  readonly decode: Decode
  /** A chosen transaction turned out invalid at its place. */
  readonly onInvalid: (transaction: Transaction, error: CodedError) => void
  readonly heavy: HeavyTransactions
  /** A chosen transaction weighs more than any block has room for. */
  readonly onTooHeavy: (transaction: Transaction) => void
}

const isOverWeight = (outcome: TransactionOutcome): boolean =>
  outcome.kind === 'invalid' && isEvmError(outcome.error, 'overWeight')

/**
 * Fills a block by priority until the gas, the weight, the bytes or the time budget are used up. The result holds the chosen
 * transactions in order and is the candidate that ProcessProposal of the same content only has to seal. Throws
 * {@link ExecutionFault} with the transaction at fault.
 */
export const chooseBlock = async <Transaction extends ProposableTransaction>(
  chain: Chain,
  content: Omit<BlockContent, 'transactions'>,
  environment: Environment,
  options: ChooseOptions<Transaction>,
): Promise<Candidate> => {
  const { candidates, maxTxBytes } = options
  const run = new BlockRun(chain, content, options.decode)
  const transactions: Uint8Array[] = []
  let wireBytes = 0
  let rlpBytes = BLOCK_OVERHEAD_BYTES
  const shares = new WeightShares(options.heavy, run.maxWeight)
  await run.begin(options.leading)
  for (const raw of options.leading) {
    await run.apply(raw)
    transactions.push(raw)
    wireBytes += proposalBytes(raw.length)
  }
  // What every block must hold does not count in the time that a proposer takes to choose.
  const pace = new Pace(environment)
  for (let entry = candidates.peek(); entry !== undefined; entry = candidates.peek()) {
    if (pace.isSpent(options.maxBlockMs) || run.gasLeft < PLAIN_TRANSFER_GAS) break
    if (pace.isYieldDue) await pace.yield()
    const { raw, gasLimit } = entry
    const size = proposalBytes(raw.length)
    const fits = wireBytes + size <= maxTxBytes && rlpBytes + entry.rlpBytes <= MAX_BLOCK_RLP_BYTES
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
    const mark = pace.mark()
    const outcome = await applyGuarded(run, raw, { weightLimit, pace }, entry.transaction)
    if (isOverWeight(outcome)) {
      run.dropLast()
      const elapsedMs = pace.leaveOutSince(mark)
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
    if (outcome.ethereum !== undefined) {
      const elapsedMs = pace.workedMs - mark.workedMs
      const { gasBeforeRefund, weight } = outcome.ethereum.result
      if (shares.noteIncluded(gasBeforeRefund, weight, elapsedMs) === 'heavy') pace.leaveOutSince(mark)
    }
    transactions.push(raw)
    wireBytes += size
    rlpBytes += entry.rlpBytes
    candidates.take()
  }
  run.end()
  return buildCandidate(chain, { ...content, transactions }, run)
}
