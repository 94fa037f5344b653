/** Values of the history: RLP lists of integers and bytes, read by position. */
import { bigintToBytes, bytesToBigint, EMPTY_BYTES } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'

export type Field = number | bigint | Uint8Array

const toBytes = (field: Field): Uint8Array => {
  if (field instanceof Uint8Array) return field
  const value = BigInt(field)
  return value === 0n ? EMPTY_BYTES : bigintToBytes(value)
}

export const encodeFields = (fields: readonly Field[]): Uint8Array => encodeRlp(fields.map(toBytes))

/** Reads one field after the other, in the order of {@link encodeFields}. */
export class FieldReader {
  readonly #items: readonly unknown[]
  #at = 0

  constructor(value: Uint8Array) {
    const list = decodeRlp(value)
    invariant(Array.isArray(list), 'a value of the history is a list')
    this.#items = list
  }

  bytes(): Uint8Array {
    const item = this.#items[this.#at++]
    invariant(item instanceof Uint8Array, 'a value of the history has all its fields')
    return item
  }

  bigint(): bigint {
    return bytesToBigint(this.bytes())
  }

  number(): number {
    return Number(this.bigint())
  }
}
