/** Gas of one native transaction. */
import { sdkError } from '../../../modules/sdk-errors.ts'

export class GasMeter {
  readonly #limit: bigint
  #used = 0n

  constructor(limit: bigint) {
    this.#limit = limit
  }

  /** Never above the limit: what a block counts. */
  get used(): bigint {
    return this.#used < this.#limit ? this.#used : this.#limit
  }

  /** Throws sdk/11 beyond the limit. */
  consume(amount: bigint, what: string): void {
    this.#used += amount
    if (this.#used > this.#limit) {
      throw sdkError('outOfGas', `out of gas in location: ${what}; gasWanted: ${this.#limit}, gasUsed: ${this.#used}`)
    }
  }
}
