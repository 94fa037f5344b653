/** Executable transactions by effective tip, and by arrival among equals; in nonce order within an account. */
import { effectiveTip, type PoolEntry } from './entry.ts'
import { Heap } from './heap.ts'

/** What a transaction is worth to the proposer beside others, in anat a gas, from its effective tip. */
export type Rank = (entry: PoolEntry, tip: bigint) => bigint

interface Head {
  readonly entry: PoolEntry
  readonly tip: bigint
  readonly rest: Iterator<PoolEntry>
}

const before = (a: Head, b: Head): boolean => (a.tip === b.tip ? a.entry.arrival < b.entry.arrival : a.tip > b.tip)

/** The accounts' first transactions, the best one on top. */
export class PriorityCursor {
  readonly #heap = new Heap<Head>(before)
  readonly #baseFeePerGas: bigint
  readonly #rank: Rank

  /** `rank` says what a transaction is worth where that is not its tip. */
  constructor(accounts: Iterable<Iterator<PoolEntry>>, baseFeePerGas: bigint, rank: Rank = (_, tip) => tip) {
    this.#baseFeePerGas = baseFeePerGas
    this.#rank = rank
    for (const rest of accounts) this.#push(rest)
  }

  /** The best transaction that has not been taken, or undefined. */
  peek(): PoolEntry | undefined {
    return this.#heap.peek()?.entry
  }

  /** Takes the best one: the next of its account comes into play. */
  take(): void {
    const head = this.#heap.pop()
    if (head !== undefined) this.#push(head.rest)
  }

  /** Leaves out the best one, and with it the rest of its account. */
  skipAccount(): void {
    this.#heap.pop()
  }

  #push(rest: Iterator<PoolEntry>): void {
    const next = rest.next()
    if (next.done === true) return
    const tip = effectiveTip(next.value, this.#baseFeePerGas)
    if (tip >= 0n) this.#heap.push({ entry: next.value, tip: this.#rank(next.value, tip), rest })
  }
}
