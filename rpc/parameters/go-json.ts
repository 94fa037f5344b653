/**
 * Reading JSON as Go's encoding/json does, with its texts: clients and their users know geth's errors word by word.
 * A decoder takes the parsed value and the place it was found at: '' for an argument, `Struct.field` for a member.
 */
import { CodedError } from '../../core/errors.ts'
import { isRpcError, rpcError } from '../errors.ts'
import { digitsOf, NumberLiteral } from './number-literal.ts'

export type Decode<Value> = (value: unknown, place: string) => Value

/** A value that its type refuses to read: Go stops at the first. */
export const invalidValue = (message: string): CodedError => rpcError('invalidParameters', message)

const describe = (what: string, place: string, type: string): string =>
  `json: cannot unmarshal ${what} into Go ${place === '' ? 'value' : `struct field ${place}`} of type ${type}`

export const unmarshalError = (what: string, place: string, type: string): CodedError =>
  invalidValue(describe(what, place, type))

const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  if (value instanceof NumberLiteral) return 'number'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

const mismatchOf = (what: string, place: string, type: string): CodedError =>
  rpcError('parameterMismatch', describe(what, place, type))

/** JSON of another kind than the type's: Go goes on, and reports it when nothing else was wrong. */
export const mismatch = (value: unknown, place: string, type: string): CodedError =>
  mismatchOf(kindOf(value), place, type)

/** Digits of integers of Go, with room: the time that BigInt takes grows faster than the length of a text. */
const MAX_DIGITS = 20

/** Go reads no sign for a type that has none, not even of 0. */
const parseInteger = (digits: string, least: bigint, most: bigint): number | undefined => {
  if (digits.length > MAX_DIGITS || !(least < 0n ? /^-?\d+$/ : /^\d+$/).test(digits)) return undefined
  const value = BigInt(digits)
  return value >= least && value <= most ? Number(value) : undefined
}

/** A number of JSON for an integer of Go. One above 2^53 may be rounded: it is above every limit. */
export const integerDecoder =
  (type: string, least: bigint, most: bigint): Decode<number> =>
  (value, place) => {
    if (value === null) return 0
    const digits = digitsOf(value)
    if (digits === undefined) throw mismatch(value, place, type)
    const integer = parseInteger(digits, least, most)
    if (integer === undefined) throw mismatchOf(`number ${digits}`, place, type)
    return integer
  }

export const decodeInt = integerDecoder('int', -(2n ** 63n), 2n ** 63n - 1n)
export const decodeUint64Number = integerDecoder('uint64', 0n, 2n ** 64n - 1n)

/** Takes every step past mismatches, the first of which is thrown at last. */
export const passMismatches = <Item>(items: Iterable<Item>, step: (item: Item) => void): void => {
  let first: CodedError | undefined
  for (const item of items) {
    try {
      step(item)
    } catch (error) {
      if (!isRpcError(error, 'parameterMismatch')) throw error
      first ??= error as CodedError
    }
  }
  if (first !== undefined) throw first
}

/** Turns what a type with a parser of its own refuses into an invalid value: Go stops there. */
export const refuseMismatch = <Value>(decode: () => Value): Value => {
  try {
    return decode()
  } catch (error) {
    throw error instanceof CodedError ? invalidValue(error.message) : error
  }
}

export const decodeBoolean: Decode<boolean> = (value, place) => {
  if (value === null) return false
  if (typeof value !== 'boolean') throw mismatch(value, place, 'bool')
  return value
}

/** `type` is `string` or the name of a Go type that is one. */
export const stringDecoder =
  (type: string): Decode<string> =>
  (value, place) => {
    if (value === null) return ''
    if (typeof value !== 'string') throw mismatch(value, place, type)
    return value
  }

export const decodeString = stringDecoder('string')

export const decodeFloat: Decode<number> = (value, place) => {
  if (value === null) return 0
  const digits = digitsOf(value)
  if (digits === undefined) throw mismatch(value, place, 'float64')
  const number = Number(digits)
  if (!Number.isFinite(number)) throw mismatchOf(`number ${digits}`, place, 'float64')
  return number
}

/** Arrays; null is an empty one. `type` is the slice's name in Go. */
export const arrayDecoder =
  <Value>(type: string, decodeItem: Decode<Value>): Decode<readonly Value[]> =>
  (value, place) => {
    if (value === null) return []
    if (!Array.isArray(value)) throw mismatch(value, place, type)
    const items: Value[] = []
    passMismatches(value, (item) => void items.push(decodeItem(item, place)))
    return items
  }

/** A pointer in Go: null is absence. */
export const optional =
  <Value>(decode: Decode<Value>): Decode<Value | undefined> =>
  (value, place) =>
    value === null ? undefined : decode(value, place)

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberLiteral)

/** A member of a struct: its name in JSON and how its value is read and kept. */
export type Members<Result> = { readonly [Name in keyof Result]-?: Decode<Result[Name]> }

export interface Struct<Result> {
  /**
   * The type as Go prints it for the whole value, `ethapi.TransactionArgs`, and in the place of a member,
   * `TransactionArgs`.
   */
  readonly type: string
  readonly name: string
  readonly members: Members<Result>
  /** True for Go structs without JSON names: places then show the name of the Go field. */
  readonly capitalized?: boolean
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/**
 * Objects: members are found ignoring case, the last wins, unknown ones are skipped, null is an empty object.
 * The place of a member is the path from the whole argument, behind the name of the struct that it stands in; one with a
 * parser of its own (`nested`) shows its path behind the place of the whole.
 */
export const structDecoder = <Result extends object>(
  struct: Struct<Result>,
  nested = false,
): Decode<Partial<Result>> => {
  const byName = new Map<string, { readonly name: string; readonly decode: Decode<unknown>; readonly field: string }>()
  for (const [name, decode] of Object.entries(struct.members) as [string, Decode<unknown>][]) {
    byName.set(name.toLowerCase(), { name, decode, field: struct.capitalized === true ? capitalize(name) : name })
  }
  return (value, place) => {
    if (value === null) return {}
    if (!isObject(value)) throw mismatch(value, place, struct.type)
    const result: Record<string, unknown> = {}
    const path = nested || place === '' ? place : `${struct.name}.${place.slice(place.indexOf('.') + 1)}`
    const at = path === '' ? struct.name : path
    passMismatches(Object.entries(value), ([key, member]) => {
      const known = byName.get(key.toLowerCase())
      if (known === undefined) return
      result[known.name] = known.decode(member, `${at}.${known.field}`)
    })
    return result as Partial<Result>
  }
}
