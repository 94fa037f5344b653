/** Questions that wait for a worker: bounded in number and memory, and those that take long behind all others. */
import type { QuestionName } from '../../app/ports.ts'
import { isSlowQuestion } from '../../query/questions.ts'

const MAX_WAITING = 2_000
/** Of those that take long. */
const MAX_SLOW_WAITING = 200
/** Characters, about, of what all of them ask: a single one can have 32 MB of overrides or of a raw block. */
const MAX_WAITING_SIZE = 256 * 1024 * 1024
/** What a value takes beside its text. */
const VALUE_SIZE = 16

export interface Queued {
  readonly question: { readonly name: QuestionName; readonly parameters: unknown }
}

export const isSlow = ({ question }: Queued): boolean => isSlowQuestion(question.name)

const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return VALUE_SIZE + value.length
  if (typeof value !== 'object' || value === null) return VALUE_SIZE
  let size = VALUE_SIZE
  for (const member of Object.values(value)) size += sizeOf(member)
  return size
}

export class QuestionQueue<Item extends Queued> {
  readonly #quick: Item[] = []
  readonly #slow: Item[] = []
  readonly #sizes = new Map<Item, number>()
  #size = 0

  /** False where there is no room for it. */
  push(item: Item): boolean {
    const slow = isSlow(item)
    const size = sizeOf(item.question.parameters)
    if (this.#sizes.size >= MAX_WAITING || this.#size + size > MAX_WAITING_SIZE) return false
    if (slow && this.#slow.length >= MAX_SLOW_WAITING) return false
    this.#size += size
    this.#sizes.set(item, size)
    const lane = slow ? this.#slow : this.#quick
    lane.push(item)
    return true
  }

  /** The one whose turn it is. */
  next(takesSlow: boolean): Item | undefined {
    const item = this.#quick.shift() ?? (takesSlow ? this.#slow.shift() : undefined)
    if (item === undefined) return undefined
    this.#size -= this.#sizes.get(item) ?? 0
    this.#sizes.delete(item)
    return item
  }
}
