/** How much of something a connection or a client may do at once, and how much of it is forgiven in a second. */

export interface BucketBounds {
  readonly atOnce: number
  readonly perSecond: number
}

export class LeakyBucket {
  readonly #bounds: BucketBounds
  #level = 0
  #leakedMs = performance.now()

  constructor(bounds: BucketBounds) {
    this.#bounds = bounds
  }

  /** False where it is too much. Above the bound it does not rise: what is forgiven in a second may be done in each. */
  add(amount: number): boolean {
    this.#leak()
    const { atOnce } = this.#bounds
    const level = this.#level + amount
    this.#level = Math.min(level, atOnce)
    return level <= atOnce
  }

  /** Forgives so much more than the time does: something was done in return. */
  forgive(amount: number): void {
    this.#level = Math.max(0, this.#level - amount)
  }

  #leak(): void {
    const nowMs = performance.now()
    this.forgive(((nowMs - this.#leakedMs) / 1_000) * this.#bounds.perSecond)
    this.#leakedMs = nowMs
  }
}
