/**
 * The protobuf wire format, read strictly before any message is built: known fields with their wire types, whole
 * values, UTF-8, bounded nesting. What passes here decodes in one way only.
 */
import { fromBinary, ScalarType, type DescField, type DescMessage, type MessageShape } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { bytesToUtf8, EMPTY_BYTES, isUtf8 } from '../../core/bytes.ts'
import { type CodedError, invariant } from '../../core/errors.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import { findDefinition } from './definitions.ts'
import { MAX_FIELDS, MAX_NESTING } from './limits.ts'

const VARINT = 0
export const FIXED64 = 1
export const BYTES = 2
export const FIXED32 = 5

const WIRE_TYPE_NAMES = ['varint', 'fixed64', 'bytes', 'start_group', 'end_group', 'fixed32'] as const

const malformed = (message: string): CodedError => sdkError('parse', message)

/**
 * Reads one message, which is the bytes from `from` to `end`, from its start to its end. Every method throws sdk/2 at
 * the first byte that cannot be.
 */
export class WireReader {
  readonly #bytes: Uint8Array
  readonly #end: number
  #at: number
  /** Where the length-delimited value begins that was read or skipped last; it ends where the reader stands. */
  #valueAt = 0

  constructor(bytes: Uint8Array, from = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = from
    this.#end = end
  }

  get done(): boolean {
    return this.#at === this.#end
  }

  /** Up to 64 bits; above 2^53 the number is not exact. `shortest` refuses a longer form than needed (ADR-027). */
  varint(shortest = false): number {
    let value = 0
    for (let length = 1, scale = 1; length <= 10; length++, scale *= 128) {
      const byte = this.#at < this.#end ? this.#bytes[this.#at++] : undefined
      if (byte === undefined) throw malformed('invalid length; unexpected EOF')
      if (length === 10 && byte > 1) break
      value += (byte & 0x7f) * scale
      if (byte >= 0x80) continue
      if (shortest && byte === 0 && length > 1) throw malformed('a varint is not as short as possible')
      return value
    }
    throw malformed('invalid length; variable length integer overflow')
  }

  tag(shortest = false): { readonly number: number; readonly wireType: number } {
    const tag = this.varint(shortest)
    const number = Math.floor(tag / 8)
    const wireType = tag % 8
    if (number === 0 || tag > 0xffff_ffff) throw malformed('invalid field number')
    if (wireType > FIXED32) throw malformed('invalid wire type')
    return { number, wireType }
  }

  bytes(shortest = false): Uint8Array {
    this.#pass(this.varint(shortest))
    return this.view()
  }

  /** Goes past a value. True for that of a length-delimited field, of which view() and inner() tell more. */
  skip(wireType: number): boolean {
    switch (wireType) {
      case VARINT:
        this.varint()
        return false
      case FIXED64:
        this.#pass(8)
        return false
      case FIXED32:
        this.#pass(4)
        return false
      case BYTES:
        this.#pass(this.varint())
        return true
      default:
        throw malformed('groups are not supported')
    }
  }

  #pass(length: number): void {
    if (length > this.#end - this.#at) throw malformed('invalid length; unexpected EOF')
    this.#valueAt = this.#at
    this.#at += length
  }

  /** The bytes of the last length-delimited value. */
  view(): Uint8Array {
    return this.#bytes.subarray(this.#valueAt, this.#at)
  }

  /** A reader of the last length-delimited value. */
  inner(): WireReader {
    return new WireReader(this.#bytes, this.#valueAt, this.#at)
  }

  /** One that stands where this one does. */
  copy(): WireReader {
    return new WireReader(this.#bytes, this.#at, this.#end)
  }

  /** Whether the last length-delimited value is UTF-8. */
  isUtf8(): boolean {
    for (let at = this.#valueAt; at < this.#at; at++) {
      if ((this.#bytes[at] ?? 0) >= 0x80) return isUtf8(this.view())
    }
    return true
  }
}

const wireTypeOfScalar = (type: ScalarType): number => {
  switch (type) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return BYTES
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return FIXED64
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return FIXED32
    default:
      return VARINT
  }
}

/** What is checked of a field, read once from its definition: definitions are slow to ask. */
interface FieldCheck {
  readonly name: string
  readonly wireType: number
  /** Numbers of a list may be packed. */
  readonly isList: boolean
  readonly isText: boolean
  /** A single message has a bit of its own, any other field 0. */
  readonly bit: number
  /** The type of a message, or of the items of a list of messages. */
  readonly message: DescMessage | undefined
}

const readField = (field: DescField, bit: number): FieldCheck => {
  const isMap = field.fieldKind === 'map'
  const scalarType = field.scalar === undefined ? VARINT : wireTypeOfScalar(field.scalar)
  return {
    name: field.name,
    wireType: isMap || field.message !== undefined ? BYTES : scalarType,
    isList: field.fieldKind === 'list',
    isText: !isMap && field.scalar === ScalarType.STRING,
    bit,
    message: isMap ? undefined : field.message,
  }
}

const fieldChecks = new WeakMap<DescMessage, ReadonlyMap<number, FieldCheck>>()

const checksOf = (desc: DescMessage): ReadonlyMap<number, FieldCheck> => {
  const known = fieldChecks.get(desc)
  if (known !== undefined) return known
  const single = desc.fields.filter(({ fieldKind }) => fieldKind === 'message')
  invariant(single.length < 32, `${desc.typeName} has more single messages than an integer has bits`)
  const bitOf = (field: DescField): number => (single.includes(field) ? 1 << single.indexOf(field) : 0)
  const checks = new Map(desc.fields.map((field) => [field.number, readField(field, bitOf(field))]))
  fieldChecks.set(desc, checks)
  return checks
}

const unknownField = (desc: DescMessage, number: number, wireType: number): CodedError =>
  malformed(`${desc.typeName}: {TagNum: ${number}, WireType:"${WIRE_TYPE_NAMES[wireType]}"}: unknown protobuf field`)

/** ADR-020: bit 11 of the number marks a field that an older node may ignore. */
const isCritical = (number: number): boolean => (number & 0x400) === 0

const NOTHING = new WireReader(EMPTY_BYTES)

/** Reads a google.protobuf.Any whose fields were checked: where one stands there twice the last counts. */
const readAny = (reader: WireReader): { readonly typeUrl: string; readonly value: WireReader } => {
  let typeUrl = ''
  let value = NOTHING
  while (!reader.done) {
    const { number, wireType } = reader.tag()
    if (!reader.skip(wireType)) continue
    if (number === AnySchema.field.typeUrl.number) typeUrl = bytesToUtf8(reader.view())
    if (number === AnySchema.field.value.number) value = reader.inner()
  }
  return { typeUrl, value }
}

/** One check of a message with all that are in it. */
interface Check {
  readonly allowUnknown: boolean
  /** Those of all messages so far. */
  fields: number
}

const checkNested = (reader: WireReader, desc: DescMessage, check: Check, depth: number): boolean => {
  const again = desc.typeName === AnySchema.typeName ? reader.copy() : undefined
  const unknown = checkLevel(reader, desc, check, depth)
  if (again === undefined) return unknown
  const { typeUrl, value } = readAny(again)
  const inner = findDefinition(typeUrl)
  if (inner === undefined) throw malformed(`unable to resolve type URL ${typeUrl.slice(0, 200)}`)
  return checkNested(value, inner, check, depth + 1) || unknown
}

const checkLevel = (reader: WireReader, desc: DescMessage, check: Check, depth: number): boolean => {
  if (depth > MAX_NESTING) throw malformed(`messages are nested deeper than ${MAX_NESTING} levels`)
  const checks = checksOf(desc)
  /** Bits of the single messages that were there. */
  let seen = 0
  let unknown = false
  while (!reader.done) {
    const { number, wireType } = reader.tag()
    if (++check.fields > MAX_FIELDS) throw malformed(`more than ${MAX_FIELDS} fields`)
    const field = checks.get(number)
    const isDelimited = reader.skip(wireType)
    if (field === undefined) {
      if (isCritical(number) || !check.allowUnknown) throw unknownField(desc, number, wireType)
      unknown = true
      continue
    }
    if (wireType !== field.wireType && !(field.isList && wireType === BYTES)) {
      throw malformed(`${desc.typeName}: field ${field.name} has wire type ${WIRE_TYPE_NAMES[wireType]}`)
    }
    if (!isDelimited) continue
    if (field.isText && !reader.isUtf8()) {
      throw malformed(`${desc.typeName}: field ${field.name} contains invalid UTF-8`)
    }
    // Decoders merge both: of an Any the type of one with the bytes of the other, which were not checked together.
    if ((seen & field.bit) !== 0) throw malformed(`${desc.typeName}: field ${field.name} stands there twice`)
    seen |= field.bit
    if (field.message !== undefined) {
      unknown = checkNested(reader.inner(), field.message, check, depth + 1) || unknown
    }
  }
  return unknown
}

export interface CheckedFields {
  readonly count: number
  readonly hasUnknown: boolean
}

/**
 * Refuses what a message of this definition cannot hold, and more than MAX_FIELDS in all, and looks into every
 * google.protobuf.Any. With `allowNonCritical` unknown fields with bit 11 in their number pass.
 */
export const checkFields = (bytes: Uint8Array, desc: DescMessage, allowNonCritical = false): CheckedFields => {
  const check: Check = { allowUnknown: allowNonCritical, fields: 0 }
  const hasUnknown = checkNested(new WireReader(bytes), desc, check, 1)
  return { count: check.fields, hasUnknown }
}

/** Decodes what {@link checkFields} has passed; unknown fields are left out. Throws sdk/2. */
export const parseBinary = <Desc extends DescMessage>(desc: Desc, bytes: Uint8Array): MessageShape<Desc> => {
  try {
    return fromBinary(desc, bytes, { readUnknownFields: false })
  } catch (error) {
    throw malformed(`${desc.typeName}: ${error instanceof Error ? error.message : 'malformed'}`)
  }
}
