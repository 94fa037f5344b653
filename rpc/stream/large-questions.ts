/**
 * Large questions, of which few are on their way at once: what is short would wait behind all of their bytes, and the
 * application reads each of them at a stretch. Those that wait have turns by their connections.
 */
import type { Asker } from '../../app/ports.ts'

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
  readonly #waiting = new Map<string, Waiting[]>()
  #underwayBytes = 0
  /** The bytes of the questions that wait. */
  waitingBytes = 0

  /** Sends it now or when it is its turn. */
  add({ client, connection }: Asker, waiting: Waiting): void {
    const key = `${client} ${connection}`
    const before = this.#waiting.get(key)
    if (before === undefined) this.#waiting.set(key, [waiting])
    else before.push(waiting)
    this.waitingBytes += waiting.bytes
    this.#sendSome()
  }

  /** It is answered, or nobody waits for it. False where it was never sent. */
  end(id: number): boolean {
    const bytes = this.#underway.get(id)
    if (bytes !== undefined) {
      this.#underway.delete(id)
      this.#underwayBytes -= bytes
      this.#sendSome()
      return true
    }
    for (const [key, line] of this.#waiting) {
      const index = line.findIndex((one) => one.id === id)
      if (index < 0) continue
      this.waitingBytes -= line.splice(index, 1)[0]?.bytes ?? 0
      if (line.length === 0) this.#waiting.delete(key)
      return false
    }
    return true
  }

  clear(): void {
    this.#underway.clear()
    this.#waiting.clear()
    this.#underwayBytes = 0
    this.waitingBytes = 0
  }

  #sendSome(): void {
    for (const [key, line] of this.#waiting) {
      const next = line[0]
      if (next === undefined) continue
      if (this.#underway.size > 0 && this.#underwayBytes + next.bytes > MAX_UNDERWAY_BYTES) return
      line.shift()
      // Its connection has its next turn behind all others.
      this.#waiting.delete(key)
      if (line.length > 0) this.#waiting.set(key, line)
      this.waitingBytes -= next.bytes
      this.#underwayBytes += next.bytes
      this.#underway.set(next.id, next.bytes)
      next.send()
    }
  }
}
