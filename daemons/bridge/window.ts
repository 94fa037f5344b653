/** How many blocks one eth_getLogs asks for: fewer when a provider limits them, and more again later. */

export const FIRST_WINDOW = 1_024
export const MOST_WINDOW = 65_536
/**
 * The window grows again, after a refusal, when so many ranges in a row were answered, for the limit may stand for
 * good.
 */
const SUCCESSES_TO_GROW = 16

export class Window {
  #blocks = FIRST_WINDOW
  #successes = 0
  #wasRefused = false

  get blocks(): number {
    return this.#blocks
  }

  /** A range of full size was answered. */
  answered(): void {
    this.#successes++
    if (this.#wasRefused && this.#successes < SUCCESSES_TO_GROW) return
    this.#successes = 0
    this.#blocks = Math.min(this.#blocks * 2, MOST_WINDOW)
  }

  /** False where it is of one block, and cannot shrink. */
  refused(asked: number): boolean {
    this.#wasRefused = true
    this.#successes = 0
    if (asked <= 1) return false
    this.#blocks = Math.max(1, Math.floor(asked / 2))
    return true
  }
}
