/** Lets input and output happen between two transactions once execution has kept the thread for some milliseconds. */
import type { Environment } from '../environment.ts'

const YIELD_AFTER_MS = 10

/** By the clock, not by a count: one transaction may take a microsecond or most of a second. */
export class Pace {
  readonly #environment: Pick<Environment, 'clock' | 'yieldToEventLoop'>
  readonly #startedMs: number
  #yieldedMs: number

  constructor(environment: Pick<Environment, 'clock' | 'yieldToEventLoop'>) {
    this.#environment = environment
    this.#startedMs = environment.clock.nowMs()
    this.#yieldedMs = this.#startedMs
  }

  /** Since the block was begun. */
  get elapsedMs(): number {
    return this.#environment.clock.nowMs() - this.#startedMs
  }

  get isYieldDue(): boolean {
    return this.#environment.clock.nowMs() - this.#yieldedMs > YIELD_AFTER_MS
  }

  async yield(): Promise<void> {
    await this.#environment.yieldToEventLoop()
    this.#yieldedMs = this.#environment.clock.nowMs()
  }
}
