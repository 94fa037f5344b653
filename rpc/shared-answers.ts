/**
 * Long answers that are the same for everybody and for ever: those about a decided block. Each who asks has its own place
 * at the application, and the first answer that comes is that of all who wait for it; some are kept for who comes later.
 */
import { LONG_TEXT, type Text } from '../core/text.ts'
import type { Asker } from '../app/ports.ts'

/** The bytes of those that are kept. */
const KEPT_BYTES = 32 * 1024 * 1024

interface Waiting<Answer> {
  resolve(answer: Answer): void
}

export class SharedAnswers<Answer extends Text> {
  readonly #waiting = new Map<string, Set<Waiting<Answer>>>()
  /** In the order in which they came. */
  #kept = new Map<string, Answer>()
  #keptBytes = 0

  /** `ask` is given an asker who also leaves when the answer came to another one. */
  async answer(key: string, asker: Asker, ask: (asker: Asker) => Answer | Promise<Answer>): Promise<Answer> {
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const leaving: (() => void)[] = []
    const shared = Promise.withResolvers<Answer>()
    const waiting = { resolve: shared.resolve }
    const all = this.#join(key, waiting)
    const askOwn = async (): Promise<Answer> => {
      const answer = await ask(leavingWith(asker, leaving))
      // A short one may be that there is no such block, which is right for the head of this question alone.
      if (answer.length >= LONG_TEXT) {
        this.#keep(key, answer)
        for (const other of all) other.resolve(answer)
      }
      return answer
    }
    try {
      return await Promise.race([askOwn(), shared.promise])
    } finally {
      this.#leave(key, waiting)
      for (const leave of leaving) leave()
    }
  }

  /** What was a block may be another one now: the application was away. */
  forget(): void {
    this.#kept = new Map()
    this.#keptBytes = 0
  }

  #join(key: string, waiting: Waiting<Answer>): ReadonlySet<Waiting<Answer>> {
    const all = this.#waiting.get(key) ?? new Set()
    this.#waiting.set(key, all.add(waiting))
    return all
  }

  #leave(key: string, waiting: Waiting<Answer>): void {
    const all = this.#waiting.get(key)
    all?.delete(waiting)
    if (all?.size === 0) this.#waiting.delete(key)
  }

  #keep(key: string, answer: Answer): void {
    if (answer.length > KEPT_BYTES || this.#kept.has(key)) return
    this.#kept.set(key, answer)
    this.#keptBytes += answer.length
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES) return
      this.#kept.delete(oldest)
      this.#keptBytes -= length
    }
  }
}

/** The same one, who also leaves when what is added to `leaving` is called. */
const leavingWith = ({ client, connection, onGone }: Asker, leaving: (() => void)[]): Asker => ({
  client,
  connection,
  onGone: (listener) => {
    let isOver = false
    const leave = (): void => {
      if (isOver) return
      isOver = true
      listener()
    }
    const stop = onGone(leave)
    leaving.push(leave)
    return () => {
      isOver = true
      stop()
    }
  },
})
