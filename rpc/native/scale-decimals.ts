/** Decimals (`LegacyDec`) in the JSON of messages, as the Cosmos SDK reads them. */
import { type DescField, type DescMessage, type JsonValue, type Registry, ScalarType } from '@bufbuild/protobuf'
import { bytesToBase64, utf8ToBytes } from '../../core/bytes.ts'
import { parseDecimal } from '../../core/decimal.ts'
import { isDecimal } from './print-message.ts'

type JsonObject = { [name: string]: JsonValue }

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fields that are decimals or may hold some, under both their names. Options are slow to read: once for each type. */
const knownFields = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>()

const fieldsToScale = (desc: DescMessage): ReadonlyMap<string, DescField> => {
  const known = knownFields.get(desc)
  if (known !== undefined) return known
  const concerned = desc.fields.filter((field) =>
    field.message === undefined ? isDecimal(field) : field.fieldKind !== 'map',
  )
  const named = new Map(
    concerned.flatMap((field) => [field.name, field.jsonName].map((name) => [name, field] as const)),
  )
  knownFields.set(desc, named)
  return named
}

/** In its field it is an integer of 18 places, as text or as the bytes of that. */
const scaleDecimal = (field: DescField, text: string): string => {
  const digits = parseDecimal(text).toString()
  return field.scalar === ScalarType.BYTES ? bytesToBase64(utf8ToBytes(digits)) : digits
}

const scaleItem = (field: DescField, value: JsonValue, registry: Registry, depth: number): JsonValue => {
  if (field.message !== undefined) return scaleMessage(field.message, value, registry, depth + 1)
  // What is no text does not fit the field, which who reads it says.
  return typeof value === 'string' ? scaleDecimal(field, value) : value
}

const scaleField = (field: DescField, value: JsonValue, registry: Registry, depth: number): JsonValue =>
  field.fieldKind === 'list' && Array.isArray(value)
    ? value.map((item) => scaleItem(field, item, registry, depth))
    : scaleItem(field, value, registry, depth)

/** The type of what stands in a google.protobuf.Any, and of anything else that of its field; undefined when unknown. */
const typeOf = (desc: DescMessage, { '@type': url }: JsonObject, registry: Registry): DescMessage | undefined => {
  if (desc.typeName !== 'google.protobuf.Any') return desc
  return typeof url === 'string' ? registry.getMessage(url.slice(url.lastIndexOf('/') + 1)) : undefined
}

/** Messages within messages: more than protobuf-es reads, which refuses those that nest deeper. */
const MOST_LEVELS = 200

const scaleMessage = (desc: DescMessage, value: JsonValue, registry: Registry, depth: number): JsonValue => {
  if (!isObject(value) || depth > MOST_LEVELS) return value
  const type = typeOf(desc, value, registry)
  if (type === undefined) return value
  const fields = fieldsToScale(type)
  let scaled = value
  for (const [name, member] of Object.entries(value)) {
    const field = fields.get(name)
    if (field === undefined) continue
    const changed = scaleField(field, member, registry, depth)
    if (changed === member) continue
    if (scaled === value) scaled = { ...value }
    scaled[name] = changed
  }
  return scaled
}

/**
 * The JSON of a message with its decimals as protobuf has them: `"0.1"`, as the SDK writes it, is 10^17 parts of 10^-18 on the
 * wire. `registry` has the types that may stand in an Any; what does not fit the message stays for who reads it. Throws core/6
 * for a text that is no decimal.
 */
export const scaleDecimals = (desc: DescMessage, value: JsonValue, registry: Registry): JsonValue =>
  scaleMessage(desc, value, registry, 0)
