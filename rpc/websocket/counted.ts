import type { MemoryShare } from '../memory-budget.ts'

/** Bytes that are on their way in any case: up to here neither side of a connection is counted. */
export const UNCOUNTED_BYTES = 64 * 1024
/** What a message that waits to be sent takes beside its text: its frame, and what the queue keeps of it. */
export const QUEUED_BYTES = 512

/** A part of what a connection holds, told anew each time. */
export class Counted {
  readonly #share: MemoryShare
  #bytes = 0

  constructor(share: MemoryShare) {
    this.#share = share
  }

  /** False where there is no room for it. */
  set(bytes: number): boolean {
    const counted = bytes > UNCOUNTED_BYTES ? bytes : 0
    const more = counted - this.#bytes
    if (more > 0 && !this.#share.hold(more)) return false
    if (more < 0) this.#share.give(-more)
    this.#bytes = counted
    return true
  }
}
