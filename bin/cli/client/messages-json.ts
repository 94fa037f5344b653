/** Messages of the native layer as JSON, both ways, with everything that may stand in a google.protobuf.Any. */
import {
  createRegistry,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  type MessageShape,
  ScalarType,
} from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { DEFINITIONS } from '../../../app/native/definitions.ts'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { parseDecimal } from '../../../core/decimal.ts'
import { createMessagePrinter, isDecimal } from '../../../rpc/native/print-message.ts'
import { filesOf, NATIVE_SERVICES } from '../../../rpc/native/services.ts'
import { shortenTypeUrls } from '../../../rpc/native/type-urls.ts'
import { cliError, errorText } from '../../errors.ts'

const REGISTRY = createRegistry(...filesOf(NATIVE_SERVICES), ...DEFINITIONS)

const printer = createMessagePrinter(REGISTRY)

/** The message as the SDK prints it. */
export const toJson = (desc: DescMessage, message: Message): unknown =>
  JSON.parse(printer.print(desc, message)) as unknown

type JsonObject = { [name: string]: JsonValue }

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A decimal has a point in JSON; in its field it is an integer of 18 places, as text or as the bytes of that. */
const scaleDecimal = (field: DescField, value: JsonValue): JsonValue => {
  if (typeof value !== 'string' || value === '') return value
  const digits = parseDecimal(value).toString()
  const isBytes = field.fieldKind !== 'message' && field.scalar === ScalarType.BYTES
  return isBytes ? Buffer.from(utf8ToBytes(digits)).toString('base64') : digits
}

const scaleField = (field: DescField, value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map((item) => scaleField(field, item))
  if (field.fieldKind !== 'map' && field.message !== undefined) return scaleDecimals(field.message, value)
  return isDecimal(field) ? scaleDecimal(field, value) : value
}

const scaleDecimals = (desc: DescMessage, value: JsonValue): JsonValue => {
  if (!isObject(value)) return value
  const { '@type': type } = value
  if (desc.typeName === 'google.protobuf.Any' && typeof type === 'string') {
    const inner = REGISTRY.getMessage(type.slice(type.lastIndexOf('/') + 1))
    if (inner === undefined) throw cliError('usage', `unknown message type ${type}`)
    const { '@type': _, ...members } = value
    return { '@type': type, ...(scaleDecimals(inner, members) as JsonObject) }
  }
  const scaled: JsonObject = {}
  for (const [name, member] of Object.entries(value)) {
    const field = desc.fields.find((each) => each.name === name || each.jsonName === name)
    scaled[name] = field === undefined ? member : scaleField(field, member)
  }
  return scaled
}

/** Reads what {@link toJson} prints, and protobuf's own JSON. Throws cli/1 with `what` for a member that is not right. */
export const readMessage = <Desc extends DescMessage>(desc: Desc, json: unknown, what: string): MessageShape<Desc> => {
  try {
    const message = fromJson(desc, scaleDecimals(desc, json as JsonValue), { registry: REGISTRY })
    shortenTypeUrls(message, reflect(desc, message), REGISTRY)
    return message
  } catch (error) {
    throw cliError('usage', `${what}: ${errorText(error)}`)
  }
}
