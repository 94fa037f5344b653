/** Answers about decided blocks: they never change, and clients ask for the newest ones again and again. */
import type { Text } from '../core/text.ts'
import { BoundedCache } from '../store/cache.ts'

/** Characters of short answers, of one byte each; a larger answer than half of it is not kept. */
const SHORT_BYTES = 4 * 1024 * 1024
/** Bytes of long ones, outside the heap: one of half of it is a block of 10,000 transactions, and more. */
const LONG_BYTES = 32 * 1024 * 1024
const ENTRY_BYTES = 256

interface Entry {
  /** The height of the block that the answer is about: below it the answer was another. */
  readonly height: number
  readonly text: Text
}

const createEntries = (capacity: number): BoundedCache<Entry> =>
  new BoundedCache(capacity, ({ text }) => text.length + ENTRY_BYTES)

export class AnswerCache {
  #short = createEntries(SHORT_BYTES)
  #long = createEntries(LONG_BYTES)

  /** The answer that is kept, unless it is of a height above the head. */
  get(key: string, head: number): Text | undefined {
    const entry = this.#short.get(key) ?? this.#long.get(key)
    return entry === undefined || entry.height > head ? undefined : entry.text
  }

  set(key: string, height: number, text: Text): void {
    const entries = typeof text === 'string' ? this.#short : this.#long
    entries.set(key, { height, text })
  }

  clear(): void {
    this.#short = createEntries(SHORT_BYTES)
    this.#long = createEntries(LONG_BYTES)
  }
}
