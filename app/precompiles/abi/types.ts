/** The types of Solidity's ABI that the precompiles use, each with its codec. Values are checked on both ways. */
import { type Address, ADDRESS_LENGTH } from '../../../core/address.ts'
import {
  bigintToBytes,
  bytesToBigint,
  bytesToUtf8,
  EMPTY_BYTES,
  isUtf8,
  isZeroBytes,
  padLeft,
  utf8ToBytes,
} from '../../../core/bytes.ts'
import { type AbiReader, malformed, WORD } from './reader.ts'

/** How a JSON ABI describes a parameter. */
export interface AbiParameter {
  readonly name: string
  readonly type: string
  readonly components?: readonly AbiParameter[]
}

export interface AbiType<Value> {
  /** The type as selectors hash it: `(string,uint256)[]`. */
  readonly canonical: string
  /** The type as a JSON ABI has it: `tuple[]` with components. */
  readonly json: Omit<AbiParameter, 'name'>
  /** Stands behind the heads, which hold its offset. */
  readonly isDynamic: boolean
  /** Bytes of it among the heads. */
  readonly headBytes: number
  read(reader: AbiReader, at: number): Value
  write(value: Value): Uint8Array
}

/** Named types in their order. */
export type Fields = Readonly<Record<string, AbiType<unknown>>>
export type ValueOf<Type> = Type extends AbiType<infer Value> ? Value : never
export type Values<Named extends Fields> = { readonly [Name in keyof Named]: ValueOf<Named[Name]> }

const elementary = <Value>(
  canonical: string,
  read: (word: Uint8Array) => Value,
  write: (value: Value) => Uint8Array,
): AbiType<Value> => ({
  canonical,
  json: { type: canonical },
  isDynamic: false,
  headBytes: WORD,
  read: (reader, at) => read(reader.take(at, WORD)),
  write,
})

const uint = (bits: number): AbiType<bigint> => {
  const inRange = (value: bigint): bigint => {
    if (value < 0n || value >> BigInt(bits) !== 0n) throw malformed(`uint${bits} out of range`)
    return value
  }
  return elementary(
    `uint${bits}`,
    (word) => inRange(bytesToBigint(word)),
    (value) => padLeft(bigintToBytes(inRange(value)), WORD),
  )
}

const int = (bits: number): AbiType<bigint> => {
  const inRange = (value: bigint): bigint => {
    if (BigInt.asIntN(bits, value) !== value) throw malformed(`int${bits} out of range`)
    return value
  }
  return elementary(
    `int${bits}`,
    (word) => inRange(BigInt.asIntN(256, bytesToBigint(word))),
    (value) => padLeft(bigintToBytes(BigInt.asUintN(256, inRange(value))), WORD),
  )
}

export const uint8 = uint(8)
export const uint32 = uint(32)
export const uint64 = uint(64)
export const uint256 = uint(256)
export const int64 = int(64)
export const int256 = int(256)

export const bool: AbiType<boolean> = elementary(
  'bool',
  (word) => {
    const value = bytesToBigint(word)
    if (value > 1n) throw malformed('improperly encoded boolean value')
    return value === 1n
  },
  (value) => padLeft(value ? Uint8Array.of(1) : EMPTY_BYTES, WORD),
)

export const address: AbiType<Address> = elementary(
  'address',
  (word) => {
    if (!isZeroBytes(word.subarray(0, WORD - ADDRESS_LENGTH))) throw malformed('improperly encoded address')
    // A copy: the word is a view of memory that changes.
    return word.slice(WORD - ADDRESS_LENGTH)
  },
  (value) => padLeft(value, WORD),
)

/** Lists may be long: as arguments of a function they would not all fit onto the stack. */
const join = (parts: readonly Uint8Array[]): Uint8Array => {
  const out = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

const padRight = (bytes: Uint8Array): Uint8Array => {
  const out = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD)
  out.set(bytes)
  return out
}

const word = (value: number): Uint8Array => padLeft(bigintToBytes(BigInt(value)), WORD)

const byteString = <Value>(
  canonical: string,
  read: (bytes: Uint8Array) => Value,
  write: (value: Value) => Uint8Array,
): AbiType<Value> => ({
  canonical,
  json: { type: canonical },
  isDynamic: true,
  headBytes: WORD,
  read: (reader, at) => read(reader.take(at + WORD, reader.size(at))),
  write: (value) => {
    const bytes = write(value)
    return join([word(bytes.length), padRight(bytes)])
  },
})

export const bytes: AbiType<Uint8Array> = byteString(
  'bytes',
  (view) => view.slice(),
  (value) => value,
)

export const string: AbiType<string> = byteString(
  'string',
  (view) => {
    if (!isUtf8(view)) throw malformed('a string is not UTF-8')
    return bytesToUtf8(view)
  },
  utf8ToBytes,
)

/** Reads types that stand beside each other from `start` on; offsets count from there. */
const readAll = (types: readonly AbiType<unknown>[], reader: AbiReader, start: number): unknown[] => {
  let head = start
  return types.map((type) => {
    const at = type.isDynamic ? start + reader.size(head) : head
    head += type.headBytes
    return type.read(reader, at)
  })
}

const writeAll = (types: readonly AbiType<unknown>[], values: readonly unknown[]): Uint8Array => {
  const written = types.map((type, index) => type.write(values[index]))
  let tail = types.reduce((sum, { headBytes }) => sum + headBytes, 0)
  const heads = written.map((part, index) => {
    if (types[index]?.isDynamic !== true) return part
    tail += part.length
    return word(tail - part.length)
  })
  return join([...heads, ...written.filter((_, index) => types[index]?.isDynamic === true)])
}

export const parametersOf = (fields: Fields): readonly AbiParameter[] =>
  Object.entries(fields).map(([name, type]) => ({ name, ...type.json }))

/** A struct, or the parameters of a method. */
export const tuple = <Named extends Fields>(fields: Named): AbiType<Values<Named>> => {
  const names = Object.keys(fields)
  const types = Object.values(fields)
  const isDynamic = types.some((type) => type.isDynamic)
  return {
    canonical: `(${types.map(({ canonical }) => canonical).join(',')})`,
    json: { type: 'tuple', components: parametersOf(fields) },
    isDynamic,
    headBytes: isDynamic ? WORD : types.reduce((sum, { headBytes }) => sum + headBytes, 0),
    read: (reader, at) => {
      const values = readAll(types, reader, at)
      // The fields are those of `Named`, each read by its own type.
      return Object.fromEntries(names.map((name, index) => [name, values[index]])) as Values<Named>
    },
    write: (value) =>
      writeAll(
        types,
        names.map((name) => value[name]),
      ),
  }
}

export const array = <Item>(item: AbiType<Item>): AbiType<readonly Item[]> => ({
  canonical: `${item.canonical}[]`,
  json: { ...item.json, type: `${item.json.type}[]` },
  isDynamic: true,
  headBytes: WORD,
  read: (reader, at) => {
    const length = reader.size(at)
    // Reading one item reads at least its head, so a length without items behind it ends at once.
    const items: Item[] = []
    const start = at + WORD
    for (let index = 0; index < length; index++) {
      const head = start + index * item.headBytes
      items.push(item.read(reader, item.isDynamic ? start + reader.size(head) : head))
    }
    return items
  },
  write: (values) =>
    join([
      word(values.length),
      writeAll(
        values.map(() => item),
        values,
      ),
    ]),
})
