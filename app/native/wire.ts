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
import { MAX_NESTING } from './limits.ts'

const VARINT = 0
export const FIXED64 = 1
export const BYTES = 2
export const FIXED32 = 5

const WIRE_TYPE_NAMES = ['varint', 'fixed64', 'bytes', 'start_group', 'end_group', 'fixed32'] as const

const malformed = (message: string): CodedError => sdkError('parse', message)

/** Reads one message from its start to its end. Every method throws sdk/2 at the first byte that cannot be. */
export class WireReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#at === this.#bytes.length
  }

  /** Up to 64 bits; above 2^53 the number is not exact. `shortest` refuses a longer form than needed (ADR-027). */
  varint(shortest = false): number {
    let value = 0
    for (let length = 1, scale = 1; length <= 10; length++, scale *= 128) {
      const byte = this.#bytes[this.#at++]
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

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw malformed('invalid length; unexpected EOF')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  bytes(shortest = false): Uint8Array {
    return this.take(this.varint(shortest))
  }

  /** Skips a value; that of a length-delimited field is returned. */
  value(wireType: number): Uint8Array | undefined {
    switch (wireType) {
      case VARINT:
        this.varint()
        return undefined
      case FIXED64:
        this.take(8)
        return undefined
      case FIXED32:
        this.take(4)
        return undefined
      case BYTES:
        return this.bytes()
      default:
        throw malformed('groups are not supported')
    }
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
  /** Of a single message one of its own, else 0. */
  readonly bit: number
  /** Of a message, or of a list of them. */
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

/** A google.protobuf.Any whose fields were checked: where one stands there twice the last counts. */
const readAny = (bytes: Uint8Array): { readonly typeUrl: string; readonly value: Uint8Array } => {
  const reader = new WireReader(bytes)
  let typeUrl = ''
  let value = EMPTY_BYTES
  while (!reader.done) {
    const { number, wireType } = reader.tag()
    const read = reader.value(wireType)
    if (read === undefined) continue
    if (number === AnySchema.field.typeUrl.number) typeUrl = bytesToUtf8(read)
    if (number === AnySchema.field.value.number) value = read
  }
  return { typeUrl, value }
}

const checkNested = (bytes: Uint8Array, desc: DescMessage, allowUnknown: boolean, depth: number): boolean => {
  const unknown = checkLevel(bytes, desc, allowUnknown, depth)
  if (desc.typeName !== AnySchema.typeName) return unknown
  const { typeUrl, value } = readAny(bytes)
  const inner = findDefinition(typeUrl)
  if (inner === undefined) throw malformed(`unable to resolve type URL ${typeUrl.slice(0, 200)}`)
  return checkNested(value, inner, allowUnknown, depth + 1) || unknown
}

const checkLevel = (bytes: Uint8Array, desc: DescMessage, allowUnknown: boolean, depth: number): boolean => {
  if (depth > MAX_NESTING) throw malformed(`messages are nested deeper than ${MAX_NESTING} levels`)
  const reader = new WireReader(bytes)
  const checks = checksOf(desc)
  /** Bits of the single messages that were there. */
  let seen = 0
  let unknown = false
  while (!reader.done) {
    const { number, wireType } = reader.tag()
    const field = checks.get(number)
    const value = reader.value(wireType)
    if (field === undefined) {
      if (isCritical(number) || !allowUnknown) throw unknownField(desc, number, wireType)
      unknown = true
      continue
    }
    if (wireType !== field.wireType && !(field.isList && wireType === BYTES)) {
      throw malformed(`${desc.typeName}: field ${field.name} has wire type ${WIRE_TYPE_NAMES[wireType]}`)
    }
    if (value === undefined) continue
    if (field.isText && !isUtf8(value)) {
      throw malformed(`${desc.typeName}: field ${field.name} contains invalid UTF-8`)
    }
    // Decoders merge both: of an Any the type of one with the bytes of the other, which were not checked together.
    if ((seen & field.bit) !== 0) throw malformed(`${desc.typeName}: field ${field.name} stands there twice`)
    seen |= field.bit
    if (field.message !== undefined) {
      unknown = checkNested(value, field.message, allowUnknown, depth + 1) || unknown
    }
  }
  return unknown
}

/**
 * Refuses what a message of this definition cannot hold, and looks into every google.protobuf.Any. With
 * `allowNonCritical` unknown fields with bit 11 in their number pass; true is returned when there were any.
 */
export const checkFields = (bytes: Uint8Array, desc: DescMessage, allowNonCritical = false): boolean =>
  checkNested(bytes, desc, allowNonCritical, 1)

/** Decodes what {@link checkFields} has passed; unknown fields are left out. Throws sdk/2. */
export const parseBinary = <Desc extends DescMessage>(desc: Desc, bytes: Uint8Array): MessageShape<Desc> => {
  try {
    return fromBinary(desc, bytes, { readUnknownFields: false })
  } catch (error) {
    throw malformed(`${desc.typeName}: ${error instanceof Error ? error.message : 'malformed'}`)
  }
}
