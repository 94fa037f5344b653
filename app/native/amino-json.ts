/**
 * Messages as amino JSON, which SIGN_MODE_LEGACY_AMINO_JSON signs: derived from the definitions' amino options as
 * x/tx/signing/aminojson of the Cosmos SDK does it, so that it holds for the messages of every module. Members are
 * sorted, 64-bit integers are texts, an Any is {"type": amino name, "value": ...}.
 */
import { getOption, hasOption, ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf'
import type { GenExtension } from '@bufbuild/protobuf/codegenv2'
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect'
import type { Any, Duration, FieldOptions, MessageOptions, Timestamp } from '@bufbuild/protobuf/wkt'
import { bytesToBase64, viewBuffer } from '../../core/bytes.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import { aminoOptions, gogoOptions, scalarOptions } from '../../proto/index.ts'
import { printAminoDecimal, printAminoDuration, printAminoInteger, printAminoTimestamp } from './amino-scalars.ts'
import { DEFINITIONS, findDefinition } from './definitions.ts'
import type { PackedMessage } from './public-key.ts'
import { parseBinary } from './wire.ts'

const ESCAPED = /[<>&\u2028\u2029]/g

/** A text as Go's encoding/json writes it: also the characters that HTML and JavaScript care about are escaped. */
export const printGoString = (text: string): string =>
  JSON.stringify(text).replace(ESCAPED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

const cannotPrint = (what: string) => sdkError('invalidRequest', `amino JSON cannot express ${what}`)

const printBytes = (bytes: Uint8Array): string => `"${bytesToBase64(bytes)}"`

const printScalar = (value: unknown): string => {
  if (typeof value === 'string') return printGoString(value)
  if (typeof value === 'bigint') return `"${value}"`
  if (typeof value === 'boolean') return String(value)
  if (value instanceof Uint8Array) return printBytes(value)
  if (typeof value === 'number' && Number.isInteger(value)) return String(value)
  throw cannotPrint(typeof value)
}

const printItem = (field: DescField, value: unknown): string => {
  if (field.message !== undefined) return printMessage(value as ReflectMessage)
  if (field.scalar === ScalarType.DOUBLE || field.scalar === ScalarType.FLOAT) throw cannotPrint('a float')
  return printScalar(value)
}

// An option, or nothing: asking whether it is there costs a fraction of reading it.
const fieldOption = (field: DescField, option: GenExtension<FieldOptions, string>): string =>
  hasOption(field, option) ? getOption(field, option) : ''
const messageOption = (desc: DescMessage, option: GenExtension<MessageOptions, string>): string =>
  hasOption(desc, option) ? getOption(desc, option) : ''

/** The form of (cosmos_proto.scalar), where it is not that of the field's own type. */
const scalarPrinter = (field: DescField): ((text: string) => string) | undefined => {
  const scalar = fieldOption(field, scalarOptions.scalar)
  // Only decimals that travel without their point are printed: the others are texts as they are read.
  if (scalar === 'cosmos.Dec' && fieldOption(field, gogoOptions.customtype) === 'cosmossdk.io/math.LegacyDec') {
    return printAminoDecimal
  }
  return scalar === 'cosmos.Int' ? printAminoInteger : undefined
}

const EMPTY_LIST_ENCODINGS = ['legacy_coins', 'null_slice_as_empty']

const camelCase = (name: string): string =>
  name.replace(/(?:^|[_.-])([a-z0-9])/g, (_, first: string) => first.toUpperCase())

/** What the options say of one field. */
interface FieldPlan {
  readonly field: DescField
  readonly name: string
  /** The name by which members are sorted: its oneof's name, in camel case, for one of several. */
  readonly sortName: string
  /** The name of this choice of its oneof. */
  readonly choice: string
  readonly encoding: string
  readonly dontOmitEmpty: boolean
  readonly print: ((text: string) => string) | undefined
}

const planField = (field: DescField): FieldPlan => {
  const name = fieldOption(field, aminoOptions.field_name) || field.name
  return {
    field,
    name,
    sortName: field.oneof === undefined ? name : camelCase(field.oneof.name),
    choice: fieldOption(field, aminoOptions.oneof_name),
    encoding: fieldOption(field, aminoOptions.encoding),
    dontOmitEmpty: hasOption(field, aminoOptions.dont_omitempty) && getOption(field, aminoOptions.dont_omitempty),
    print: scalarPrinter(field),
  }
}

interface MessagePlan {
  readonly name: string
  readonly encoding: string
  /** The fields in the order of their members. */
  readonly fields: readonly FieldPlan[]
}

const planMessage = (desc: DescMessage): MessagePlan => ({
  name: messageOption(desc, aminoOptions.name) || `/${desc.typeName}`,
  encoding: messageOption(desc, aminoOptions.message_encoding),
  fields: desc.fields.map(planField).sort((a, b) => (a.sortName < b.sortName ? -1 : a.sortName > b.sortName ? 1 : 0)),
})

const PLANS: ReadonlyMap<DescMessage, MessagePlan> = new Map(
  DEFINITIONS.filter(({ typeName }) => !typeName.startsWith('google.')).map((desc) => [desc, planMessage(desc)]),
)

const planOf = (desc: DescMessage): MessagePlan => PLANS.get(desc) ?? planMessage(desc)

const printList = ({ field, encoding }: FieldPlan, items: Iterable<unknown>): string => {
  const members = Array.from(items, (item) => printItem(field, item))
  if (members.length > 0) return `[${members.join(',')}]`
  return EMPTY_LIST_ENCODINGS.includes(encoding) ? '[]' : 'null'
}

const printField = (plan: FieldPlan, message: ReflectMessage): string => {
  const { field, encoding, print } = plan
  if (field.fieldKind === 'map') throw cannotPrint('a map')
  if (field.fieldKind === 'list') return printList(plan, message.get(field))
  if (encoding !== '') throw cannotPrint(`field ${field.name} in its encoding`)
  const value: unknown = message.get(field)
  if (print !== undefined && typeof value === 'string') return print(value)
  if (print !== undefined && value instanceof Uint8Array) return print(viewBuffer(value).toString('latin1'))
  return printItem(field, value)
}

/** A field at its default that is written nevertheless. */
const printDefault = (plan: FieldPlan, message: ReflectMessage): string => {
  const { field, print } = plan
  if (field.fieldKind === 'message') throw cannotPrint(`${message.desc.typeName} without its field ${field.name}`)
  // Go prints bytes that are not there as null.
  const isNull = field.fieldKind === 'scalar' && field.scalar === ScalarType.BYTES && print === undefined
  return isNull ? 'null' : printField(plan, message)
}

const printMembers = (message: ReflectMessage, fields: readonly FieldPlan[]): string => {
  const members: string[] = []
  const emptyOneofs = new Set<string>()
  for (const plan of fields) {
    const { field, name, sortName, choice } = plan
    const { oneof } = field
    if (message.isSet(field)) {
      const member = `${printGoString(name)}:${printField(plan, message)}`
      members.push(oneof === undefined ? member : `"${sortName}":{"type":"${choice}","value":{${member}}}`)
    } else if (oneof !== undefined) {
      if (message.oneofCase(oneof) !== undefined || emptyOneofs.has(sortName)) continue
      emptyOneofs.add(sortName)
      members.push(`"${sortName}":null`)
    } else if (plan.dontOmitEmpty) {
      members.push(`${printGoString(name)}:${printDefault(plan, message)}`)
    }
  }
  return `{${members.join(',')}}`
}

/** Messages that are printed as something else, by (amino.message_encoding). */
const printEncoded = (message: ReflectMessage, { encoding, fields }: MessagePlan): string => {
  const value = (name: string): unknown => {
    const plan = fields.find(({ field }) => field.name === name)
    return plan === undefined ? undefined : message.get(plan.field)
  }
  switch (encoding) {
    case 'key_field': {
      const key = value('key')
      return key instanceof Uint8Array && key.length > 0 ? printBytes(key) : 'null'
    }
    case 'threshold_string': {
      const keys = fields.find(({ field }) => field.name === 'public_keys')
      const list = keys !== undefined && message.isSet(keys.field) ? printField(keys, message) : '[]'
      return `{"pubkeys":${list},"threshold":"${String(value('threshold'))}"}`
    }
    default:
      throw cannotPrint(`${message.desc.typeName} in its encoding ${encoding}`)
  }
}

const printMessage = (message: ReflectMessage): string => {
  const { desc } = message
  switch (desc.typeName) {
    case 'google.protobuf.Any':
      return printAminoJson(message.message as Any)
    case 'google.protobuf.Timestamp':
      return printAminoTimestamp(message.message as Timestamp)
    case 'google.protobuf.Duration':
      return printAminoDuration(message.message as Duration)
    default: {
      const plan = planOf(desc)
      return plan.encoding === '' ? printMembers(message, plan.fields) : printEncoded(message, plan)
    }
  }
}

/** `{"type":...,"value":...}` of a packed message that was checked when it was decoded. Throws sdk/2 or sdk/18. */
export const printAminoJson = ({ typeUrl, value }: PackedMessage): string => {
  const desc = findDefinition(typeUrl)
  if (desc === undefined) throw sdkError('parse', `unable to resolve type URL ${typeUrl.slice(0, 200)}`)
  return `{"type":"${planOf(desc).name}","value":${printMessage(reflect(desc, parseBinary(desc, value)))}}`
}
