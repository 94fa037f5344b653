/** For a thread beside the one that commits: an answer that pruning may have touched while it was made is not given. */
import { readBaseHeight } from '../../store/base-height.ts'
import { prunedHistory } from '../errors.ts'
import type { ChainReader } from '../index/chain-reader.ts'
import type { QuestionName } from '../ports.ts'
import { requireKept } from './view.ts'

/** Questions about whole blocks. `logs` and `logsPage` look after themselves: their range says what must not have been pruned. */
const ABOUT_BLOCKS: ReadonlySet<QuestionName> = new Set([
  'block',
  'blockReceipts',
  'blockTransactionCount',
  'transactionByIndex',
  'feeHistory',
  'rawBlock',
  'rawReceipts',
  'heads',
])
/** The lowest block moves at most once a block, and reading some takes less. */
const MAX_ATTEMPTS = 3

/** Of one question. */
export class PruningGuard {
  readonly #reader: ChainReader
  readonly #heights = new Set<number>()

  constructor(reader: ChainReader) {
    this.#reader = reader
  }

  /** The height, whose state will be read. Throws query/8 or query/9 when it is not kept. */
  kept(height: number): number {
    requireKept(this.#reader, height)
    this.#heights.add(height)
    return height
  }

  /** Answers; throws query/8 or query/9 when what was read is kept no longer, whatever came of it. */
  async run(name: QuestionName, answer: () => Promise<string>): Promise<string> {
    const { store } = this.#reader
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const base = readBaseHeight(store)
      try {
        const text = await answer()
        for (const height of this.#heights) requireKept(this.#reader, height)
        // Of the blocks some may have gone meanwhile: the next attempt refuses them.
        if (!ABOUT_BLOCKS.has(name) || readBaseHeight(store) === base) return text
      } catch (error) {
        for (const height of this.#heights) requireKept(this.#reader, height)
        throw error
      }
    }
    throw prunedHistory()
  }
}
