/** Ends the answer to a question while it is computed: nobody waits for it, or it takes too long. */
import { CodedError } from '../../../core/errors.ts'
import { limitExceeded, QUERY_CODES } from '../../../app/errors.ts'

/** The question takes longer than its slice. */
export class SliceOver extends Error {
  override readonly name = 'SliceOver'
}

/** In milliseconds: the clock on the wall, and the time that this thread has computed. */
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
  /** Of the whole question. */
  readonly timeoutMs: number
  /** See {@link ReaderData.cancelled}. */
  readonly cancelled: Int32Array
}

export interface Timed {
  readonly id: number
  readonly sliceMs: number
}

export class Interruption {
  readonly #options: InterruptionOptions
  #id = 0
  #endMs = Infinity
  #sliceFromMs = Infinity
  #sliceMs = Infinity
  #usedFromMs = 0

  constructor(options: InterruptionOptions) {
    this.#options = options
  }

  begin({ id, sliceMs }: Timed): void {
    const { clock, timeoutMs } = this.#options
    this.#id = id
    this.#usedFromMs = clock.usedMs()
    this.#sliceMs = sliceMs
    const nowMs = clock.nowMs()
    this.#endMs = nowMs + timeoutMs
    // The thread cannot have computed for longer than has passed.
    this.#sliceFromMs = nowMs + sliceMs
  }

  /** Time of this thread since the question began. */
  usedMs(): number {
    return this.#options.clock.usedMs() - this.#usedFromMs
  }

  /** Throws query/5 where nobody waits, query/4 when the time is over, SliceOver when the slice is. */
  readonly check = (): void => {
    const { clock, cancelled, timeoutMs } = this.#options
    if (Atomics.load(cancelled, 0) === this.#id) throw limitExceeded('nobody waits for the answer any more')
    const nowMs = clock.nowMs()
    if (nowMs > this.#endMs) {
      throw new CodedError('query', QUERY_CODES.timeout, `execution aborted (timeout = ${timeoutMs / 1_000}s)`)
    }
    if (nowMs > this.#sliceFromMs && this.usedMs() > this.#sliceMs) throw new SliceOver('the question is long')
  }
}
