/** Answers about decided blocks: they never change, and clients ask for the newest ones again and again. */
import { BoundedCache } from '../store/cache.ts'

/** Characters, of one byte each; a larger answer than half of it is not kept. */
const CACHE_BYTES = 4 * 1024 * 1024
const ENTRY_BYTES = 256

interface Entry {
  /** The height of the block that the answer is about: below it the answer was another. */
  readonly height: number
  readonly text: string
}

const createEntries = (): BoundedCache<Entry> => new BoundedCache(CACHE_BYTES, ({ text }) => text.length + ENTRY_BYTES)

export class AnswerCache {
  #entries = createEntries()

  /** The answer that is kept, unless it is of a height above the head. */
  get(key: string, head: number): string | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined || entry.height > head ? undefined : entry.text
  }

  set(key: string, height: number, text: string): void {
    this.#entries.set(key, { height, text })
  }

  clear(): void {
    this.#entries = createEntries()
  }
}
