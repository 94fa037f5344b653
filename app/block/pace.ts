/** Lets input and output happen between two transactions, or within one, once execution has kept the thread for some milliseconds. */
import type { ExecutionPace } from '../../evm/engine.ts'
import type { Environment } from '../environment.ts'

const YIELD_AFTER_MS = 10
/** What comes in meanwhile takes its time of the thread: up to as much again. */
const MOST_ELAPSED = 2

/** Yields by the clock, not by a count: one transaction may take a microsecond or more than a second. */
export class Pace implements ExecutionPace {
  readonly #environment: Pick<Environment, 'clock' | 'yieldToEventLoop'>
  readonly #startedMs: number
  #yieldedMs: number
  /** Others worked so long while this one yielded. */
  #othersMs = 0
  /** Own work that the budget is not for. */
  #besideMs = 0

  constructor(environment: Pick<Environment, 'clock' | 'yieldToEventLoop'>) {
    this.#environment = environment
    this.#startedMs = environment.clock.nowMs()
    this.#yieldedMs = this.#startedMs
  }

  /** Whether so much work is done, or twice the time is over, without {@link leaveOut}. */
  isSpent(budgetMs: number): boolean {
    const elapsedMs = this.#environment.clock.nowMs() - this.#startedMs - this.#besideMs
    return elapsedMs - this.#othersMs > budgetMs || elapsedMs > MOST_ELAPSED * budgetMs
  }

  /** This much of the work does not count. */
  leaveOut(elapsedMs: number): void {
    this.#besideMs += elapsedMs
  }

  /** The time so far, without what others did meanwhile. */
  get workedMs(): number {
    return this.#environment.clock.nowMs() - this.#startedMs - this.#othersMs
  }

  get isYieldDue(): boolean {
    return this.#environment.clock.nowMs() - this.#yieldedMs > YIELD_AFTER_MS
  }

  async yield(): Promise<void> {
    const fromMs = this.#environment.clock.nowMs()
    await this.#environment.yieldToEventLoop()
    this.#yieldedMs = this.#environment.clock.nowMs()
    this.#othersMs += this.#yieldedMs - fromMs
  }
}
