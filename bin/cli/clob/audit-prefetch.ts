/** Answers are asked for ahead of their turn, a bounded number of blocks at once: the way to the node takes longer than the checks. */
import { CAPS_KEY, CARRIED_KEY, PARAMS_KEY, proposerKey } from '../../../modules/clob/index.ts'
import type { AuditNode, Block, Result, SignedHeader, Stored } from './audit-node.ts'

const AHEAD = 12

/** All that the audit of a block needs, as the node says it. */
export interface BlockAnswers {
  readonly block: Block
  readonly results: readonly Result[]
  /** The header of the next height. */
  readonly next: SignedHeader
  /** The values at the height before. */
  readonly parameters: Stored
  readonly caps: Stored
  /** The values at the height. */
  readonly carried: Stored
  readonly proposer: Stored
}

type Settled = { readonly answers: BlockAnswers } | { readonly error: unknown }

const askBlock = async (node: AuditNode, height: number): Promise<BlockAnswers> => {
  const ofBlock = async () => {
    const block = await node.block(height)
    return { block, proposer: await node.stored(proposerKey(block.header.proposer_address), height) }
  }
  const [{ block, proposer }, results, next, parameters, caps, carried] = await Promise.all([
    ofBlock(),
    node.results(height),
    node.signedHeader(height + 1),
    node.stored(PARAMS_KEY, height - 1),
    node.stored(CAPS_KEY, height - 1),
    node.stored(CARRIED_KEY, height),
  ])
  return { block, results, next, parameters, caps, carried, proposer }
}

const settle = async (asked: Promise<BlockAnswers>): Promise<Settled> => {
  try {
    return { answers: await asked }
  } catch (error) {
    return { error }
  }
}

/** Blocks `from` to `to`, in order. A refusal is thrown when its block has its turn. */
export async function* prefetch(node: AuditNode, from: number, to: number): AsyncGenerator<BlockAnswers, void> {
  const waiting: Promise<Settled>[] = []
  let asked = from
  for (let height = from; height <= to; height++) {
    for (; asked <= to && asked < height + AHEAD; asked++) waiting.push(settle(askBlock(node, asked)))
    const settled = await waiting.shift()
    if (settled === undefined) return
    if ('error' in settled) throw settled.error
    yield settled.answers
  }
}
