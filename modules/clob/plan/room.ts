/** What a block has left for orders, phase by phase. docs/clob-spec.md, Plan. */
import { proposalBytes } from '../../../core/proposal-bytes.ts'
import { MAX_CLOB_TX_BYTES, MAX_TX_WEIGHT, PHASES, type Phase } from '../orders/clob-tx.ts'
import type { FittingBody } from './ids.ts'
import type { ListedId, PlanLimits } from './types.ts'

/** The largest transaction, with its tag and length: 4,099. */
export const MOST_BYTES = proposalBytes(MAX_CLOB_TX_BYTES)

/** The quota of a phase, by limit: CANCEL has half of it for sure, POST and TAKER a quarter each. */
export const quotaOf = (limit: number, phase: Phase): number => Math.floor(limit / (phase === 0 ? 2 : 4))

/** Bytes, or weight. */
class Resource {
  readonly #limit: number
  /** What the largest transaction takes. */
  readonly #most: number
  readonly #quotas: readonly number[]
  readonly #usedBy = PHASES.map(() => 0)
  #used = 0

  constructor(limit: number, most: number) {
    this.#limit = limit
    this.#most = most
    this.#quotas = PHASES.map((phase) => quotaOf(limit, phase))
  }

  /** What is kept of the quota of a phase for so many ids that are still to come. */
  kept(phase: Phase, waiting: number): number {
    const quotaLeft = Math.max(0, (this.#quotas[phase] as number) - (this.#usedBy[phase] as number))
    return Math.min(quotaLeft, this.#most * waiting)
  }

  /** Whether the largest transaction has room beside what is kept. */
  hasRoom(kept: number): boolean {
    return this.#used + this.#most + kept <= this.#limit
  }

  use(phase: Phase, amount: number): void {
    this.#used += amount
    this.#usedBy[phase] = (this.#usedBy[phase] as number) + amount
  }
}

/** Goes along a list once. */
export class Room {
  readonly #bytes: Resource
  readonly #weight: Resource
  /** Ids of each phase behind the one at hand. */
  readonly #waiting = PHASES.map(() => 0)
  readonly #isClosed = PHASES.map(() => false)

  constructor(list: readonly ListedId[], { shareBytes, weight }: PlanLimits) {
    this.#bytes = new Resource(shareBytes, MOST_BYTES)
    this.#weight = new Resource(weight, MAX_TX_WEIGHT)
    for (const { phase } of list) this.#waiting[phase] = (this.#waiting[phase] as number) + 1
  }

  /** Goes to the next id of the list, of this phase: false where it is passed over. A phase that has no room once closes for good. */
  hasRoomFor(phase: Phase): boolean {
    this.#waiting[phase] = (this.#waiting[phase] as number) - 1
    if (this.#isClosed[phase]) return false
    const hasRoom = [this.#bytes, this.#weight].every((resource) => resource.hasRoom(this.#keptBeside(phase, resource)))
    this.#isClosed[phase] = !hasRoom
    return hasRoom
  }

  /** The body counts in the phase of its id, whatever its own is. */
  take(phase: Phase, { raw, body }: FittingBody): void {
    this.#bytes.use(phase, proposalBytes(raw.length))
    this.#weight.use(phase, body.weight)
  }

  #keptBeside(phase: Phase, resource: Resource): number {
    let kept = 0
    for (const other of PHASES) {
      if (other !== phase && !this.#isClosed[other]) kept += resource.kept(other, this.#waiting[other] as number)
    }
    return kept
  }
}
