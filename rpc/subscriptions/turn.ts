import { setImmediate as nextTurn } from 'node:timers/promises'
import { lengthOf, type Notification } from './notification.ts'

/** A notification takes some microseconds: it is a frame of its own. */
const TURN_MS = 1
/** Characters that sockets are given in a turn: the kernel copies them for each. */
const TURN_LENGTH = 512 * 1024

export interface Told {
  /** Sends the text of a result. */
  notify(result: Notification): void
}

/** A turn of the event loop, and the next one. What it notifies of is written when it ends. */
export class Turn {
  #untilMs = performance.now() + TURN_MS
  #length = 0

  get isOver(): boolean {
    return this.#length >= TURN_LENGTH || performance.now() >= this.#untilMs
  }

  notify(told: Told, result: Notification): void {
    this.#length += lengthOf(result)
    told.notify(result)
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#untilMs = performance.now() + TURN_MS
    this.#length = 0
  }
}
