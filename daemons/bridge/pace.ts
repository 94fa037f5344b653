/** How long to wait for the next round: short after news, longer where nothing happens or nothing works. */
const SHORTEST_MS = 500
const LONGEST_MS = 12_000
const GROWTH = 1.5

export class Pace {
  #waitMs = SHORTEST_MS

  /** Milliseconds. */
  next(hasNews: boolean): number {
    this.#waitMs = hasNews ? SHORTEST_MS : Math.min(this.#waitMs * GROWTH, LONGEST_MS)
    return this.#waitMs
  }
}
