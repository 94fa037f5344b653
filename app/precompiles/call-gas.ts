/** Gas of one call of a precompile. */
import type { CodedError } from '../../core/errors.ts'
import { sdkError } from '../../modules/sdk-errors.ts'

export class CallGas {
  readonly #given: bigint
  #left: bigint
  #isExhausted = false

  constructor(given: bigint) {
    this.#given = given
    this.#left = given
  }

  get left(): bigint {
    return this.#left
  }

  get used(): bigint {
    return this.#given - this.#left
  }

  /** Stays true once it ran out: a module may put other words to what was thrown then. */
  get isExhausted(): boolean {
    return this.#isExhausted
  }

  /** Throws sdk/11, as the meter of a native transaction does. */
  consume(amount: bigint, what: string): void {
    if (amount > this.#left) throw this.exhaust(what)
    this.#left -= amount
  }

  /** Gives back a part of what was taken for a call that used less. */
  giveBack(amount: bigint): void {
    this.#left += amount
  }

  exhaust(what: string): CodedError {
    this.#isExhausted = true
    return sdkError('outOfGas', `out of gas in location: ${what}`)
  }
}
