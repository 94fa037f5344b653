/**
 * What a node that catches up says of itself. CometBFT does not tell which height its peers have, but the time of the newest
 * block says how far behind the node is, and how that shrinks says when it will be there.
 */
import type { Log } from '../../../app/environment.ts'
import { formatRate, formatSpan, Trend } from '../progress.ts'

const WINDOW_MS = 60_000
const EVERY_MS = 10_000

export interface SyncSample {
  /** Time of a monotonic clock. */
  readonly nowMs: number
  /** Milliseconds since 1970. */
  readonly wallMs: number
  readonly catchingUp: boolean
  readonly height: number
  /** Time of the newest block, in milliseconds since 1970. */
  readonly blockTimeMs: number
}

export class SyncProgress {
  readonly #log: Log
  #heights = new Trend(WINDOW_MS)
  #behind = new Trend(WINDOW_MS)
  #saidMs: number | undefined
  #wasCatchingUp = false

  constructor(log: Log) {
    this.#log = log
  }

  see(sample: SyncSample): void {
    if (!sample.catchingUp) return this.#end(sample)
    // Before the first block, and during a state sync, there is no time to compare.
    if (sample.height === 0) return
    if (!this.#wasCatchingUp) this.#begin(sample.nowMs)
    this.#heights.add(sample.nowMs, sample.height)
    this.#behind.add(sample.nowMs, (sample.wallMs - sample.blockTimeMs) / 1_000)
    if (sample.nowMs - (this.#saidMs ?? 0) < EVERY_MS) return
    this.#saidMs = sample.nowMs
    this.#log.info('catching up', { height: sample.height, ...this.#describe(sample) })
  }

  #begin(nowMs: number): void {
    this.#wasCatchingUp = true
    this.#heights = new Trend(WINDOW_MS)
    this.#behind = new Trend(WINDOW_MS)
    this.#saidMs = nowMs
  }

  #end({ height }: SyncSample): void {
    if (this.#wasCatchingUp) this.#log.info('caught up with the network', { height })
    this.#wasCatchingUp = false
  }

  #describe({ wallMs, blockTimeMs }: SyncSample): Readonly<Record<string, string>> {
    const seconds = Math.max(0, (wallMs - blockTimeMs) / 1_000)
    const rate = this.#heights.perSecond() ?? 0
    const shrinks = -(this.#behind.perSecond() ?? 0)
    return {
      behind: formatSpan(seconds),
      blocksPerSecond: formatRate(rate),
      left: shrinks > 0 ? formatSpan(seconds / shrinks) : 'unknown: the network is as fast as this node',
    }
  }
}
