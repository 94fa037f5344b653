/**
 * Messages as JSON the way the Cosmos SDK prints them (gogo's jsonpb with OrigName and EmitDefaults): names as in the
 * .proto file, fields at their defaults included, 64-bit integers as texts, empty bytes and absent messages as null.
 */
import {
  fromBinary,
  getOption,
  ScalarType,
  toJson,
  type DescField,
  type DescMessage,
  type Message,
  type Registry,
} from '@bufbuild/protobuf'
import { reflect, type ReflectMessage, type ScalarValue } from '@bufbuild/protobuf/reflect'
import type { Any } from '@bufbuild/protobuf/wkt'
import { customtype } from '../../proto/gen/gogoproto/gogo_pb.ts'

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

/** Decimals travel as integers with 18 digits behind a point that is not there. */
const isDecimal = (field: DescField): boolean => getOption(field, customtype).endsWith('LegacyDec')

export const printDecimal = (text: string): string => {
  const match = /^(-?)(\d+)$/.exec(text)
  if (match === null) return text
  const digits = (match[2] ?? '').padStart(19, '0')
  return `${match[1]}${digits.slice(0, -18)}.${digits.slice(-18)}`
}

const printScalar = (type: ScalarType, value: ScalarValue, field: DescField): Json => {
  if (value instanceof Uint8Array) {
    if (value.length === 0) return null
    return isDecimal(field) ? printDecimal(Buffer.from(value).toString()) : Buffer.from(value).toString('base64')
  }
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') return type === ScalarType.STRING && isDecimal(field) ? printDecimal(value) : value
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

const WELL_KNOWN = new Set(['google.protobuf.Timestamp', 'google.protobuf.Duration'])

const printAny = (any: Any, registry: Registry): Json => {
  const type = registry.getMessage(any.typeUrl.slice(any.typeUrl.lastIndexOf('/') + 1))
  if (type === undefined) return { '@type': any.typeUrl, value: Buffer.from(any.value).toString('base64') }
  const inner = print(reflect(type, fromBinary(type, any.value)), registry)
  return { '@type': any.typeUrl, ...(inner as { [name: string]: Json }) }
}

const printEnum = (field: DescField & { readonly enum: NonNullable<DescField['enum']> }, value: unknown): Json =>
  field.enum.value[value as number]?.name ?? (value as number)

const printItem = (field: DescField, value: unknown, registry: Registry): Json => {
  if (field.message !== undefined) return print(value as ReflectMessage, registry)
  if (field.enum !== undefined) return printEnum(field as never, value)
  return printScalar(field.scalar ?? ScalarType.STRING, value as ScalarValue, field)
}

const printField = (message: ReflectMessage, field: DescField, registry: Registry): Json => {
  switch (field.fieldKind) {
    case 'list':
      return [...message.get(field)].map((item) => printItem(field, item, registry))
    case 'map':
      return Object.fromEntries(
        [...message.get(field)].map(([key, item]) => [String(key), printItem(field, item, registry)]),
      )
    case 'message':
      return message.isSet(field) ? print(message.get(field), registry) : null
    default:
      return printItem(field, message.get(field), registry)
  }
}

const print = (message: ReflectMessage, registry: Registry): Json => {
  const { typeName } = message.desc
  if (typeName === 'google.protobuf.Any') return printAny(message.message as Any, registry)
  if (WELL_KNOWN.has(typeName)) return toJson(message.desc, message.message) as Json
  const result: { [name: string]: Json } = {}
  for (const field of message.desc.fields) {
    // Of a oneof only the member that is set is shown.
    if (field.oneof !== undefined && !message.isSet(field)) continue
    result[field.name] = printField(message, field, registry)
  }
  return result
}

export const printMessage = (type: DescMessage, message: Message, registry: Registry): string =>
  JSON.stringify(print(reflect(type, message), registry))
