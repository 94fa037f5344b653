/** Texts of paths and queries as values of fields, with the words of grpc-gateway, which are those of Go's strconv. */
import { fromJson, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { CodedError } from '../../core/errors.ts'
import { GRPC } from '../grpc/status.ts'

export const invalidArgument = (message: string): CodedError => new CodedError('grpc', GRPC.invalidArgument, message)

const notParsed = (parser: string, text: string, reason: string): CodedError =>
  invalidArgument(`strconv.${parser}: parsing ${JSON.stringify(text.slice(0, 100))}: ${reason}`)

/** More digits than any integer of 64 bits, and BigInt takes long with thousands. */
const MAX_DIGITS = 40

interface Range {
  readonly parser: 'ParseInt' | 'ParseUint'
  readonly bits: 32 | 64
}

const SIGNED_32: Range = { parser: 'ParseInt', bits: 32 }
const UNSIGNED_32: Range = { parser: 'ParseUint', bits: 32 }
const SIGNED_64: Range = { parser: 'ParseInt', bits: 64 }
const UNSIGNED_64: Range = { parser: 'ParseUint', bits: 64 }

const RANGES: { readonly [Type in ScalarType]?: Range } = {
  [ScalarType.INT32]: SIGNED_32,
  [ScalarType.SINT32]: SIGNED_32,
  [ScalarType.SFIXED32]: SIGNED_32,
  [ScalarType.UINT32]: UNSIGNED_32,
  [ScalarType.FIXED32]: UNSIGNED_32,
  [ScalarType.INT64]: SIGNED_64,
  [ScalarType.SINT64]: SIGNED_64,
  [ScalarType.SFIXED64]: SIGNED_64,
  [ScalarType.UINT64]: UNSIGNED_64,
  [ScalarType.FIXED64]: UNSIGNED_64,
}

const parseInteger = (text: string, { parser, bits }: Range): number | bigint => {
  const isSigned = parser === 'ParseInt'
  if (!(isSigned ? /^[+-]?\d+$/ : /^\d+$/).test(text)) throw notParsed(parser, text, 'invalid syntax')
  const value = text.length > MAX_DIGITS ? undefined : BigInt(text.replace('+', ''))
  const most = 2n ** BigInt(isSigned ? bits - 1 : bits) - 1n
  if (value === undefined || value > most || value < (isSigned ? -most - 1n : 0n)) {
    throw notParsed(parser, text, 'value out of range')
  }
  return bits === 64 ? value : Number(value)
}

const parseBool = (text: string): boolean => {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false
  throw notParsed('ParseBool', text, 'invalid syntax')
}

const parseFloating = (text: string): number => {
  const value = text.trim() === text && text !== '' ? Number(text) : Number.NaN
  if (Number.isNaN(value)) throw notParsed('ParseFloat', text, 'invalid syntax')
  return value
}

/** The standard alphabet or the one of URLs, with padding or without. */
const parseBase64 = (text: string): Uint8Array => {
  // A plus sign that nobody escaped has become a space on its way through the query.
  const digits = text.replaceAll(' ', '+').replace(/={0,2}$/, '')
  if (!/^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)$/.test(digits) || digits.length % 4 === 1) {
    throw invalidArgument('illegal base64 data')
  }
  return new Uint8Array(Buffer.from(digits, 'base64'))
}

const parseEnum = (field: DescField & { readonly enum: object }, text: string): number => {
  const found = field.enum?.values.find(({ name, number }) => name === text || String(number) === text)
  if (found === undefined) throw invalidArgument(`${text.slice(0, 100)} is not a valid ${field.enum?.typeName}`)
  return found.number
}

/** Times and durations; other messages have no form as one text. */
const parseMessageText = (message: DescMessage, text: string): unknown => {
  try {
    return fromJson(message, text)
  } catch {
    throw invalidArgument(`${JSON.stringify(text.slice(0, 100))} is not a valid ${message.typeName}`)
  }
}

/** One value of a field that is not a map. Throws grpc/3. */
export const parseParameter = (field: DescField, text: string): unknown => {
  if (field.enum !== undefined) return parseEnum(field, text)
  if (field.message !== undefined) return parseMessageText(field.message, text)
  switch (field.scalar) {
    case ScalarType.STRING:
      return text
    case ScalarType.BOOL:
      return parseBool(text)
    case ScalarType.BYTES:
      return parseBase64(text)
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return parseFloating(text)
    default: {
      const range = RANGES[field.scalar]
      if (range === undefined) throw invalidArgument(`unsupported field type of ${JSON.stringify(field.name)}`)
      return parseInteger(text, range)
    }
  }
}
