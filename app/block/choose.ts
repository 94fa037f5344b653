/** PrepareProposal: the proposer chooses, executes what it chooses, and leaves out what turns out invalid. */
import type { CodedError } from '../../core/errors.ts'
import { MAX_BLOCK_RLP_BYTES } from '../../core/limits.ts'
import type { Chain } from '../chain.ts'
import type { Environment } from '../environment.ts'
import type { PoolEntry } from '../pool/account-queue.ts'
import type { PriorityCursor } from '../pool/order.ts'
import { buildCandidate, type Candidate } from './candidate.ts'
import type { BlockContent } from './content.ts'
import { applyGuarded } from './execution-fault.ts'
import { Pace } from './pace.ts'
import { BlockRun, type Decode } from './run.ts'

/** Room for header, list prefixes and a margin in the RLP of a block. */
const BLOCK_OVERHEAD_BYTES = 4_096

/** Bytes that a transaction takes of max_tx_bytes: its length, the field's tag and the length's varint. */
export const proposalBytes = (length: number): number => {
  let varint = 1
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 128)) varint++
  return 1 + varint + length
}

export interface ChooseOptions {
  readonly injected: Uint8Array | undefined
  readonly candidates: PriorityCursor
  readonly maxTxBytes: number
  readonly maxBlockMs: number
  readonly decode: Decode
  /** A chosen transaction turned out invalid at its place. */
  readonly onInvalid: (entry: PoolEntry, error: CodedError) => void
}

/**
 * Fills a block by priority until the gas, the bytes or the time budget are used up. The result holds the chosen
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
  const run = new BlockRun(chain, content, options.decode)
  const transactions: Uint8Array[] = []
  let bytes = 0
  await run.begin()
  if (options.injected !== undefined) {
    await run.apply(options.injected)
    transactions.push(options.injected)
    bytes += proposalBytes(options.injected.length)
  }
  const limit = Math.min(maxTxBytes, MAX_BLOCK_RLP_BYTES - BLOCK_OVERHEAD_BYTES)
  for (let entry = candidates.peek(); entry !== undefined; entry = candidates.peek()) {
    if (pace.elapsedMs > options.maxBlockMs) break
    if (pace.isYieldDue) await pace.yield()
    const { raw, transaction } = entry.signed
    // Typed transactions are byte strings in the Ethereum block: up to four bytes more than on the wire.
    const size = proposalBytes(raw.length) + 4
    if (bytes + size > limit || transaction.gasLimit > run.gasLeft) {
      candidates.skipAccount()
      continue
    }
    const outcome = await applyGuarded(run, raw)
    if (outcome.kind === 'invalid') {
      run.dropLast()
      options.onInvalid(entry, outcome.error)
      candidates.skipAccount()
      continue
    }
    transactions.push(raw)
    bytes += size
    candidates.take()
  }
  run.end()
  return buildCandidate(chain, { ...content, transactions }, run)
}
