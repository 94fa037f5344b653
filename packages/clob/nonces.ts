/** Nonces are times: the chain takes each once of a signer, and only near its own time. */

/** How far the machine's clock may be from the newest block, so that its own time is used. The chain allows 60 s. */
const MAX_DRIFT_MS = 30_000
const SECOND_MS = 1_000

export class NonceSource {
  readonly #now: () => number
  #last = 0

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /**
   * Gives a nonce above all before it, near the chain's time in milliseconds: that of the clock where the clock is
   * near, else the chain's with the clock's milliseconds, so that two programs with one key seldom choose the same.
   */
  next(chainTimeMs: number): number {
    const now = this.#now()
    const isNear = Math.abs(now - chainTimeMs) <= MAX_DRIFT_MS
    this.#last = Math.max(this.#last + 1, isNear ? now : chainTimeMs + (now % SECOND_MS))
    return this.#last
  }
}
