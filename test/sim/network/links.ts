/** What lies between nodes: messages are late, overtake each other, come twice or never; parts of the network lose sight of each other. */
import type { Random } from '../random.ts'
import type { Plan } from './plan.ts'
import type { Timeline } from './timeline.ts'

const CLOG_MS = 3_000

export class Links {
  readonly #random: Random
  readonly #timeline: Timeline
  readonly #plan: Plan['network']
  readonly #nodes: number
  /** The side of each node; undefined where the network is whole. Some partitions let messages through in one direction. */
  #sides: readonly number[] | undefined
  #isOneWay = false
  readonly #cloggedUntilMs = new Map<string, number>()
  #isHealed = false
  lost = 0
  delivered = 0
  partitions = 0

  constructor(random: Random, timeline: Timeline, plan: Plan['network'], nodes: number) {
    this.#random = random
    this.#timeline = timeline
    this.#plan = plan
    this.#nodes = nodes
  }

  send(from: number, to: number, deliver: () => Promise<void> | void): void {
    if (this.#isCut(from, to) || (!this.#isHealed && this.#random.chance(this.#plan.lossPercent))) {
      this.lost++
      return
    }
    const copies = !this.#isHealed && this.#random.chance(this.#plan.duplicatePercent) ? 2 : 1
    for (let i = 0; i < copies; i++) {
      this.delivered++
      this.#timeline.after(this.#delayMs(from, to), deliver)
    }
  }

  /** Once a second. */
  disturb(): void {
    const { clogPercent, partitionPercent, healPercent } = this.#plan
    if (this.#sides === undefined && this.#random.chance(partitionPercent)) this.#partition()
    else if (this.#sides !== undefined && this.#random.chance(healPercent)) this.#sides = undefined
    for (let from = 0; from < this.#nodes; from++) {
      for (let to = 0; to < this.#nodes; to++) {
        if (from === to || !this.#random.chance(clogPercent)) continue
        this.#cloggedUntilMs.set(`${from} ${to}`, this.#timeline.nowMs + this.#random.below(CLOG_MS))
      }
    }
  }

  /** Nothing is lost from now on. */
  heal(): void {
    this.#isHealed = true
    this.#sides = undefined
    this.#cloggedUntilMs.clear()
  }

  #partition(): void {
    this.partitions++
    this.#isOneWay = this.#random.chance(25)
    const alone = this.#random.chance(40) ? this.#random.below(this.#nodes) : undefined
    this.#sides = Array.from({ length: this.#nodes }, (_, node) =>
      alone === undefined ? this.#random.below(2) : Number(node === alone),
    )
  }

  #isCut(from: number, to: number): boolean {
    if (this.#sides === undefined || this.#sides[from] === this.#sides[to]) return false
    return !this.#isOneWay || this.#sides[from] === 0
  }

  #delayMs(from: number, to: number): number {
    const { delayMinMs, delayMeanMs } = this.#plan
    // Few take much longer than the mean.
    const drawn = -Math.log(1 - this.#random.below(1_000) / 1_000) * delayMeanMs
    const clogged = (this.#cloggedUntilMs.get(`${from} ${to}`) ?? 0) - this.#timeline.nowMs
    return delayMinMs + drawn + Math.max(0, clogged)
  }
}
