import type { MemoryShare } from '../memory-budget.ts'

/** Bytes of one kind that many share, and of each what its connection has of the memory of a gateway. */
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
  take(bytes: number, share?: MemoryShare): boolean {
    if (this.#held + bytes > this.#limit || share?.hold(bytes) === false) return false
    this.#held += bytes
    return true
  }

  give(bytes: number, share?: MemoryShare): void {
    this.#held -= bytes
    share?.give(bytes)
  }
}
