/**
 * Bodies of requests that are long. A few of them are read at once, and the others wait in their sockets, where they take
 * nothing of this process: read all together they would pass its memory, and many of them would be lost half read. Who sends
 * slowly, or nothing, gives way to the next one, and goes on behind all others.
 */

/** Bytes from which a body is long. */
export const LARGE_BODY_BYTES = 512 * 1024
const AT_ONCE = 4
/** Nothing has come for so long. */
const STALLED_MS = 100
/** The longest turn while others wait. */
const TURN_MS = 500

export interface PausableBody {
  pause(): unknown
  resume(): unknown
}

interface Reading {
  readonly sinceMs: number
  lastMs: number
  /** It waits for nothing more of its client. */
  isWhole: boolean
}

export class LargeBodies {
  readonly #reading = new Map<PausableBody, Reading>()
  /** In the order of their turns. */
  readonly #waiting = new Set<PausableBody>()
  #timer: NodeJS.Timeout | undefined

  get reading(): number {
    return this.#reading.size
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Takes it in, or has it wait. */
  begin(body: PausableBody): void {
    if (this.#reading.has(body) || this.#waiting.has(body)) return
    if (this.#reading.size < AT_ONCE) return this.#read(body)
    body.pause()
    this.#waiting.add(body)
    this.#watch()
  }

  /** Some of it has come; `isWhole` when that was the rest. It keeps its place until {@link end}. */
  arrived(body: PausableBody, isWhole = false): void {
    const reading = this.#reading.get(body)
    if (reading === undefined) return
    reading.lastMs = performance.now()
    reading.isWhole = isWhole
  }

  /** It has been answered, or its client has gone. */
  end(body: PausableBody): void {
    this.#waiting.delete(body)
    if (this.#reading.delete(body)) this.#readNext()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#reading.clear()
    this.#waiting.clear()
  }

  #read(body: PausableBody): void {
    const nowMs = performance.now()
    this.#reading.set(body, { sinceMs: nowMs, lastMs: nowMs, isWhole: false })
  }

  #readNext(): void {
    for (const body of this.#waiting) {
      if (this.#reading.size >= AT_ONCE) return
      this.#waiting.delete(body)
      this.#read(body)
      body.resume()
    }
  }

  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#takeTurns()
      if (this.#waiting.size > 0) this.#watch()
    }, STALLED_MS / 2)
  }

  #takeTurns(): void {
    const nowMs = performance.now()
    for (const [body, { sinceMs, lastMs, isWhole }] of this.#reading) {
      if (this.#waiting.size === 0) return
      if (isWhole || (nowMs - lastMs < STALLED_MS && nowMs - sinceMs < TURN_MS)) continue
      this.#reading.delete(body)
      body.pause()
      // The one that comes in stands before it.
      this.#readNext()
      this.#waiting.add(body)
    }
  }
}
