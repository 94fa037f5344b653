/** What the votes of a height oblige the next block to execute. docs/clob-spec.md, Obligations. */
import { PHASES } from '../orders/clob-tx.ts'
import { repeatsIds } from './attestation-bytes.ts'
import { type AttestationColumns, toColumns } from './columns.ts'
import { isMore, type Power, PowerSum, toPower } from './power.ts'
import type { Attestation, Obligation } from './types.ts'

export interface ObligationContext {
  /** The power of the whole set, absent validators too. */
  readonly totalPower: bigint
  /** Time of header H, whose votes these are. */
  readonly timeOfHMs: number
  /** The length of a bucket in ms, at least 1. */
  readonly bucketMs: number
  /** Hash of block H. */
  readonly salt: Uint8Array
}

export interface Tally {
  /** The obligations in canonical order. */
  readonly obligations: readonly Obligation[]
  /** Different ids that anybody attests. */
  readonly attested: number
  /** Holds 1 for each vote that repeats an id: it attests nothing. */
  readonly repeats: Uint8Array
}

/** Counts power in the order of a sorted table: attestations of one id stand together, by time. */
class Counter {
  readonly #columns: AttestationColumns
  readonly #order: Uint32Array
  readonly #powers: readonly Power[]
  readonly #repeats: Uint8Array
  readonly #total: Power
  readonly #sums = PHASES.map(() => new PowerSum())
  readonly #until = new PowerSum()

  constructor(
    columns: AttestationColumns,
    order: Uint32Array,
    powers: readonly Power[],
    repeats: Uint8Array,
    total: Power,
  ) {
    this.#columns = columns
    this.#order = order
    this.#powers = powers
    this.#repeats = repeats
    this.#total = total
  }

  /** Index behind the last attestation of the id that is at `from`. */
  endOf(from: number): number {
    const first = this.#order[from] as number
    let to = from + 1
    while (to < this.#order.length && this.#columns.hasSameId(first, this.#order[to] as number)) to++
    return to
  }

  /** Sums up what is attested from `from` to `to`. False where no vote counts. */
  sum(from: number, to: number): boolean {
    for (const sum of this.#sums) sum.clear()
    let isAttested = false
    for (let at = from; at < to; at++) {
      const index = this.#order[at] as number
      const vote = this.#columns.vote[index] as number
      if (this.#repeats[vote] === 1) continue
      isAttested = true
      this.#sumOf(this.#columns.phase[index] as number).add(this.#powers[vote] as Power)
    }
    return isAttested
  }

  /** The earliest phase in which more than a third attests what was summed up. */
  obligedPhase(): Obligation['phase'] | undefined {
    return PHASES.find((phase) => isMore(3, this.#sumOf(phase), 1, this.#total))
  }

  isWidelyAttested(phase: number): boolean {
    return isMore(3, this.#sumOf(phase), 2, this.#total)
  }

  /** The least time until which over a third of all power, and over half of what attests the id in this phase, has attested it. */
  dtMs(from: number, to: number, phase: number): number {
    const until = this.#until
    until.clear()
    let dtMs = 0
    for (let at = from; at < to; at++) {
      const index = this.#order[at] as number
      const vote = this.#columns.vote[index] as number
      if (this.#columns.phase[index] !== phase || this.#repeats[vote] === 1) continue
      until.add(this.#powers[vote] as Power)
      dtMs = this.#columns.dtMs[index] as number
      if (isMore(3, until, 1, this.#total) && isMore(2, until, 1, this.#sumOf(phase))) break
    }
    return dtMs
  }

  #sumOf(phase: number): PowerSum {
    return this.#sums[phase] as PowerSum
  }
}

/** `powers` by the votes of the columns. */
export const tally = (columns: AttestationColumns, powers: readonly bigint[], context: ObligationContext): Tally => {
  const { totalPower, timeOfHMs, bucketMs, salt } = context
  const order = columns.sorted()
  const repeats = repeatsIds(columns, order, powers.length)
  const counter = new Counter(columns, order, powers.map(toPower), repeats, toPower(totalPower))
  const found: { readonly bucket: number; readonly obligation: Obligation }[] = []
  let attested = 0
  for (let from = 0, to: number; from < order.length; from = to) {
    to = counter.endOf(from)
    if (!counter.sum(from, to)) continue
    attested++
    const phase = counter.obligedPhase()
    if (phase === undefined) continue
    const timeMs = timeOfHMs + counter.dtMs(from, to, phase)
    const id = columns.idAt(order[from] as number)
    const isWidelyAttested = counter.isWidelyAttested(phase)
    found.push({
      bucket: Math.floor(timeMs / bucketMs),
      obligation: { id, phase, salt, age: 0, isWidelyAttested, timeMs },
    })
  }
  // They are found by id, and sorting leaves equal ones in their order.
  found.sort((a, b) => a.obligation.phase - b.obligation.phase || a.bucket - b.bucket)
  return { obligations: found.map(({ obligation }) => obligation), attested, repeats }
}

/**
 * The obligations in canonical order: phase, bucket of the time, id. A vote with an id that it repeats attests nothing.
 */
export const obligations = (
  votes: readonly { readonly power: bigint; readonly attestations: readonly Attestation[] }[],
  context: ObligationContext,
): readonly Obligation[] =>
  tally(
    toColumns(votes.map(({ attestations }) => attestations)),
    votes.map(({ power }) => power),
    context,
  ).obligations
