/**
 * Speaks up when peers run another line of CometBFT. v0.40 takes another time from a commit in which somebody votes for nil than
 * the lines before it, and the time of a block must be that of the commit: each refuses the other's block for ever.
 */
import type { Log } from '../../../app/environment.ts'

const REPEAT_MS = 300_000
/** Peers may say anything. */
const MOST_NAMED = 5
const MOST_CHARACTERS = 20

const ADVICE =
  'all nodes of a network must run the same line of CometBFT, and change it at one height: the first vote for nil parts them, and the blocks of one are refused by the other for ever'

export interface LineSample {
  /** Time of a monotonic clock. */
  readonly nowMs: number
  /** The versions that this node and its peers report, such as 0.38.25. */
  readonly own: string
  readonly versions: readonly string[]
}

const lineOf = (version: string): string => version.split('.', 2).join('.')

export class LineWatch {
  readonly #log: Log
  #saidMs: number | undefined

  constructor(log: Log) {
    this.#log = log
  }

  see({ nowMs, own, versions }: LineSample): void {
    const others = new Set(versions.filter((version) => version !== '' && lineOf(version) !== lineOf(own)))
    if (others.size === 0 || (this.#saidMs !== undefined && nowMs - this.#saidMs < REPEAT_MS)) return
    this.#saidMs = nowMs
    const named = [...others].slice(0, MOST_NAMED).map((version) => version.slice(0, MOST_CHARACTERS))
    this.#log.warn('peers run another line of CometBFT', { own, peers: named.join(', '), advice: ADVICE })
  }
}
