/**
 * Follows transactions on their way through this node, and tells of each what happened when: admission to the pool, proposal, judgement,
 * execution, commit, announcement. The calls of CometBFT give the times of a block, which all of its transactions share.
 */
import type { AbciMethod } from '../../../abci/handlers.ts'
import type { SealedBlock } from '../../../app/block/candidate.ts'
import type { TransactionOutcome } from '../../../app/block/transaction.ts'
import type { NodeWitness } from '../runtime/node-witness.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { CodedError } from '../../../core/errors.ts'

export const STEP_NAMES = ['admission', 'proposal', 'judgement', 'execution', 'commit', 'announcement'] as const
export type StepName = (typeof STEP_NAMES)[number]

/** A part of the way, in milliseconds of the clock that is given. */
export interface TracedStep {
  readonly name: StepName
  readonly fromMs: number
  readonly toMs: number
}

export interface TransactionTrace {
  /** The hash of the transaction without 0x: 32 bytes. */
  readonly hash: string
  readonly height: number
  readonly family: string
  readonly succeeded: boolean
  readonly gasUsed: number
  /** Who brought the transaction to this node; left out where it came with a block. */
  readonly origin?: string
  /** The steps in their order. Those that this node did not take are left out. */
  readonly steps: readonly TracedStep[]
}

export interface TransactionTracesOptions {
  /** One of so many transactions is followed, chosen by its hash: every node follows the same ones. */
  readonly oneIn: number
  readonly nowMs: () => number
  tell(trace: TransactionTrace): void
}

/** Admissions that are remembered: of what is in no block by then the admission is not told. */
const MAX_ADMISSIONS = 10_000
/** Transactions of one block that are told of. */
const MAX_TOLD_OF_BLOCK = 500

interface Admission {
  readonly origin: string
  readonly fromMs: number
  readonly toMs: number
}

type Span = readonly [fromMs: number, toMs: number]
type Committed = Omit<TransactionTrace, 'steps' | 'origin'>

const CALLS: Readonly<Partial<Record<AbciMethod, StepName>>> = {
  prepareProposal: 'proposal',
  processProposal: 'judgement',
  finalizeBlock: 'execution',
}

const hashOf = (outcome: TransactionOutcome): Uint8Array | undefined =>
  outcome.kind === 'applied' ? (outcome.ethereum?.signed.hash ?? outcome.storedHash()) : undefined

export class TransactionTraces implements NodeWitness {
  readonly #options: TransactionTracesOptions
  readonly #admissions = new Map<string, Admission>()
  /** The last calls for the block that comes next. */
  readonly #calls = new Map<StepName, Span>()
  #committed: readonly Committed[] = []
  #writtenMs = 0
  #announcedMs: number | undefined

  constructor(options: TransactionTracesOptions) {
    this.#options = options
  }

  arrived: NodeWitness['arrived'] = (_pool, origin) => {
    const fromMs = this.#options.nowMs()
    return (result) => {
      if (result instanceof CodedError || !this.#isFollowed(result)) return
      this.#admissions.set(bytesToUnprefixedHex(result), { origin, fromMs, toMs: this.#options.nowMs() })
      if (this.#admissions.size <= MAX_ADMISSIONS) return
      for (const [oldest] of this.#admissions) {
        this.#admissions.delete(oldest)
        break
      }
    }
  }

  judged(): void {
    // The call of CometBFT says when.
  }

  committed({ record, candidate }: SealedBlock, families: Parameters<NodeWitness['committed']>[1]): void {
    this.#writtenMs = this.#options.nowMs()
    this.#announcedMs = undefined
    const { content, outcomes, response } = candidate
    const followed: Committed[] = []
    for (const [index, outcome] of outcomes.entries()) {
      const hash = hashOf(outcome)
      if (hash === undefined || outcome.kind !== 'applied' || !this.#isFollowed(hash)) continue
      followed.push({
        hash: bytesToUnprefixedHex(hash),
        height: record.header.number,
        family: families.of(content.transactions[index] ?? new Uint8Array()).name,
        succeeded: outcome.ethereum?.receipt.succeeded ?? response.transactionResults[index]?.code === 0,
        gasUsed: Number(outcome.gasUsed),
      })
      if (followed.length === MAX_TOLD_OF_BLOCK) break
    }
    this.#committed = followed
  }

  /** The gateways are told of the head. */
  announced(): void {
    this.#announcedMs ??= this.#options.nowMs()
  }

  /** A call of CometBFT was answered. Behind Commit the traces of the block are told. */
  called(method: AbciMethod, fromMs: number, toMs: number): void {
    const name = CALLS[method]
    if (name !== undefined) this.#calls.set(name, [fromMs, toMs])
    if (method !== 'commit') return
    this.#calls.set('commit', [fromMs, this.#writtenMs])
    this.#calls.set('announcement', [this.#writtenMs, this.#announcedMs ?? toMs])
    for (const transaction of this.#committed) this.#tell(transaction)
    this.#committed = []
    this.#calls.clear()
  }

  #tell(transaction: Committed): void {
    const admission = this.#admissions.get(transaction.hash)
    this.#admissions.delete(transaction.hash)
    const steps = STEP_NAMES.flatMap((name): readonly TracedStep[] => {
      const span: Span | undefined =
        name === 'admission' ? admission && [admission.fromMs, admission.toMs] : this.#calls.get(name)
      return span === undefined ? [] : [{ name, fromMs: span[0], toMs: span[1] }]
    })
    this.#options.tell({ ...transaction, ...(admission && { origin: admission.origin }), steps })
  }

  /** Chooses by the last four bytes, for the first 16 name the trace. */
  #isFollowed(hash: Uint8Array): boolean {
    const { oneIn } = this.#options
    if (oneIn === 1) return true
    const view = new DataView(hash.buffer, hash.byteOffset, hash.byteLength)
    return view.getUint32(hash.byteLength - 4) % oneIn === 0
  }
}
