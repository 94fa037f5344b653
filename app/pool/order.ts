/** Executable transactions by effective tip, and by arrival among equals; in nonce order within an account. */
import { effectiveTip, type PoolEntry } from './account-queue.ts'

/** What a transaction is worth to the proposer beside others, in anat a gas, from its effective tip. */
export type Rank = (entry: PoolEntry, tip: bigint) => bigint

interface Head {
  readonly entry: PoolEntry
  readonly tip: bigint
  readonly rest: Iterator<PoolEntry>
}

const before = (a: Head, b: Head): boolean => (a.tip === b.tip ? a.entry.arrival < b.entry.arrival : a.tip > b.tip)

/** A binary heap of the accounts' first transactions. */
export class PriorityCursor {
  readonly #heap: Head[] = []
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
    return this.#heap[0]?.entry
  }

  /** Takes the best one: the next of its account comes into play. */
  take(): void {
    const head = this.#pop()
    if (head !== undefined) this.#push(head.rest)
  }

  /** Leaves out the best one, and with it the rest of its account. */
  skipAccount(): void {
    this.#pop()
  }

  #push(rest: Iterator<PoolEntry>): void {
    const next = rest.next()
    if (next.done === true) return
    const tip = effectiveTip(next.value, this.#baseFeePerGas)
    if (tip < 0n) return
    const heap = this.#heap
    const head = { entry: next.value, tip: this.#rank(next.value, tip), rest }
    let at = heap.length
    heap.push(head)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] as Head
      if (!before(head, above)) break
      heap[at] = above
      at = parent
    }
    heap[at] = head
  }

  #pop(): Head | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1] as Head, heap[child] as Head)) child++
      if (!before(heap[child] as Head, last)) break
      heap[at] = heap[child] as Head
      at = child
    }
    heap[at] = last
    return top
  }
}
