/**
 * The rounds of one height: proposals that this node makes, judges and sees decided. Each content is executed once,
 * whoever asks first.
 */
import { CodedError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import type { Chain } from './chain.ts'
import type { Environment } from '../environment.ts'
import { appError } from '../errors.ts'
import type { ProposedBlock } from '../ports.ts'
import type { Candidate, SealedBlock } from './candidate.ts'
import { chooseBlock, type ProposableTransaction, type ProposalCursor } from './choose.ts'
import type { BlockContent } from '../records/content.ts'
import { executeBlock, executeProposal, proposalFault } from './execute.ts'
import { ExecutionFault } from './execution-fault.ts'
import { Proposals } from './proposals.ts'
import type { Decode } from './transaction.ts'
import { HeavyTransactions, type WeightRank } from './weight-shares.ts'

/** The pool, as a proposer sees it. */
export interface ProposalPool<Transaction extends ProposableTransaction> {
  readonly decode: Decode
  /** What can execute, best first. */
  candidates(baseFeePerGas: bigint, rank: WeightRank): ProposalCursor<Transaction>
  /** A chosen transaction turned out invalid at its place. */
  dropInvalid(transaction: Transaction, error: CodedError): void
  /** It weighs more than any block has room for. */
  dropTooHeavy(transaction: Transaction): void
  /** The engine failed at it, in a proposal of this node or of another. */
  dropFaulty(raw: Uint8Array): void
}

export interface RoundsOptions<Transaction extends ProposableTransaction> {
  readonly mempool: ProposalPool<Transaction>
  readonly environment: Environment
  /** A proposer stops choosing after this long. */
  readonly maxBlockMs: number
}

export interface ProposalRequest {
  readonly content: Omit<BlockContent, 'transactions'>
  /** What the block must begin with: the list of vote extensions, and the orders that they oblige it to hold. */
  readonly leading: readonly Uint8Array[]
  readonly maxTxBytes: number
  readonly baseFeePerGas: bigint
}

/** Everything of a proposal but CometBFT's hash. */
const contentOf = ({ hash: _, ...content }: ProposedBlock): BlockContent => content

export class Rounds<Transaction extends ProposableTransaction> {
  readonly #options: RoundsOptions<Transaction>
  readonly #proposals = new Proposals()
  readonly #heavy = new HeavyTransactions()

  constructor(options: RoundsOptions<Transaction>) {
    this.#options = options
  }

  /**
   * PrepareProposal: what this node would put into the block. Begins again without a transaction that the engine cannot
   * execute: each time the pool is one shorter.
   */
  async propose(chain: Chain, request: ProposalRequest): Promise<Candidate> {
    const { mempool, environment, maxBlockMs } = this.#options
    const { content, leading, maxTxBytes, baseFeePerGas } = request
    const rank = this.#heavy.beginProposal(baseFeePerGas)
    for (;;) {
      try {
        const candidate = await chooseBlock(chain, content, environment, {
          leading,
          candidates: mempool.candidates(baseFeePerGas, rank),
          maxTxBytes,
          maxBlockMs,
          decode: mempool.decode,
          onInvalid: (entry, error) => mempool.dropInvalid(entry, error),
          heavy: this.#heavy,
          onTooHeavy: (entry) => mempool.dropTooHeavy(entry),
        })
        this.#proposals.keep(candidate)
        return candidate
      } catch (error) {
        if (!(error instanceof ExecutionFault)) throw error
        this.#noteFault(chain, error)
      }
    }
  }

  /** ProcessProposal: why the block is rejected; undefined accepts it, and keeps it under its hash. */
  async judge(chain: Chain, block: ProposedBlock): Promise<CodedError | undefined> {
    const candidate = this.#proposals.find(block) ?? (await this.#executeProposal(chain, block))
    if (candidate instanceof CodedError) return candidate
    const fault = proposalFault(candidate)
    if (fault === undefined) this.#proposals.seal(candidate, block.hash)
    return fault
  }

  /** FinalizeBlock: executes what no round has executed. */
  async decide(chain: Chain, block: ProposedBlock, onExecuted: () => void): Promise<SealedBlock> {
    const sealed = this.#proposals.findSealed(block.hash)
    const candidate = sealed?.candidate ?? this.#proposals.find(block) ?? (await this.#executeDecided(chain, block))
    onExecuted()
    return sealed ?? this.#proposals.seal(candidate, block.hash)
  }

  /**
   * What this node has made of a block that it has accepted; undefined for a block that it has not processed, or
   * forgotten.
   */
  accepted(hash: Hash): Candidate | undefined {
    return this.#proposals.findSealed(hash)?.candidate
  }

  /** The height is over. */
  clear(): void {
    this.#proposals.clear()
  }

  /** The error is that of the first transaction at fault, or a fault of the engine: both reject the proposal. */
  async #executeProposal(chain: Chain, block: ProposedBlock): Promise<Candidate | CodedError> {
    const { mempool, environment } = this.#options
    try {
      const candidate = await executeProposal(chain, contentOf(block), mempool.decode, environment)
      if (!(candidate instanceof CodedError)) this.#proposals.keep(candidate)
      return candidate
    } catch (error) {
      if (!(error instanceof ExecutionFault)) throw error
      this.#noteFault(chain, error)
      return appError('invalidInBlock', error.message)
    }
  }

  async #executeDecided(chain: Chain, block: ProposedBlock): Promise<Candidate> {
    const { mempool, environment } = this.#options
    const candidate = await executeBlock(chain, contentOf(block), mempool.decode, environment)
    this.#proposals.keep(candidate)
    return candidate
  }

  /** The pool does not hold the transaction after it. */
  #noteFault(chain: Chain, { message, raw }: ExecutionFault): void {
    const { mempool, environment } = this.#options
    mempool.dropFaulty(raw)
    environment.log.error(message, { hash: bytesToHex(chain.families.hash(raw)), raw: bytesToHex(raw) })
  }
}
