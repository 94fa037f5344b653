/** Bytes that many holders share: what one of them takes, the others cannot. */
export class ByteBudget {
  readonly #limit: number
  #held = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes that are taken. */
  get held(): number {
    return this.#held
  }

  /** False, and nothing taken, when so many bytes are not left. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.#limit) return false
    this.#held += bytes
    return true
  }

  give(bytes: number): void {
    this.#held -= bytes
  }
}
