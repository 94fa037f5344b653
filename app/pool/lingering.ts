/**
 * What a pool has let go and CometBFT still holds: CometBFT asks of each after the next block, and lets go what is refused
 * then. Until it has done so the places are not free.
 */
export class Lingering {
  /** Since the last block, and in the block before, of which CometBFT may not have asked yet. */
  #now = { transactions: 0, bytes: 0 }
  #before = { transactions: 0, bytes: 0 }

  get transactions(): number {
    return this.#now.transactions + this.#before.transactions
  }

  get bytes(): number {
    return this.#now.bytes + this.#before.bytes
  }

  add(bytes: number): void {
    this.#now.transactions++
    this.#now.bytes += bytes
  }

  /** A block is committed: what lingered before the last one is gone. */
  settle(): void {
    this.#before = this.#now
    this.#now = { transactions: 0, bytes: 0 }
  }

  /** CometBFT was restarted. */
  clear(): void {
    this.settle()
    this.settle()
  }
}
