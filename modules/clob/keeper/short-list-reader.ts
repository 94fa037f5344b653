/**
 * Reads a flat RLP list of fewer than 256 bytes in place: open orders are read by the hundred thousand when a node
 * starts, and a view of bytes for each field would take most of that time. It is as strict as RlpReader: what is
 * damaged is a broken invariant.
 */
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'

const STRING = 0x80
const LIST = 0xc0
/** The header of a list whose length stands in the next byte. */
const LONG_LIST = 0xf8
const SHORT_LIMIT = 56
const MAX_NUMBER_BYTES = 7

export class ShortListReader {
  readonly #value: Uint8Array
  readonly #what: string
  #at: number

  /** `what` stands in messages. */
  constructor(value: Uint8Array, what: string) {
    this.#value = value
    this.#what = what
    const first = value[0] ?? 0
    const isLong = first === LONG_LIST
    const length = isLong ? (value[1] ?? 0) : first - LIST
    const isList = isLong ? length >= SHORT_LIMIT : length >= 0 && length < SHORT_LIMIT
    this.#at = isLong ? 2 : 1
    invariant(isList && value.length === this.#at + length, `the ${what} in state is no list`)
  }

  /** An integer without leading zeros. */
  uint(max: number): number {
    const length = this.#header()
    if (length === 0) return 0
    const first = this.#value[this.#at] as number
    invariant(length <= MAX_NUMBER_BYTES && first !== 0, `the ${this.#what} in state has a damaged integer`)
    let value = 0
    for (let left = length; left > 0; left--) value = value * 256 + (this.#value[this.#at++] as number)
    invariant(value <= max, `the ${this.#what} in state has an integer above ${max}`)
    return value
  }

  /** A name of a table by its number. */
  choice<Name extends string>(names: Readonly<Record<number, Name>>): Name {
    const name = names[this.uint(Number.MAX_SAFE_INTEGER)]
    invariant(name !== undefined, `the ${this.#what} in state has a choice that does not exist`)
    return name
  }

  /** A copy. */
  bytes(min: number, max = min): Uint8Array {
    const length = this.#header()
    invariant(length >= min && length <= max, `the ${this.#what} in state has bytes of a wrong length`)
    if (length === 0) return EMPTY_BYTES
    this.#at += length
    return this.#value.slice(this.#at - length, this.#at)
  }

  /** Nothing is left. */
  end(): void {
    invariant(this.#at === this.#value.length, `the ${this.#what} in state has too many items`)
  }

  /** Length of the next string, whose first byte the reader stands at then. */
  #header(): number {
    const first = this.#value[this.#at]
    invariant(first !== undefined && first < STRING + SHORT_LIMIT, `the ${this.#what} in state lacks a byte string`)
    // A byte below 0x80 stands for itself.
    if (first < STRING) return 1
    const length = first - STRING
    this.#at++
    invariant(this.#at + length <= this.#value.length, `the ${this.#what} in state is cut off`)
    const isShortest = length !== 1 || (this.#value[this.#at] as number) >= STRING
    invariant(isShortest, `the ${this.#what} in state is not canonical`)
    return length
  }
}
