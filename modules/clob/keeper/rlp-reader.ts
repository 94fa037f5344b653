/** Reads values of the order book's store strictly: one that is damaged is a broken invariant, and halts the node. */
import { type Address, ADDRESS_LENGTH } from '../../../core/address.ts'
import { bytesToBigint, bytesToUtf8, isUtf8 } from '../../../core/bytes.ts'
import { errorText, invariant, InvariantError } from '../../../core/errors.ts'
import { decodeRlp, type RlpItem } from '../../../core/rlp.ts'

export const MAX_UINT32 = 0xffff_ffff
const MAX_NUMBER_BYTES = 7
const MAX_BIGINT_BYTES = 32

const decode = (value: Uint8Array, what: string): RlpItem => {
  try {
    return decodeRlp(value)
  } catch (error) {
    throw new InvariantError(`invariant broken: the ${what} in state is no RLP: ${errorText(error)}`)
  }
}

/** The items of one list, in their order. Byte strings are copies. */
export class RlpReader {
  readonly #items: readonly RlpItem[]
  readonly #what: string
  #at = 0

  private constructor(items: readonly RlpItem[], what: string) {
    this.#items = items
    this.#what = what
  }

  /** `what` stands in messages. */
  static list(value: Uint8Array, what: string): RlpReader {
    const item = decode(value, what)
    invariant(Array.isArray(item), `the ${what} in state is no list`)
    return new RlpReader(item, what)
  }

  /** A value that is no list. */
  static item(value: Uint8Array, what: string): RlpReader {
    return new RlpReader([decode(value, what)], what)
  }

  /** An integer without leading zeros. */
  uint(max: number): number {
    const bytes = this.#next()
    invariant(bytes.length <= MAX_NUMBER_BYTES && bytes[0] !== 0, `the ${this.#what} in state has a damaged integer`)
    let value = 0
    for (const byte of bytes) value = value * 256 + byte
    invariant(value <= max, `the ${this.#what} in state has an integer above ${max}`)
    return value
  }

  /** An integer without leading zeros, below 2^256. */
  bigint(): bigint {
    const bytes = this.#next()
    invariant(bytes.length <= MAX_BIGINT_BYTES && bytes[0] !== 0, `the ${this.#what} in state has a damaged integer`)
    return bytesToBigint(bytes)
  }

  boolean(): boolean {
    return this.uint(1) === 1
  }

  /** A name of a table by its number. */
  choice<Name extends string>(names: Readonly<Record<number, Name>>): Name {
    const name = names[this.uint(MAX_UINT32)]
    invariant(name !== undefined, `the ${this.#what} in state has a choice that does not exist`)
    return name
  }

  bytes(min: number, max = min): Uint8Array {
    const bytes = this.#next()
    invariant(bytes.length >= min && bytes.length <= max, `the ${this.#what} in state has bytes of a wrong length`)
    return bytes.slice()
  }

  address(): Address {
    return this.bytes(ADDRESS_LENGTH)
  }

  text(maxBytes: number): string {
    const bytes = this.bytes(0, maxBytes)
    invariant(isUtf8(bytes), `the ${this.#what} in state has a damaged text`)
    return bytesToUtf8(bytes)
  }

  /** A list within the list, each item by `read`. */
  list<T>(max: number, read: (item: RlpReader) => T): readonly T[] {
    const item = this.#items[this.#at++]
    invariant(Array.isArray(item), `the ${this.#what} in state lacks a list`)
    const inner = new RlpReader(item, this.#what)
    return inner.rest(max, read)
  }

  /** A list within the list, as one thing. */
  record<T>(read: (fields: RlpReader) => T): T {
    const item = this.#items[this.#at++]
    invariant(Array.isArray(item), `the ${this.#what} in state lacks a list`)
    return new RlpReader(item, this.#what).whole(read)
  }

  /** All items that are left, each by `read`, which takes it with one call. */
  rest<T>(max: number, read: (item: RlpReader) => T): readonly T[] {
    const count = this.#items.length - this.#at
    invariant(count <= max, `the ${this.#what} in state has ${count} items, more than ${max}`)
    const out: T[] = []
    while (this.#at < this.#items.length) out.push(read(this))
    return out
  }

  /** What `read` makes of the items, which takes all of them. */
  whole<T>(read: (fields: RlpReader) => T): T {
    const value = read(this)
    invariant(this.#at === this.#items.length, `the ${this.#what} in state has too many or too few items`)
    return value
  }

  #next(): Uint8Array {
    const item = this.#items[this.#at++]
    invariant(item instanceof Uint8Array, `the ${this.#what} in state lacks a byte string`)
    return item
  }
}
