/** Announcements that are told one after another, in lines that do not wait for each other. */

interface Line {
  last: Promise<void>
  waiting: number
}

export class Lines {
  readonly #maxWaiting: number
  readonly #onIdle: () => void
  /** Those in which something waits. */
  readonly #lines = new Map<string, Line>()

  /** `maxWaiting` is that of a line; `onIdle` is called when nothing waits in any. */
  constructor(maxWaiting: number, onIdle: () => void = () => undefined) {
    this.#maxWaiting = maxWaiting
    this.#onIdle = onIdle
  }

  get size(): number {
    return this.#lines.size
  }

  /**
   * What is first in its line begins at once, and is done at once where it can be. False where too many wait in it already.
   * `work` handles its failures.
   */
  add(name: string, work: () => Promise<void>): boolean {
    const line = this.#lines.get(name) ?? { last: Promise.resolve(), waiting: 0 }
    if (line.waiting >= this.#maxWaiting) return false
    this.#lines.set(name, line)
    const started = line.waiting === 0 ? work() : line.last.then(work)
    line.waiting++
    line.last = started.finally(() => {
      if (--line.waiting > 0) return
      this.#lines.delete(name)
      if (this.#lines.size === 0) this.#onIdle()
    })
    return true
  }
}
