/** Bounded reading of what contracts send (Contract ABI Specification 2). */
import { bytesToBigint } from '../../../core/bytes.ts'
import type { CodedError } from '../../../core/errors.ts'
import { refuseCall } from '../errors.ts'

export const WORD = 32

/**
 * Offsets may point anywhere, also many to the same place: an input is read at most this many times over, so that what
 * decoding costs grows with the input and not with its square. Encoders that share nothing read each byte once.
 */
const MAX_PASSES = 2

export const malformed = (what: string): CodedError => refuseCall(`abi: ${what}`)

export class AbiReader {
  readonly #bytes: Uint8Array
  #budget: number

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#budget = bytes.length * MAX_PASSES
  }

  /** A view. Throws where the input ends before, or was read too often. */
  take(at: number, length: number): Uint8Array {
    if (at + length > this.#bytes.length) throw malformed('the data ends too early')
    this.#budget -= length
    if (this.#budget < 0) throw malformed('parts of the data overlap')
    return this.#bytes.subarray(at, at + length)
  }

  /** An offset or a length: nothing in the input is longer than it. */
  size(at: number): number {
    const value = bytesToBigint(this.take(at, WORD))
    if (value > this.#bytes.length) throw malformed('an offset or a length is beyond the data')
    return Number(value)
  }
}
