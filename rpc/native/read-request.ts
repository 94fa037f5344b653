/** Requests of REST into messages: fields in the path, in the query and in the body, as grpc-gateway reads them. */
import {
  fromJson,
  ScalarType,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type Registry,
} from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { CodedError } from '../../core/errors.ts'
import { GRPC } from './status.ts'
import { shortenTypeUrls } from './type-urls.ts'

type Draft = { [name: string]: JsonValue }

const invalid = (message: string): CodedError => new CodedError('grpc', GRPC.invalidArgument, message)

const findField = (message: DescMessage, name: string): DescField | undefined =>
  message.fields.find((field) => field.name === name || field.jsonName === name)

/** fromJson takes numbers as texts, but neither bools nor the numbers of enums. */
const toJsonValue = (field: DescField, text: string): JsonValue => {
  const isBool = (field.fieldKind === 'scalar' || field.fieldKind === 'list') && field.scalar === ScalarType.BOOL
  if (isBool) {
    if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true
    if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false
    throw invalid(`parsing field ${JSON.stringify(field.name)}: not a boolean: ${JSON.stringify(text)}`)
  }
  return field.enum !== undefined && /^\d+$/.test(text) ? Number(text) : text
}

/** Sets a dotted path like pagination.limit; names that the message does not have are passed over. */
const setField = (draft: Draft, message: DescMessage, path: readonly string[], values: readonly string[]): void => {
  const [name = '', ...rest] = path
  const field = findField(message, name)
  if (field === undefined) return
  if (rest.length > 0) {
    if (field.fieldKind !== 'message') return
    const inner = (draft[field.name] ?? {}) as Draft
    draft[field.name] = inner
    setField(inner, field.message, rest, values)
    return
  }
  if (field.fieldKind === 'list') {
    draft[field.name] = values.map((value) => toJsonValue(field, value))
    return
  }
  if (field.fieldKind !== 'scalar' && field.fieldKind !== 'enum' && field.fieldKind !== 'message') return
  if (values.length > 1) throw invalid(`too many values for field ${JSON.stringify(name)}`)
  draft[field.name] = toJsonValue(field, values[0] ?? '')
}

const parseBody = (body: string): Draft => {
  try {
    const parsed: unknown = JSON.parse(body === '' ? '{}' : body)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as JsonObject as Draft
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error))
  }
  throw invalid('the body must be a JSON object')
}

export interface RestRequest {
  readonly fields: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Undefined where the route takes none. */
  readonly body: string | undefined
}

/** Throws grpc/3 (invalid argument). */
export const readRequest = (message: DescMessage, request: RestRequest, registry: Registry): Message => {
  const draft = request.body === undefined ? {} : parseBody(request.body)
  if (request.body === undefined) {
    for (const name of new Set(request.query.keys())) {
      setField(draft, message, name.split('.'), request.query.getAll(name))
    }
  }
  for (const [name, value] of Object.entries(request.fields)) setField(draft, message, name.split('.'), [value])
  try {
    const read = fromJson(message, draft, { ignoreUnknownFields: true, registry })
    shortenTypeUrls(read, reflect(message, read), registry)
    return read
  } catch (error) {
    throw error instanceof CodedError ? error : invalid(error instanceof Error ? error.message : String(error))
  }
}
