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
 *
 * A heavy one with nearly the greatest gas needs almost all of their share, so that any smaller one that is worth more
 * keeps it waiting. At every eighth proposal those that were kept waiting are therefore tried first, oldest first. A count
 * of this node's own proposals says when: heights would always meet the same proposers.
 */
import { bytesToKey } from '../../core/bytes.ts'
import { MAX_TRANSACTION_GAS, MAX_TRANSACTION_WEIGHT, PLAIN_TRANSFER_GAS } from '../../core/limits.ts'
import { ORDINARY_BASE, ORDINARY_PER_GAS, ordinaryWeight } from '../../evm/weight.ts'
import type { ProposableTransaction } from './choose.ts'

/** Kept for ordinary transactions, in nanoseconds. */
const ORDINARY_SHARE = 400_000_000
/** Work on stopped transactions in one block, and as much more on those that can waste little each. */
const MAX_WASTED = 400_000_000
const MAX_WASTED_LITTLE = 200_000_000
const LITTLE = 10_000_000
/** Time that the heavy ones, and the stopped ones, may take by the clock: on slow machines less of them fits. */
const MAX_HEAVY_MS = 1_500

/** One in so many proposals of this node tries first what was kept waiting. */
const TURN_INTERVAL = 8
/** Accounts with a nonce of which is remembered what was stopped. */
const MAX_PLACES = 10_000
/** The value is above every tip: fees have 256 bits. */
const BEFORE_ALL = 2n ** 256n

const HEAVY_PER_GAS = MAX_TRANSACTION_WEIGHT / Number(MAX_TRANSACTION_GAS)

const placeOf = ({ sender, nonce }: ProposableTransaction): string => `${bytesToKey(sender)}${nonce}`
const heaviestWeight = (gas: bigint): number =>
  Math.min(MAX_TRANSACTION_WEIGHT, HEAVY_PER_GAS * Number(gas) + ORDINARY_BASE)

/** What a transaction is worth to the proposer beside others, in anat a gas, from its effective tip. */
export type WeightRank = (transaction: ProposableTransaction, tip: bigint) => bigint

/** What is remembered of an account and a nonce. */
interface Place {
  /** What was tried there fits into no block: whoever asks for so much gas again may not try it. */
  readonly fitsNoBlock: boolean
}

/**
 * Transactions of the pool that were found to be heavy, and those that must wait with them.
 *
 * What was stopped has paid nothing, so a sender must not have another try by sending other bytes: it is remembered by
 * account and nonce, and whatever comes there next is taken for heavy, too. Only a plain transfer is not, for it runs no
 * code: it is what wallets send to take a transaction back.
 */
export class HeavyTransactions {
  readonly #entries = new WeakSet<ProposableTransaction>()
  /** The places by account and nonce, oldest first. */
  readonly #places = new Map<string, Place>()
  /** Not known yet, for nothing more could be wasted when they were due. */
  readonly #untried = new WeakSet<ProposableTransaction>()
  #proposals = 0

  has(entry: ProposableTransaction): boolean {
    if (this.#entries.has(entry)) return true
    if (entry.gasLimit <= PLAIN_TRANSFER_GAS || !this.#places.has(placeOf(entry))) return false
    this.#entries.add(entry)
    return true
  }

  add(entry: ProposableTransaction, fitsNoBlock: boolean): void {
    this.#entries.add(entry)
    const key = placeOf(entry)
    this.#places.delete(key)
    this.#places.set(key, { fitsNoBlock })
    if (this.#places.size <= MAX_PLACES) return
    for (const oldest of this.#places.keys()) {
      this.#places.delete(oldest)
      break
    }
  }

  /** Another of its account and nonce was found to be so, and it could be, too. */
  fitsNoBlock(entry: ProposableTransaction): boolean {
    if (entry.mostWeight !== undefined || entry.gasLimit <= MAX_TRANSACTION_GAS) return false
    return this.#places.get(placeOf(entry))?.fitsNoBlock === true
  }

  noteUntried(entry: ProposableTransaction): void {
    this.#untried.add(entry)
  }

  /**
   * The ranks of the next proposal: of a heavy transaction what it pays for the weight that it uses up, in terms of
   * ordinary gas; base fee and tip have the same receiver. At a turn all that was kept waiting comes first, and as ranks
   * are equal then, by arrival. What was not looked at since it replaced another ranks as if it were not known.
   */
  beginProposal(baseFeePerGas: bigint): WeightRank {
    const isTurn = ++this.#proposals % TURN_INTERVAL === 0
    return isTurn ? this.#rankTurn(this.#rank(baseFeePerGas)) : this.#rank(baseFeePerGas)
  }

  #rank(baseFeePerGas: bigint): WeightRank {
    const [ordinary, heavy] = [BigInt(ORDINARY_PER_GAS), BigInt(Math.ceil(HEAVY_PER_GAS))]
    return (entry, tip) => (this.#entries.has(entry) ? ((tip + baseFeePerGas) * ordinary) / heavy - baseFeePerGas : tip)
  }

  #rankTurn(rank: WeightRank): WeightRank {
    return (entry, tip) => (this.#entries.has(entry) || this.#untried.has(entry) ? BEFORE_ALL : rank(entry, tip))
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
    if (isLittle && heaviest <= weightLeft) return heaviest
    this.#heavy.noteUntried(entry)
    return undefined
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
    const fitsNoBlock = limit >= MAX_TRANSACTION_WEIGHT
    this.#heavy.add(entry, fitsNoBlock)
    this.#wasted += limit
    this.#heavyMs += elapsedMs
    return fitsNoBlock
  }

  #heavyRoom(): number {
    if (this.#heavyMs > MAX_HEAVY_MS) return 0
    const reserved = Math.min(ORDINARY_SHARE, this.#maxWeight - MAX_TRANSACTION_WEIGHT)
    return this.#maxWeight - reserved - this.#heavyWeight
  }
}
