import { lengthOf, type Notification } from './notification.ts'

/** A notification takes some microseconds: it is a frame of its own. */
const TURN_MS = 1
/** Characters that sockets are given in a turn: the kernel copies them for each. */
const TURN_LENGTH = 512 * 1024

export interface Told {
  /** Sends the text of a result. */
  notify(result: Notification): void
}

/**
 * What notifications take of the event loop: a millisecond of each of its turns, which all who have something to tell share, one
 * after another. What is told in a turn is written when it ends.
 */
export class Turn {
  readonly #waiting: (() => void)[] = []
  #untilMs = 0
  #length = 0
  #isScheduled = false

  /** Whoever tells something asks before each piece of it, and waits for {@link next} then. */
  get isOver(): boolean {
    return this.#length >= TURN_LENGTH || performance.now() >= this.#untilMs
  }

  notify(told: Told, result: Notification): void {
    this.#length += lengthOf(result)
    told.notify(result)
  }

  /** Resolves when it is the turn of whoever waits. */
  next(): Promise<void> {
    const turn = new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#schedule()
    return turn
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => void this.#run())
  }

  async #run(): Promise<void> {
    this.#untilMs = performance.now() + TURN_MS
    this.#length = 0
    do {
      this.#waiting.shift()?.()
      // It goes on before this does, as far as it comes without waiting.
      await Promise.resolve()
    } while (this.#waiting.length > 0 && !this.isOver)
    this.#isScheduled = false
    if (this.#waiting.length > 0) this.#schedule()
  }
}
