/**
 * Large questions, of which few are on their way at once: what is short would wait behind all of their bytes, and the
 * application reads each of them at a stretch. Those that wait have turns by clients and connections.
 */
import type { Asker } from '../../app/ports.ts'
import { FairLine } from '../fair-line.ts'

/** Bytes of a question that is large. No transaction is: one that was sent arrives, also when its client goes at once. */
export const LARGE_QUESTION_BYTES = 512 * 1024
/** The most bytes that are on their way at once; one question may be larger. */
const MAX_UNDERWAY_BYTES = 8 * 1024 * 1024

interface Waiting {
  readonly id: number
  readonly bytes: number
  send(): void
}

export class LargeQuestions {
  readonly #underway = new Map<number, number>()
  /** Who asked each of those that wait. */
  readonly #askers = new Map<number, Asker>()
  readonly #line = new FairLine<Waiting>()
  #underwayBytes = 0

  /** How many wait to be sent. */
  get waiting(): number {
    return this.#askers.size
  }

  /** Sends it now or when it is its turn. */
  add(asker: Asker, waiting: Waiting): void {
    this.#line.add(asker, waiting)
    this.#askers.set(waiting.id, asker)
    this.#sendSome()
  }

  /** It is answered, or nobody waits for it. False where it was never sent. */
  end(id: number): boolean {
    const asker = this.#askers.get(id)
    if (asker !== undefined) {
      this.#askers.delete(id)
      this.#line.remove(asker, (one) => one.id === id)
      return false
    }
    const bytes = this.#underway.get(id)
    if (bytes === undefined) return true
    this.#underway.delete(id)
    this.#underwayBytes -= bytes
    this.#sendSome()
    return true
  }

  clear(): void {
    this.#underway.clear()
    this.#askers.clear()
    this.#line.clear()
    this.#underwayBytes = 0
  }

  #sendSome(): void {
    for (let next = this.#line.peek(); next !== undefined; next = this.#line.peek()) {
      if (this.#underway.size > 0 && this.#underwayBytes + next.bytes > MAX_UNDERWAY_BYTES) return
      this.#line.take()
      this.#askers.delete(next.id)
      this.#underwayBytes += next.bytes
      this.#underway.set(next.id, next.bytes)
      next.send()
    }
  }
}
