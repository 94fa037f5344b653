/** Lets input and output happen between two transactions, or within one, once execution has kept the thread for some milliseconds. */
import type { ExecutionPace } from '../../evm/engine.ts'
import type { Environment } from '../environment.ts'

const YIELD_AFTER_MS = 10
/** Where others took longer in the last pause the next piece is as long as that, up to this: they get half of the time. */
const LONGEST_PIECE_MS = 50
/** What comes in meanwhile takes its time of the thread: up to as much again. */
const MOST_ELAPSED = 2

/** The work at a moment, and what others took until then, in milliseconds. */
export interface PaceMark {
  readonly workedMs: number
  readonly othersMs: number
}

/** Yields by the clock, not by a count: one transaction may take a microsecond or more than a second. */
export class Pace implements ExecutionPace {
  readonly #environment: Pick<Environment, 'clock' | 'yieldToEventLoop'>
  readonly #startedMs: number
  #yieldedMs: number
  /** Others worked so long while this one yielded. */
  #othersMs = 0
  /** Own work that the budget is not for, and what others took within it. */
  #besideMs = 0
  #othersBesideMs = 0
  #pieceMs = YIELD_AFTER_MS

  constructor(environment: Pick<Environment, 'clock' | 'yieldToEventLoop'>) {
    this.#environment = environment
    this.#startedMs = environment.clock.nowMs()
    this.#yieldedMs = this.#startedMs
  }

  /** Whether so much work is done, or twice the time is over, without {@link leaveOutSince}. */
  isSpent(budgetMs: number): boolean {
    const elapsedMs = this.#environment.clock.nowMs() - this.#startedMs - this.#besideMs
    return elapsedMs - this.#othersMs > budgetMs || elapsedMs - this.#othersBesideMs > MOST_ELAPSED * budgetMs
  }

  /** What was done since the mark does not count, nor what others took meanwhile. Returns the milliseconds of the own work. */
  leaveOutSince(mark: PaceMark): number {
    const workedMs = this.workedMs - mark.workedMs
    this.#besideMs += workedMs
    this.#othersBesideMs += this.#othersMs - mark.othersMs
    return workedMs
  }

  mark(): PaceMark {
    return { workedMs: this.workedMs, othersMs: this.#othersMs }
  }

  /** The time so far, without what others did meanwhile. */
  get workedMs(): number {
    return this.#environment.clock.nowMs() - this.#startedMs - this.#othersMs
  }

  get isYieldDue(): boolean {
    return this.#environment.clock.nowMs() - this.#yieldedMs > this.#pieceMs
  }

  async yield(): Promise<void> {
    const fromMs = this.#environment.clock.nowMs()
    await this.#environment.yieldToEventLoop()
    this.#yieldedMs = this.#environment.clock.nowMs()
    const tookMs = this.#yieldedMs - fromMs
    this.#othersMs += tookMs
    this.#pieceMs = Math.min(Math.max(YIELD_AFTER_MS, tookMs), LONGEST_PIECE_MS)
  }
}
