/** Amino JSON as go-amino 0.16 reads and prints it: members in the order of Go's structs, 64-bit integers as texts. */
import { bytesToBase64 } from '../../../core/bytes.ts'
import { formatDecimal, parseDecimal } from '../../../core/decimal.ts'
import { CodedError } from '../../../core/errors.ts'
import { parseTime, toSecondsAndNanos } from '../../../core/time.ts'
import { printGoString } from '../amino-json.ts'
import { printAminoTimestamp } from '../amino-scalars.ts'
import { MAX_NESTING } from '../limits.ts'
import {
  type AminoField,
  type AminoType,
  type AminoValue,
  refuseAmino,
  type RegisteredType,
  typeByName,
} from './schema.ts'

const INTEGER = /^-?(?:0|[1-9][0-9]{0,95})$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const ZERO_TIME = '0001-01-01T00:00:00Z'
const ZERO_SECONDS = -62_135_596_800n

type JsonRecord = Readonly<Record<string, unknown>>

const mismatch = (type: AminoType) => refuseAmino(`a value of ${type.kind} is of another type`)

const readText = (type: AminoType, value: unknown): string => {
  if (typeof value !== 'string' || !value.isWellFormed()) throw mismatch(type)
  return value
}

const readRecord = (type: AminoType, value: unknown): JsonRecord => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw mismatch(type)
  return value as JsonRecord
}

const readVarint = (type: Extract<AminoType, { kind: 'varint' }>, value: unknown): bigint => {
  const { bits, isSigned } = type
  const isText = bits === 64
  if (isText ? typeof value !== 'string' || !INTEGER.test(value) : !Number.isSafeInteger(value)) throw mismatch(type)
  const number = BigInt(value as string | number)
  if ((isSigned ? BigInt.asIntN(bits, number) : BigInt.asUintN(bits, number)) !== number) throw mismatch(type)
  return number
}

/** What core parsers refuse, in the service's code. */
const parseWith = <Result>(parse: (text: string) => Result, text: string): Result => {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof CodedError) throw refuseAmino(error.message)
    throw error
  }
}

const readName = ({ type }: JsonRecord): string => {
  if (typeof type === 'string' && type !== '') return type
  throw refuseAmino('JSON encoding of interfaces require non-empty type field.')
}

const readStruct = (fields: readonly AminoField[], record: JsonRecord, depth: number): AminoValue => {
  if (depth > MAX_NESTING) throw refuseAmino('nested too deep')
  const other = Object.keys(record).find((name) => !fields.some((field) => field.name === name))
  // Go passes over it, and what is encoded would lack it.
  if (other !== undefined) throw refuseAmino(`unknown field ${other.slice(0, 100)}`)
  const values = new Map<string, AminoValue>()
  for (const { name, type } of fields) {
    const given = record[name]
    const value = given === undefined || given === null ? undefined : readValue(type, given, depth)
    if (value !== undefined) values.set(name, value)
  }
  return values
}

const readValue = (type: AminoType, value: unknown, depth: number): AminoValue => {
  switch (type.kind) {
    case 'text':
      return readText(type, value)
    case 'bool':
      if (typeof value !== 'boolean') throw mismatch(type)
      return value
    case 'bytes': {
      const text = readText(type, value)
      if (!BASE64.test(text)) throw mismatch(type)
      return new Uint8Array(Buffer.from(text, 'base64'))
    }
    case 'integer': {
      const text = readText(type, value)
      if (!INTEGER.test(text)) throw mismatch(type)
      return BigInt(text)
    }
    case 'decimal':
      return parseWith(parseDecimal, readText(type, value))
    case 'time': {
      const text = readText(type, value)
      if (text === ZERO_TIME) return { seconds: ZERO_SECONDS, nanos: 0 }
      return toSecondsAndNanos(parseWith(parseTime, text))
    }
    case 'varint':
      return readVarint(type, value)
    case 'struct':
      return readStruct(type.fields, readRecord(type, value), depth + 1)
    case 'list':
      if (!Array.isArray(value)) throw mismatch(type)
      return value.map((item: unknown) => (item === null ? undefined : readValue(type.item, item, depth + 1)))
    case 'registered': {
      const record = readRecord(type, value)
      const registered = typeByName(readName(record))
      return { registered, value: readValue(registered.type, record['value'], depth + 1) }
    }
  }
}

/** Parses `{"type":...,"value":...}`. Throws grpc/2. */
export const parseRegistered = (registered: RegisteredType, text: string): AminoValue => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw refuseAmino('invalid JSON')
  }
  const record = readRecord({ kind: 'registered' }, json)
  const name = readName(record)
  if (name !== registered.name) throw refuseAmino(`cannot read ${name.slice(0, 200)} as ${registered.name}`)
  return { registered, value: readValue(registered.type, record['value'], 0) }
}

const isEmpty = (type: AminoType, value: AminoValue | undefined): boolean => {
  switch (type.kind) {
    case 'text':
      return value === ''
    case 'varint':
      return value === 0n
    case 'bool':
      return value === false
    case 'bytes':
      return (value as Uint8Array).length === 0
    case 'list':
      return (value as readonly unknown[]).length === 0
    default:
      return false
  }
}

/** What Go has where the binary has nothing. */
const zeroOf = (type: AminoType): AminoValue | undefined => {
  switch (type.kind) {
    case 'text':
      return ''
    case 'varint':
      return 0n
    case 'bool':
      return false
    case 'integer':
    case 'decimal':
      return 0n
    case 'struct':
      return new Map()
    case 'time':
      return { seconds: 0n, nanos: 0 }
    case 'list':
      return type.isCoins ? [] : undefined
    default:
      return undefined
  }
}

const printStruct = (fields: readonly AminoField[], values: ReadonlyMap<string, AminoValue>): string => {
  const members: string[] = []
  for (const { name, type, isPointer, omitsEmpty } of fields) {
    const value = values.get(name) ?? (isPointer ? undefined : zeroOf(type))
    if (omitsEmpty && (value === undefined || (!isPointer && isEmpty(type, value)))) continue
    members.push(`${printGoString(name)}:${printValue(type, value)}`)
  }
  return `{${members.join(',')}}`
}

const printValue = (type: AminoType, value: AminoValue | undefined): string => {
  if (value === undefined) return 'null'
  switch (type.kind) {
    case 'text':
      return printGoString(value as string)
    case 'bool':
      return String(value)
    case 'bytes':
      return `"${bytesToBase64(value as Uint8Array)}"`
    case 'integer':
      return `"${value as bigint}"`
    case 'decimal':
      return `"${formatDecimal(value as bigint)}"`
    case 'time':
      return printAminoTimestamp(value as { seconds: bigint; nanos: number })
    case 'varint':
      return type.bits === 64 ? `"${value as bigint}"` : String(value)
    case 'struct':
      return printStruct(type.fields, value as ReadonlyMap<string, AminoValue>)
    case 'list':
      return `[${(value as readonly (AminoValue | undefined)[]).map((item) => printValue(type.item, item)).join(',')}]`
    case 'registered':
      return printRegistered(value)
  }
}

export const printRegistered = (value: AminoValue): string => {
  const { registered, value: inner } = value as { registered: RegisteredType; value: AminoValue }
  return `{"type":"${registered.name}","value":${printValue(registered.type, inner)}}`
}
