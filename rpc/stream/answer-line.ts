/**
 * Long answers that wait for room on the socket to their gateway. Many may be ready at once, where one answer is that of
 * all who ask the same: written together they would stand before every other answer, and be memory that nobody bounds.
 */

interface Waiting {
  readonly bytes: Uint8Array
  /** Sends it, unless nobody waits for it any more. */
  readonly send: () => void
}

export class AnswerLine {
  readonly #waiting = new Set<Waiting>()
  /** How many wait with the same bytes, which are in memory once. */
  readonly #sharing = new Map<Uint8Array, number>()
  #bytes = 0
  #isOldestsTurn = false

  /** The bytes of memory of those that wait. */
  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  add(bytes: Uint8Array, send: () => void): void {
    const sharing = this.#sharing.get(bytes) ?? 0
    this.#sharing.set(bytes, sharing + 1)
    if (sharing === 0) this.#bytes += bytes.length
    this.#waiting.add({ bytes, send })
  }

  /** Sends the shortest and the oldest in turns, so that what is less long passes and nothing waits for ever. */
  sendOne(): void {
    let [next] = this.#waiting
    if (!this.#isOldestsTurn) {
      for (const waiting of this.#waiting) {
        if (next !== undefined && waiting.bytes.length < next.bytes.length) next = waiting
      }
    }
    this.#isOldestsTurn = !this.#isOldestsTurn
    if (next === undefined) return
    this.#waiting.delete(next)
    const sharing = (this.#sharing.get(next.bytes) ?? 1) - 1
    if (sharing > 0) this.#sharing.set(next.bytes, sharing)
    else {
      this.#sharing.delete(next.bytes)
      this.#bytes -= next.bytes.length
    }
    next.send()
  }

  clear(): void {
    this.#waiting.clear()
    this.#sharing.clear()
    this.#bytes = 0
  }
}
