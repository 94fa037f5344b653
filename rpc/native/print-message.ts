/**
 * Messages as JSON the way the Cosmos SDK prints them (gogo's jsonpb with OrigName and EmitDefaults): names as in the
 * .proto file, fields at their defaults included, 64-bit integers as texts, empty bytes and absent messages as null.
 *
 * A writer of text is made for each type once: looking at descriptors for every message costs more than the rest.
 */
import {
  create,
  fromBinary,
  getOption,
  hasOption,
  ScalarType,
  type DescField,
  type DescMessage,
  type Message,
  type Registry,
} from '@bufbuild/protobuf'
import type { Any, Duration, Timestamp } from '@bufbuild/protobuf/wkt'
import { formatDurationParts, formatTimestamp } from '../../core/time.ts'
import { customtype, nullable } from '../../proto/gen/gogoproto/gogo_pb.ts'
import { escapeForGo } from '../errors.ts'

/** Writes one value as JSON. */
type Write = (value: unknown) => string
type Fields = Readonly<Record<string, unknown>>

/**
 * `go` is encoding/json: the SDK's types with a MarshalJSON of their own are printed by it, and all within them. Its
 * 64-bit integers are numbers, members that may be left out are left out at their defaults, empty lists are null.
 */
type Style = 'jsonpb' | 'go'

/** These types stand in x/staking/types/delegation.go. */
const GO_TYPES: ReadonlySet<string> = new Set([
  'cosmos.staking.v1beta1.DelegationResponse',
  'cosmos.staking.v1beta1.RedelegationResponse',
])

/** Types whose fields are only ever printed by encoding/json, and have 64-bit integers. */
export const PRINTS_NUMBERS: ReadonlySet<string> = new Set(['cosmos.staking.v1beta1.RedelegationEntry'])

export const isDecimal = (field: DescField): boolean => getOption(field, customtype).endsWith('LegacyDec')
const isBigInteger = (field: DescField): boolean => /\bmath\.U?[iI]nt$/.test(getOption(field, customtype))
/** True where gogo holds a value and not a pointer: it is printed at its default when it was not sent. */
export const isAlwaysSet = (field: DescField): boolean => hasOption(field, nullable) && !getOption(field, nullable)

/** Decimals travel as integers with 18 digits behind a point that is not there. */
export const printDecimal = (text: string): string => {
  const match = /^(-?)(\d+)$/.exec(text)
  if (match === null) return text
  const digits = (match[2] ?? '').padStart(19, '0')
  return `${match[1]}${digits.slice(0, -18)}.${digits.slice(-18)}`
}

const toText = (value: unknown): string => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value))
const writeTimestamp = (value: Timestamp, style: Style): string => {
  const text = formatTimestamp(value, style === 'go')
  return text === undefined ? 'null' : `"${text}"`
}
const toBase64 = (bytes: Uint8Array): string =>
  `"${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}"`

/** Decimals and integers without bounds: absent is zero, or nothing where gogo has a pointer. */
const writeNumberText =
  (field: DescField): Write =>
  (value) => {
    const text = toText(value)
    if (text === '') return isAlwaysSet(field) ? '"0"' : 'null'
    return JSON.stringify(isDecimal(field) ? printDecimal(text) : text)
  }

const writeScalar = (field: DescField, style: Style): Write => {
  if (isDecimal(field) || isBigInteger(field)) return writeNumberText(field)
  switch (field.scalar) {
    case ScalarType.STRING:
      return (value) => JSON.stringify(value)
    case ScalarType.BYTES: {
      // gogo reads an empty item of a list as empty, an empty field as absent.
      const empty = field.fieldKind === 'list' ? '""' : 'null'
      return (value) => ((value as Uint8Array).length === 0 ? empty : toBase64(value as Uint8Array))
    }
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return (value) => (Number.isFinite(value) ? String(value) : `"${String(value)}"`)
    default:
      return (value) => (typeof value === 'bigint' && style === 'jsonpb' ? `"${value}"` : String(value))
  }
}

const writeEnum = (field: DescField, style: Style): Write => {
  const names = field.enum?.value ?? {}
  if (style === 'go') return String
  return (value) => {
    const name = names[value as number]?.name
    return name === undefined ? String(value) : `"${name}"`
  }
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === 0 ||
  value === 0n ||
  value === false ||
  ((value instanceof Uint8Array || Array.isArray(value)) && value.length === 0)

const ZERO_TIME = '"0001-01-01T00:00:00Z"'
const UNSET: Readonly<Record<string, string>> = {
  'google.protobuf.Timestamp': ZERO_TIME,
  'google.protobuf.Duration': '"0s"',
}

/** Types that are no object with their fields. */
const PRINTED_AS_ONE: ReadonlySet<string> = new Set([
  'google.protobuf.Any',
  'google.protobuf.Timestamp',
  'google.protobuf.Duration',
])

const isPrintedByFields = (
  field: DescField,
): field is DescField & { readonly fieldKind: 'message'; message: DescMessage } =>
  field.fieldKind === 'message' &&
  field.oneof === undefined &&
  !PRINTED_AS_ONE.has(field.message.typeName) &&
  !GO_TYPES.has(field.message.typeName)

export interface MessagePrinter {
  /** Throws when an Any does not decode. */
  print(desc: DescMessage, message: Message): string
  /** The same text piece by piece: the items of its lists, and of those of its parts, so that others get a turn between them. */
  pieces(desc: DescMessage, message: Message): Generator<string, void>
}

class Printer implements MessagePrinter {
  readonly #registry: Registry
  readonly #writers: Readonly<Record<Style, Map<DescMessage, Write>>> = { jsonpb: new Map(), go: new Map() }

  constructor(registry: Registry) {
    this.#registry = registry
  }

  print(desc: DescMessage, message: Message): string {
    return escapeForGo(this.#writer(desc, 'jsonpb')(message))
  }

  *pieces(desc: DescMessage, message: Message): Generator<string, void> {
    let before = '{'
    for (const field of desc.fields) {
      const value: unknown = (message as unknown as Fields)[field.localName]
      if (field.fieldKind === 'list' && Array.isArray(value) && value.length > 0) {
        const write = this.#item(field, 'jsonpb')
        for (const [at, item] of value.entries()) {
          yield `${at === 0 ? `${before}"${field.name}":[` : ','}${escapeForGo(write(item))}`
        }
        yield ']'
      } else if (value !== undefined && isPrintedByFields(field)) {
        yield `${before}"${field.name}":`
        yield* this.pieces(field.message, value as Message)
      } else {
        const written = this.#member(field, 'jsonpb')(message as unknown as Fields)
        if (written === undefined) continue
        yield before + escapeForGo(written)
      }
      before = ','
    }
    yield before === '{' ? '{}' : '}'
  }

  /** Types contain themselves, so that a writer is looked up when it is used for the first time. */
  #writer(desc: DescMessage, outer: Style): Write {
    const style = GO_TYPES.has(desc.typeName) ? 'go' : outer
    const known = this.#writers[style].get(desc)
    if (known !== undefined) return known
    const made = this.#createWriter(desc, style)
    this.#writers[style].set(desc, made)
    return made
  }

  #createWriter(desc: DescMessage, style: Style): Write {
    if (desc.typeName === 'google.protobuf.Any') return (value) => this.#writeAny(value as Any, style)
    if (desc.typeName === 'google.protobuf.Timestamp') return (value) => writeTimestamp(value as Timestamp, style)
    if (desc.typeName === 'google.protobuf.Duration') return (value) => `"${formatDurationParts(value as Duration)}"`
    const members = desc.fields.map((field) => this.#member(field, style))
    return (value) => {
      let text = ''
      for (const member of members) {
        const written = member(value as Fields)
        if (written !== undefined) text += text === '' ? written : `,${written}`
      }
      return `{${text}}`
    }
  }

  #writeAny({ typeUrl, value }: Any, style: Style): string {
    const type = this.#registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf('/') + 1))
    const name = `{"@type":${JSON.stringify(typeUrl)}`
    if (type === undefined) return `${name},"value":${toBase64(value)}}`
    const inner = this.#writer(type, style)(fromBinary(type, value))
    if (!inner.startsWith('{')) return `${name},"value":${inner}}`
    return inner === '{}' ? `${name}}` : `${name},${inner.slice(1)}`
  }

  /** A member with its name, or undefined where it is left out. */
  #member(field: DescField, style: Style): (message: Fields) => string | undefined {
    const name = `"${field.name}":`
    const { localName, oneof } = field
    const write = this.#value(field, style)
    if (oneof !== undefined) {
      return (message) => {
        // Only the member of a oneof that is set is shown.
        const chosen = message[oneof.localName] as { readonly case?: string; readonly value?: unknown }
        return chosen.case === localName ? name + write(chosen.value) : undefined
      }
    }
    const mayBeLeftOut = style === 'go' && !isAlwaysSet(field)
    return (message) => {
      const value = message[localName]
      return mayBeLeftOut && isEmpty(value) ? undefined : name + write(value)
    }
  }

  #value(field: DescField, style: Style): Write {
    const item = this.#item(field, style)
    if (field.fieldKind === 'list') {
      const empty = style === 'go' ? 'null' : '[]'
      return (value) => {
        const items = value as readonly unknown[]
        return items.length === 0 ? empty : `[${items.map(item).join(',')}]`
      }
    }
    if (field.fieldKind === 'map') {
      return (value) => {
        const entries = Object.entries(value as object).sort(([a], [b]) => (a < b ? -1 : 1))
        return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${item(each)}`).join(',')}}`
      }
    }
    if (field.fieldKind !== 'message') return item
    const { message } = field
    const known = UNSET[message.typeName]
    const unset = (): string => {
      if (!isAlwaysSet(field)) return 'null'
      return known ?? item(create(message))
    }
    return (value) => (value === undefined ? unset() : item(value))
  }

  #item(field: DescField, style: Style): Write {
    const { message } = field
    if (message !== undefined) {
      let writer: Write | undefined
      return (value) => (writer ??= this.#writer(message, style))(value)
    }
    return field.enum === undefined ? writeScalar(field, style) : writeEnum(field, style)
  }
}

/** `registry` has the types that may stand in an Any. */
export const createMessagePrinter = (registry: Registry): MessagePrinter => new Printer(registry)

/** Prints one message; who prints many makes a printer. */
export const printMessage = (desc: DescMessage, message: Message, registry: Registry): string =>
  createMessagePrinter(registry).print(desc, message)
