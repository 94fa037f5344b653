/** Ends the answer to a question while it is computed: nobody waits for it, or it takes too long. */
import { CodedError } from '../../../core/errors.ts'
import { limitExceeded, QUERY_CODES } from '../../../app/errors.ts'

/** The question takes longer than its slice. */
export class SliceOver extends Error {
  override readonly name = 'SliceOver'
}

/** Two clocks in milliseconds: that on the wall, and the time that this thread has computed. */
export interface ReaderClock {
  nowMs(): number
  usedMs(): number
}

export const THREAD_CLOCK: ReaderClock = {
  nowMs: () => performance.now(),
  usedMs: () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1_000
  },
}

export interface InterruptionOptions {
  readonly clock: ReaderClock
  /** Called once for a question that takes longer than {@link QUICK_MS}: what was answered before it must not wait. */
  readonly onSlow?: () => void
  /** The time that the whole question may take. */
  readonly timeoutMs: number
  /** See {@link ReaderData.cancelled}. */
  readonly cancelled: Int32Array
}

export interface Timed {
  readonly id: number
  readonly place: number
  readonly sliceMs: number
}

/**
 * The time of a question is that on the wall for so long: to ask the system for a thread's time takes as long as a
 * read.
 */
const QUICK_MS = 1

export class Interruption {
  readonly #options: InterruptionOptions
  #id = 0
  #place = 0
  #sinceMs = 0
  #endMs = Infinity
  #sliceMs = Infinity
  /** The time of the thread when those that were handed over together began. */
  #handUsedMs: number | undefined
  /** The time of the thread when the question began, from when it turned out not to be quick. */
  #usedFromMs: number | undefined

  constructor(options: InterruptionOptions) {
    this.#options = options
  }

  begin({ id, place, sliceMs }: Timed): void {
    const { clock, timeoutMs } = this.#options
    this.#id = id
    this.#place = place
    this.#usedFromMs = undefined
    this.#sliceMs = sliceMs
    if (place === 0) this.#handUsedMs = undefined
    this.#handUsedMs ??= clock.usedMs()
    this.#sinceMs = clock.nowMs()
    this.#endMs = this.#sinceMs + timeoutMs
  }

  /** Time of this thread since the question began; the time that has passed, for one that was quick. */
  usedMs(): number {
    const { clock } = this.#options
    if (this.#usedFromMs !== undefined) return clock.usedMs() - this.#usedFromMs
    const passedMs = clock.nowMs() - this.#sinceMs
    return passedMs <= QUICK_MS ? passedMs : this.#usedAtMost(passedMs)
  }

  /** A thread that waited for a processor has not computed: at most what has passed, and what the thread has used for the whole hand. */
  #usedAtMost(passedMs: number): number {
    const usedMs = this.#options.clock.usedMs()
    return Math.min(passedMs, usedMs - (this.#handUsedMs ?? usedMs))
  }

  /** Throws query/5 where nobody waits, query/4 when the time is over, SliceOver when the slice is. */
  readonly check = (): void => {
    const { clock, cancelled, timeoutMs, onSlow } = this.#options
    if (Atomics.load(cancelled, this.#place) === this.#id) throw limitExceeded('nobody waits for the answer any more')
    const nowMs = clock.nowMs()
    const passedMs = nowMs - this.#sinceMs
    if (this.#usedFromMs === undefined && passedMs > QUICK_MS) {
      // Only what it has used until now is guessed, and not what it will use.
      this.#usedFromMs = clock.usedMs() - this.#usedAtMost(passedMs)
      onSlow?.()
    }
    if (nowMs > this.#endMs) {
      throw new CodedError('query', QUERY_CODES.timeout, `execution aborted (timeout = ${timeoutMs / 1_000}s)`)
    }
    // The thread cannot have computed for longer than has passed.
    if (passedMs > this.#sliceMs && this.usedMs() > this.#sliceMs) throw new SliceOver('the question is long')
  }
}
