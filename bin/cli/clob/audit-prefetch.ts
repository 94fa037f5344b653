/** Answers are asked for ahead of their turn, a bounded number of blocks at once: the way to the node takes longer than the checks. */
import { proposerKey } from '../../../modules/clob/index.ts'
import type { AuditedBook, StepAnswers } from './audit-book.ts'
import type { Block, Result, SignedHeader, Stored } from './audit-node.ts'
import { askCaps, askSlots, type SlotAnswers, type Sources } from './audit-proven.ts'

const AHEAD = 12

/** All that the audit of a block needs, as the node says it. */
export interface BlockAnswers {
  readonly block: Block
  readonly results: readonly Result[]
  /** The header of the next height. */
  readonly next: SignedHeader
  /** Proofs of the state after the block. */
  readonly caps: Stored
  readonly slots: readonly SlotAnswers[]
  /** What the step reads of the state before the block. */
  readonly step: StepAnswers
}

type Settled = { readonly answers: BlockAnswers } | { readonly error: unknown }

const askBlock = async (sources: Sources, book: AuditedBook, height: number): Promise<BlockAnswers> => {
  const { node } = sources
  const ofBlock = async () => {
    const block = await node.block(height)
    const keys = [...book.keysOfState(), proposerKey(block.header.proposer_address)]
    const [slots, step] = await Promise.all([
      askSlots(sources, keys, height),
      book.ask(block.data.txs ?? [], height - 1),
    ])
    return { block, slots, step }
  }
  const [found, results, next, caps] = await Promise.all([
    ofBlock(),
    node.results(height),
    node.signedHeader(height + 1),
    askCaps(sources, height),
  ])
  return { ...found, results, next, caps }
}

const settle = async (asked: Promise<BlockAnswers>): Promise<Settled> => {
  try {
    return { answers: await asked }
  } catch (error) {
    return { error }
  }
}

/** Gives the answers for blocks `from` to `to`, in order. A refusal is thrown when its block has its turn. */
export async function* prefetch(
  sources: Sources,
  book: AuditedBook,
  from: number,
  to: number,
): AsyncGenerator<BlockAnswers, void> {
  const waiting: Promise<Settled>[] = []
  let asked = from
  for (let height = from; height <= to; height++) {
    for (; asked <= to && asked < height + AHEAD; asked++) waiting.push(settle(askBlock(sources, book, asked)))
    const settled = await waiting.shift()
    if (settled === undefined) return
    if ('error' in settled) throw settled.error
    yield settled.answers
  }
}
