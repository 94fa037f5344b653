/** Requests that have come and are not answered yet, in their order. */

/** Slots of frames that were taken may stay, up to so many, beside as many as there are frames that wait. */
const MAX_TAKEN = 1_024

export class WaitingFrames {
  #frames: Uint8Array[] = []
  #next = 0
  #bytes = 0

  get count(): number {
    return this.#frames.length - this.#next
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Frames that are held, those that were taken among them. A peer that is always ahead must not make it grow. */
  get held(): number {
    return this.#frames.length
  }

  push(frame: Uint8Array): void {
    this.#frames.push(frame)
    this.#bytes += frame.length
  }

  take(): Uint8Array | undefined {
    const frame = this.#frames[this.#next]
    if (frame === undefined) return undefined
    this.#next++
    this.#bytes -= frame.length
    if (this.count === 0) this.clear()
    else if (this.#next > MAX_TAKEN && this.#next > this.count) {
      this.#frames = this.#frames.slice(this.#next)
      this.#next = 0
    }
    return frame
  }

  clear(): void {
    this.#frames = []
    this.#next = 0
    this.#bytes = 0
  }
}
