/** PrepareProposal: the proposer chooses, executes what it chooses, and leaves out what turns out invalid. */
import { type CodedError, InvariantError } from '../../core/errors.ts'
import { MAX_BLOCK_RLP_BYTES } from '../../core/limits.ts'
import type { Chain } from '../chain.ts'
import type { Environment } from '../environment.ts'
import type { PoolEntry } from '../pool/account-queue.ts'
import type { PriorityCursor } from '../pool/order.ts'
import { buildCandidate, type Candidate } from './candidate.ts'
import type { BlockContent } from './content.ts'
import { BlockRun, type Decode, type TransactionOutcome } from './run.ts'

/** Longest time without letting input and output happen. */
const YIELD_AFTER_MS = 10
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
 * Executing a transaction failed in a way that no transaction may: a fault of the engine. The proposer leaves it out
 * and begins again, for the state of this run can no longer be trusted.
 */
export class ExecutionFault extends Error {
  override readonly name = 'ExecutionFault'
  readonly entry: PoolEntry

  constructor(entry: PoolEntry, cause: unknown) {
    super(`executing a transaction failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.entry = entry
  }
}

const applyGuarded = async (run: BlockRun, entry: PoolEntry): Promise<TransactionOutcome> => {
  try {
    return await run.apply(entry.signed.raw)
  } catch (error) {
    // A broken invariant of ours halts the node, as everywhere.
    if (error instanceof InvariantError) throw error
    throw new ExecutionFault(entry, error)
  }
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
  const startedMs = environment.clock.nowMs()
  let yieldedMs = startedMs
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
    const nowMs = environment.clock.nowMs()
    if (nowMs - startedMs > options.maxBlockMs) break
    if (nowMs - yieldedMs > YIELD_AFTER_MS) {
      await environment.yieldToEventLoop()
      yieldedMs = environment.clock.nowMs()
    }
    const { raw, transaction } = entry.signed
    // Typed transactions are byte strings in the Ethereum block: up to four bytes more than on the wire.
    const size = proposalBytes(raw.length) + 4
    if (bytes + size > limit || transaction.gasLimit > run.gasLeft) {
      candidates.skipAccount()
      continue
    }
    const outcome = await applyGuarded(run, entry)
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
