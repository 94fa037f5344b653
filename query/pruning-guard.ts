/**
 * A guard for a thread beside the one that commits: an answer that pruning may have touched while it was made is not
 * given.
 */
import { readBaseHeight } from '../store/base-height.ts'
import { prunedHistory } from '../app/errors.ts'
import type { ChainReader } from '../app/index/chain-reader.ts'
import type { QuestionName } from '../app/ports.ts'
import { questionOf } from './find-question.ts'
import { requireKept } from './chain-view.ts'

/** The lowest block moves at most once a block, and reading some takes less. */
const MAX_ATTEMPTS = 3

const readsBlocks = (name: QuestionName): boolean => {
  const question = questionOf(name)
  return question !== undefined && 'reads' in question && question.readsBlocks === true
}

/** Guards the answer to one question. */
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
        // Some of the blocks may have gone meanwhile: the next attempt refuses them.
        if (!readsBlocks(name) || readBaseHeight(store) === base) return text
      } catch (error) {
        for (const height of this.#heights) requireKept(this.#reader, height)
        throw error
      }
    }
    throw prunedHistory()
  }
}
