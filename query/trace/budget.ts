/** What tracing may take: time, for the steps of a program are many, and the bytes of the answer. */
import { CodedError } from '../../core/errors.ts'
import { MAX_STREAM_FRAME_BYTES } from '../../core/limits.ts'
import type { Clock } from '../../app/environment.ts'
import { QUERY_CODES, queryFailed } from '../../app/errors.ts'

/** What an answer holds beside its traces. */
const ENVELOPE_BYTES = 64 * 1024
const MAX_TRACE_BYTES = MAX_STREAM_FRAME_BYTES - ENVELOPE_BYTES
/** Steps between two looks at the clock. */
const STEPS_A_LOOK = 256

export interface TraceLimits {
  readonly clock: Clock
  /** See {@link ChainView.interrupt} of chain-view.ts. */
  readonly interrupt?: () => void
  /** The time for one transaction, as asked for. */
  readonly timeoutMs: number
  /** The time for the whole question. */
  readonly totalMs: number
  /** The usual bound when left out. */
  readonly maxBytes?: number
}

export class TraceBudget {
  readonly #limits: TraceLimits
  readonly #endMs: number
  #transactionEndMs = Infinity
  #bytes = 0
  #steps = 0

  constructor(limits: TraceLimits) {
    this.#limits = limits
    this.#endMs = limits.clock.nowMs() + limits.totalMs
  }

  beginTransaction(): void {
    this.checkTime()
    this.#transactionEndMs = this.#limits.clock.nowMs() + this.#limits.timeoutMs
  }

  /** Throws query/7 when the answer grows too large. */
  takeBytes(count: number): void {
    this.#bytes += count
    const { maxBytes = MAX_TRACE_BYTES } = this.#limits
    if (this.#bytes <= maxBytes) return
    const message = `the trace is larger than ${maxBytes} bytes: trace less, or leave out what is not needed`
    throw new CodedError('query', QUERY_CODES.tooLarge, message)
  }

  /** Called for every step. Throws as {@link checkTime} does. */
  step(): void {
    if (++this.#steps % STEPS_A_LOOK === 0) this.checkTime()
  }

  /** Throws geth's error when the transaction takes too long, query/4 when the question does. */
  checkTime(): void {
    this.#limits.interrupt?.()
    const now = this.#limits.clock.nowMs()
    if (now > this.#transactionEndMs) throw queryFailed('execution timeout')
    if (now <= this.#endMs) return
    const seconds = this.#limits.totalMs / 1_000
    throw new CodedError('query', QUERY_CODES.timeout, `execution aborted (timeout = ${seconds}s)`)
  }
}
