/** How far a long work is, how fast it goes on, and how long it will take: in the words that logs and commands print. */

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Two units at most: `48 s`, `3 min 20 s`, `2 h 5 min`, `4 d 1 h`. */
export const formatSpan = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const pair = (size: number, name: string, below: number, nameBelow: string): string => {
    const rest = Math.floor((whole % size) / below)
    return `${Math.floor(whole / size)} ${name}${rest === 0 ? '' : ` ${rest} ${nameBelow}`}`
  }
  if (whole >= DAY) return pair(DAY, 'd', HOUR, 'h')
  if (whole >= HOUR) return pair(HOUR, 'h', MINUTE, 'min')
  if (whole >= MINUTE) return pair(MINUTE, 'min', 1, 's')
  return `${whole} s`
}

/** Three figures, or all of a whole number. */
export const formatRate = (perSecond: number): string =>
  perSecond >= 100 ? String(Math.round(perSecond)) : String(Number(perSecond.toPrecision(3)))

export interface WorkOptions {
  /** What is counted, such as blocks. */
  readonly unit: string
  /** Left out where nobody knows. */
  readonly total?: number
  /** A monotonic clock. */
  nowMs(): number
  /** Between two lines; the last unit always has one. */
  readonly everyMs?: number
  say(line: string): void
}

const EVERY_MS = 2_000

/** Says now and then how far a work is. */
export class Work {
  readonly #options: WorkOptions
  readonly #startedMs: number
  #saidMs: number

  constructor(options: WorkOptions) {
    this.#options = options
    this.#startedMs = options.nowMs()
    this.#saidMs = this.#startedMs
  }

  /** So many units are done. */
  done(count: number): void {
    const { total, nowMs, say, everyMs = EVERY_MS } = this.#options
    const now = nowMs()
    if (now - this.#saidMs < everyMs && count !== total) return
    this.#saidMs = now
    say(this.#describe(count, (now - this.#startedMs) / 1_000))
  }

  #describe(count: number, seconds: number): string {
    const { unit, total } = this.#options
    const rate = seconds > 0 ? count / seconds : 0
    const of = total === undefined ? '' : ` of ${total}`
    const speed = rate > 0 ? `, ${formatRate(rate)} a second` : ''
    const isLeft = total !== undefined && rate > 0 && count < total
    return `${count}${of} ${unit}${speed}${isLeft ? `, ${formatSpan((total - count) / rate)} left` : ''}`
  }
}

/** The newest values of something that rises or falls, and how fast. */
export class Trend {
  readonly #windowMs: number
  readonly #samples: { readonly atMs: number; readonly value: number }[] = []

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  add(atMs: number, value: number): void {
    this.#samples.push({ atMs, value })
    while (this.#samples.length > 2 && atMs - (this.#samples[1]?.atMs ?? atMs) >= this.#windowMs) this.#samples.shift()
  }

  /** Undefined before there are two. */
  perSecond(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)]
    if (first === undefined || last === undefined || last.atMs <= first.atMs) return undefined
    return ((last.value - first.value) / (last.atMs - first.atMs)) * 1_000
  }
}
