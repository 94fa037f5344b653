/** An exact sum of lots, of which each is below 2^53 and the sum need not be. */
const LIMIT = 2 ** 53

export class LotSum {
  /** The sum is #high x 2^53 + #low. */
  #high = 0
  #low = 0

  add(lots: number): void {
    const room = LIMIT - lots
    if (this.#low >= room) {
      this.#low -= room
      this.#high++
    } else this.#low += lots
  }

  subtract(lots: number): void {
    if (this.#low < lots) {
      this.#low += LIMIT - lots
      this.#high--
    } else this.#low -= lots
  }

  get value(): bigint {
    return this.#high === 0 ? BigInt(this.#low) : BigInt(this.#high) * BigInt(LIMIT) + BigInt(this.#low)
  }
}
