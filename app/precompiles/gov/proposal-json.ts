/**
 * The JSON of a proposal, as `gov submit-proposal` of the Cosmos SDK reads it: messages with their `@type`, fields under
 * their names of the .proto file, decimals with a point.
 */
import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInitShape,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { bytesToUtf8, utf8ToBytes, bytesToBase64 } from '../../../core/bytes.ts'
import { parseDecimal } from '../../../core/decimal.ts'
import { CodedError } from '../../../core/errors.ts'
import { gogoOptions, type govTx } from '../../../proto/index.ts'
import { findDefinition } from '../../native/definitions.ts'
import { MAX_NESTING } from '../../native/limits.ts'
import { refuseCall } from '../errors.ts'

const invalid = (why: string): CodedError => refuseCall(`invalid proposal JSON: ${why}`)

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isDecimal = (field: DescField): boolean => getOption(field, gogoOptions.customtype).endsWith('LegacyDec')

/** Decimals travel as integers of 10^-18 parts: as text, or as the bytes of that text. */
const scaleDecimal = (field: DescField, value: JsonValue): JsonValue => {
  if (typeof value !== 'string') throw invalid(`${field.name} must be a decimal in a string`)
  const scaled = parseDecimal(value).toString()
  return field.scalar === ScalarType.BYTES ? bytesToBase64(utf8ToBytes(scaled)) : scaled
}

/** A message within: not of the types that are texts in JSON. */
const readInner = (desc: DescMessage, value: JsonValue, depth: number): Message => {
  if (!isObject(value)) throw invalid(`${desc.typeName} must be an object`)
  return desc.typeName === AnySchema.typeName ? readAny(value, depth) : readMessage(desc, value, depth)
}

const holdsMessages = (field: DescField, value: JsonValue): boolean =>
  field.message !== undefined && field.fieldKind !== 'map' && (isObject(value) || Array.isArray(value))

const readMessage = (desc: DescMessage, object: JsonObject, depth: number): Message => {
  if (depth > MAX_NESTING) throw invalid(`messages are nested deeper than ${MAX_NESTING} levels`)
  const plain: [string, JsonValue][] = []
  const inner: (readonly [DescField, JsonValue])[] = []
  for (const [name, value] of Object.entries(object)) {
    const field = desc.fields.find((each) => each.name === name || each.jsonName === name)
    if (field !== undefined && holdsMessages(field, value)) inner.push([field, value])
    else plain.push([name, field !== undefined && isDecimal(field) ? scaleDecimal(field, value) : value])
  }
  // Times and the like are texts in JSON, and refuse an object.
  const isPlain = plain.length === 0 && !desc.typeName.startsWith('google.protobuf.')
  const message = isPlain ? create(desc) : fromJson(desc, Object.fromEntries(plain))
  if (inner.length === 0) return message
  const target = reflect(desc, message)
  for (const [field, value] of inner) {
    if (field.fieldKind === 'list' && field.listKind === 'message' && Array.isArray(value)) {
      const list = target.get(field)
      for (const item of value) list.add(reflect(field.message, readInner(field.message, item, depth + 1)))
    } else if (field.fieldKind === 'message' && isObject(value)) {
      target.set(field, reflect(field.message, readInner(field.message, value, depth + 1)))
    } else throw invalid(`${field.name} has another form`)
  }
  return message
}

const readAny = (object: JsonObject, depth: number): Any => {
  const { '@type': typeUrl, ...members } = object
  const desc = typeof typeUrl === 'string' ? findDefinition(typeUrl) : undefined
  if (desc === undefined || typeof typeUrl !== 'string') throw invalid('a message has an unknown @type')
  return create(AnySchema, { typeUrl, value: toBinary(desc, readMessage(desc, members, depth + 1)) })
}

const packMessage = (value: JsonValue, index: number): Any => {
  if (!isObject(value)) throw invalid(`message ${index} must be an object`)
  try {
    return readAny(value, 1)
  } catch (error) {
    if (error instanceof CodedError) throw error
    throw invalid(`message ${index} does not fit its definition`)
  }
}

const parse = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(bytesToUtf8(bytes)) as unknown
  } catch {
    // The words of the engine are not those of every node.
    throw invalid('it does not parse')
  }
}

const textOf = (value: JsonValue | undefined, name: string): string => {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') throw invalid(`${name} must be a string`)
  return value
}

type Submission = MessageInitShape<typeof govTx.MsgSubmitProposalSchema>

const MEMBERS = ['messages', 'metadata', 'title', 'summary', 'expedited'] as const

/** Members that are not known are passed over, as Go's encoding/json does. Those of messages are refused. */
export const parseProposal = (
  bytes: Uint8Array,
): Pick<Required<Submission>, 'expedited' | 'messages' | 'metadata' | 'summary' | 'title'> => {
  const json = parse(bytes)
  if (!isObject(json)) throw invalid('it must be an object')
  const [messages, metadata, title, summary, expedited] = MEMBERS.map((name) => json[name])
  if (messages !== undefined && messages !== null && !Array.isArray(messages))
    throw invalid('messages must be an array')
  if (expedited !== undefined && expedited !== null && typeof expedited !== 'boolean') {
    throw invalid('expedited must be a boolean')
  }
  return {
    messages: (messages ?? []).map(packMessage),
    metadata: textOf(metadata, 'metadata'),
    title: textOf(title, 'title'),
    summary: textOf(summary, 'summary'),
    expedited: expedited === true,
  }
}
