/** Requests of REST into messages: fields in the path, in the query and in the body, as grpc-gateway reads them. */
import {
  create,
  type DescField,
  type DescMessage,
  type JsonValue,
  type Message,
  type Registry,
} from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { CodedError } from '../../core/errors.ts'
import { parseValue } from '../payload.ts'
import { invalidArgument, parseParameter } from './parse-parameter.ts'
import { readJson } from './read-json.ts'
import { scaleDecimals } from './scale-decimals.ts'
import { shortenTypeUrls } from './type-urls.ts'

type Draft = Record<string, unknown>

const findField = (message: DescMessage, name: string): DescField | undefined =>
  message.fields.find((field) => field.name === name || field.jsonName === name)

const assign = (draft: Draft, field: DescField, value: unknown): void => {
  if (field.oneof === undefined) draft[field.localName] = value
  else draft[field.oneof.localName] = { case: field.localName, value }
}

/** Sets a dotted path like pagination.limit; names that the message does not have are passed over. */
const setField = (draft: Draft, message: DescMessage, path: readonly string[], values: readonly string[]): void => {
  const [name = '', ...rest] = path
  const field = findField(message, name)
  if (field === undefined) return
  if (rest.length > 0) {
    if (field.fieldKind !== 'message') {
      throw invalidArgument(`non-aggregate type in the mid of path: ${path.join('.')}`)
    }
    if (field.oneof !== undefined) return
    const inner = draft[field.localName] ?? create(field.message)
    draft[field.localName] = inner
    setField(inner as Draft, field.message, rest, values)
    return
  }
  if (field.fieldKind === 'map') return
  if (field.fieldKind === 'list') {
    draft[field.localName] = values.map((value) => parseParameter(field, value))
    return
  }
  if (values.length > 1) throw invalidArgument(`too many values for field ${JSON.stringify(name)}`)
  assign(draft, field, parseParameter(field, values[0] ?? ''))
}

/** Commas: more than a transaction of the greatest size has. Each may be a message, which takes ten microseconds. */
const MOST_SEPARATORS = 8_192

const readBody = (message: DescMessage, body: string, registry: Registry): Message => {
  try {
    const value = parseValue(body === '' ? '{}' : body, MOST_SEPARATORS) as JsonValue
    const read = readJson(message, scaleDecimals(message, value, registry), { registry })
    shortenTypeUrls(read, reflect(message, read), registry)
    return read
  } catch (error) {
    throw invalidArgument(error instanceof Error ? error.message : String(error))
  }
}

const setPathField = (draft: Draft, message: DescMessage, name: string, value: string): void => {
  try {
    setField(draft, message, name.split('.'), [value])
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw invalidArgument(`type mismatch, parameter: ${name}, error: ${error.message}`)
  }
}

export interface RestRequest {
  /** Fields of the path. */
  readonly fields: Readonly<Record<string, string>>
  /** The query without the question mark. */
  readonly query: string
  /** Undefined where the route takes none. */
  readonly body: string | undefined
}

/** Throws grpc/3 (invalid argument). */
export const readRequest = (message: DescMessage, request: RestRequest, registry: Registry): Message => {
  const read = request.body === undefined ? create(message) : readBody(message, request.body, registry)
  const draft = read as unknown as Draft
  if (request.body === undefined && request.query !== '') {
    // Gathered in one pass: asking for each of thousands of names goes through all of them.
    const values = new Map<string, string[]>()
    for (const [name, value] of new URLSearchParams(request.query)) {
      const known = values.get(name)
      if (known === undefined) values.set(name, [value])
      else known.push(value)
    }
    for (const [name, all] of values) {
      if (!Object.hasOwn(request.fields, name)) setField(draft, message, name.split('.'), all)
    }
  }
  for (const [name, value] of Object.entries(request.fields)) setPathField(draft, message, name, value)
  return read
}
