/**
 * How long a daemon has been unhealthy: it reports an error, or nothing at all. Time is added up in steps, and no step counts for more
 * than two seconds: a node that was stopped itself, or was busy, does not blame a daemon for it.
 */
import type { DaemonHealth } from '../../../app/ports.ts'

/** The time between two steps. */
export const STEP_MS = 1_000
const LONGEST_STEP_MS = 2_000
/** A daemon reports every second. */
const SILENT_AFTER_MS = 5_000

export interface HealthClockOptions {
  readonly name: string
  /** Undefined never. Compared with, and never given to a timer: those have 31 bits. */
  readonly maxUnhealthySeconds: number | undefined
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs: () => number
  /** Milliseconds since 1970. */
  readonly wallMs: () => number
}

export class HealthClock {
  readonly #options: HealthClockOptions
  #steppedMs: number
  #silentMs = 0
  #unhealthyMs = 0
  #sinceMs: number | undefined
  #reported: string | undefined
  #hasReported = false

  constructor(options: HealthClockOptions) {
    this.#options = options
    this.#steppedMs = options.nowMs()
  }

  /** `error` is undefined when all is well. */
  report(error: string | undefined): void {
    this.#hasReported = true
    this.#silentMs = 0
    this.#reported = error
    this.#judge()
  }

  /** Called every STEP_MS. Tells why the node must halt, undefined while it need not. */
  step(): string | undefined {
    const nowMs = this.#options.nowMs()
    const passedMs = Math.min(nowMs - this.#steppedMs, LONGEST_STEP_MS)
    this.#steppedMs = nowMs
    this.#silentMs += passedMs
    const wasUnhealthy = this.#sinceMs !== undefined
    this.#judge()
    if (wasUnhealthy && this.#sinceMs !== undefined) this.#unhealthyMs += passedMs
    return this.#verdict()
  }

  health(): Pick<DaemonHealth, 'name' | 'healthy' | 'error' | 'since'> {
    const { name } = this.#options
    const error = this.#error()
    if (error === undefined || this.#sinceMs === undefined) return { name, healthy: true }
    return { name, healthy: false, error, since: new Date(this.#sinceMs).toISOString() }
  }

  #error(): string | undefined {
    if (this.#silentMs < SILENT_AFTER_MS) return this.#reported
    if (!this.#hasReported) return 'it has not reported yet'
    return this.#reported === undefined ? 'it is silent' : `it is silent; before: ${this.#reported}`
  }

  #judge(): void {
    if (this.#error() === undefined) {
      this.#sinceMs = undefined
      this.#unhealthyMs = 0
    } else if (this.#sinceMs === undefined) {
      this.#sinceMs = this.#options.wallMs()
      // The step in which it begins counts from here on.
      this.#unhealthyMs = -Math.min(this.#options.nowMs() - this.#steppedMs, LONGEST_STEP_MS)
    }
  }

  #verdict(): string | undefined {
    const { name, maxUnhealthySeconds } = this.#options
    if (maxUnhealthySeconds === undefined || this.#sinceMs === undefined) return undefined
    if (this.#unhealthyMs <= maxUnhealthySeconds * 1000) return undefined
    const { since, error } = this.health()
    return `the daemon "${name}" has been unhealthy for more than ${maxUnhealthySeconds} s, since ${since}: ${error}`
  }
}
