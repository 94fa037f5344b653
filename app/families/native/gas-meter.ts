/** Gas of one native transaction. */
import type { CodedError } from '../../../core/errors.ts'
import { sdkError } from '../../../modules/sdk-errors.ts'

export class GasMeter {
  readonly #limit: bigint
  #used = 0n
  #contractExcess = 0n

  constructor(limit: bigint) {
    this.#limit = limit
  }

  /** Never above the limit: what a block counts. */
  get used(): bigint {
    return this.#used < this.#limit ? this.#used : this.#limit
  }

  get left(): bigint {
    return this.#limit - this.used
  }

  /** Throws sdk/11 beyond the limit. */
  consume(amount: bigint, what: string): void {
    this.#used += amount
    if (this.#used > this.#limit) throw this.#outOfGas(what)
  }

  /** A call of a contract used `gas` of its own for what was consumed here as `charged`. */
  noteContract(gas: bigint, charged: bigint): void {
    this.#contractExcess += charged - gas
  }

  /** Gas as the EVM counts it for the calls of contracts, and what was used beside them. */
  get workGas(): bigint {
    return this.#used - this.#contractExcess
  }

  /** Ends work that stopped where the gas ended: all of it is used. */
  exhaust(what: string): CodedError {
    this.#used = this.#limit + 1n
    return this.#outOfGas(what)
  }

  #outOfGas(what: string): CodedError {
    return sdkError('outOfGas', `out of gas in location: ${what}; gasWanted: ${this.#limit}, gasUsed: ${this.#used}`)
  }
}
