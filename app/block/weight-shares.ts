/**
 * How a proposer shares the weight of a block (evm/weight.ts), so that neither heavy transactions nor those that it tries
 * in vain take the place of ordinary ones. A proposer's choice: validity knows the sum alone.
 *
 * Most transactions weigh little for their gas. The few that weigh much, the heavy ones, share what is left beside a part
 * that is kept for the others. What a transaction weighs is known once it ran, so one that is not known yet may run as
 * long as it stays ordinary, or as long as heavy ones have room. Where it would pass both it is stopped, and known as
 * heavy from then on: it waits for a block with room for the most that its gas can weigh, and is worth less, for weight is
 * what it uses up. What is stopped has paid nothing: so much of that is bounded, by weight, and one transaction cannot
 * take more of it than all.
 */
import { MAX_TRANSACTION_GAS, MAX_TRANSACTION_WEIGHT } from '../../core/limits.ts'
import type { ProposableTransaction } from './choose.ts'

/** Kept for ordinary transactions, in nanoseconds. */
const ORDINARY_SHARE = 400_000_000
/** An ordinary transaction weighs at most this much for each unit of its gas, and as much more as any. */
const ORDINARY_PER_GAS = 16
const ORDINARY_BASE = 300_000
/** Work on stopped transactions in one block, and as much more on those that can waste little each. */
const MAX_WASTED = 400_000_000
const MAX_WASTED_LITTLE = 200_000_000
const LITTLE = 10_000_000
/** Time that the heavy ones, and the stopped ones, may take by the clock: on slow machines less of them fits. */
const MAX_HEAVY_MS = 1_500

const HEAVY_PER_GAS = MAX_TRANSACTION_WEIGHT / Number(MAX_TRANSACTION_GAS)

const ordinaryWeight = (gas: bigint): number => ORDINARY_BASE + ORDINARY_PER_GAS * Number(gas)
const heaviestWeight = (gas: bigint): number =>
  Math.min(MAX_TRANSACTION_WEIGHT, HEAVY_PER_GAS * Number(gas) + ORDINARY_BASE)

/** What a transaction is worth to the proposer beside others, in anat a gas, from its effective tip. */
export type WeightRank = (transaction: ProposableTransaction, tip: bigint) => bigint

/** Transactions of the pool that were found to be heavy. Forgotten with the entry. */
export class HeavyTransactions {
  readonly #entries = new WeakSet<ProposableTransaction>()

  has(entry: ProposableTransaction): boolean {
    return this.#entries.has(entry)
  }

  add(entry: ProposableTransaction): void {
    this.#entries.add(entry)
  }

  /** By what it pays for the weight that it uses up, in terms of ordinary gas; base fee and tip have the same receiver. */
  rank(baseFeePerGas: bigint): WeightRank {
    const [ordinary, heavy] = [BigInt(ORDINARY_PER_GAS), BigInt(Math.ceil(HEAVY_PER_GAS))]
    return (entry, tip) => (this.has(entry) ? ((tip + baseFeePerGas) * ordinary) / heavy - baseFeePerGas : tip)
  }
}

/** What became of a try. */
export type Tried = 'ordinary' | 'heavy'

export class WeightShares {
  readonly #heavy: HeavyTransactions
  readonly #maxWeight: number
  #heavyWeight = 0
  #wasted = 0
  #heavyMs = 0

  constructor(heavy: HeavyTransactions, maxWeight: number) {
    this.#heavy = heavy
    this.#maxWeight = maxWeight
  }

  /** Most that the transaction may weigh now, where the block has `weightLeft`; undefined where it must wait. */
  limitOf(entry: ProposableTransaction, weightLeft: number): number | undefined {
    const { gasLimit, mostWeight } = entry
    if (mostWeight !== undefined) return mostWeight <= weightLeft ? weightLeft : undefined
    const ordinary = ordinaryWeight(gasLimit)
    const heaviest = heaviestWeight(gasLimit)
    const room = Math.min(this.#heavyRoom(), weightLeft)
    if (heaviest <= room) return room
    if (this.#heavy.has(entry) || ordinary > weightLeft) return undefined
    const isLittle = ordinary <= LITTLE
    const wasteLeft = (isLittle ? MAX_WASTED + MAX_WASTED_LITTLE : MAX_WASTED) - this.#wasted
    if (ordinary <= wasteLeft) return Math.max(ordinary, Math.min(room, wasteLeft))
    // No more may be stopped: a small one runs to its end, where the block has room for whatever it turns out to be.
    return isLittle && heaviest <= weightLeft ? heaviest : undefined
  }

  /** A transaction is in the block. `elapsedMs` is the time of its execution. */
  noteIncluded(gasUsed: bigint, weight: number, elapsedMs: number): Tried {
    if (weight <= ordinaryWeight(gasUsed)) return 'ordinary'
    this.#heavyWeight += weight
    this.#heavyMs += elapsedMs
    return 'heavy'
  }

  /** A transaction was stopped at `limit`. Returns whether no block has room for it. */
  noteStopped(entry: ProposableTransaction, limit: number, elapsedMs: number): boolean {
    this.#heavy.add(entry)
    this.#wasted += limit
    this.#heavyMs += elapsedMs
    return limit >= MAX_TRANSACTION_WEIGHT
  }

  #heavyRoom(): number {
    if (this.#heavyMs > MAX_HEAVY_MS) return 0
    const reserved = Math.min(ORDINARY_SHARE, this.#maxWeight - MAX_TRANSACTION_WEIGHT)
    return this.#maxWeight - reserved - this.#heavyWeight
  }
}
