/** Amino's binary encoding (go-amino 0.16), which is protobuf's with prefixes of four bytes before registered types. */
import {
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
  isUtf8,
  plainBytes,
  utf8ToBytes,
  bytesToUtf8,
} from '../../../core/bytes.ts'
import { MAX_NESTING } from '../limits.ts'
import {
  type AminoField,
  type AminoType,
  type AminoValue,
  refuseAmino,
  type RegisteredType,
  typeByPrefix,
} from './schema.ts'

const VARINT = 0
const BYTES = 2
/** The first second of year 1: the zero time in Go. */
const ZERO_SECONDS = -62_135_596_800n

const encodeVarint = (value: bigint): Uint8Array => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Uint8Array.of(...bytes, Number(rest))
}

const encodeBytes = (bytes: Uint8Array): Uint8Array => concatBytes(encodeVarint(BigInt(bytes.length)), bytes)

const wireTypeOf = (type: AminoType): number => (type.kind === 'varint' || type.kind === 'bool' ? VARINT : BYTES)

const encodeKey = ({ number, type }: AminoField): Uint8Array => encodeVarint(BigInt(number * 8 + wireTypeOf(type)))

const encodeTime = ({ seconds, nanos }: { readonly seconds: bigint; readonly nanos: number }): Uint8Array =>
  concatBytes(
    seconds === 0n ? EMPTY_BYTES : concatBytes(Uint8Array.of(0x08), encodeVarint(seconds)),
    nanos === 0 ? EMPTY_BYTES : concatBytes(Uint8Array.of(0x10), encodeVarint(BigInt(nanos))),
  )

const encodeFields = (fields: readonly AminoField[], value: ReadonlyMap<string, AminoValue>): Uint8Array =>
  concatBytes(...fields.map((field) => encodeField(field, value.get(field.name))))

/** What stands behind a length; of what is not there the zero value. */
const encodeContent = (type: AminoType, value: AminoValue | undefined): Uint8Array => {
  switch (type.kind) {
    case 'text':
      return utf8ToBytes((value as string | undefined) ?? '')
    case 'bytes':
      return (value as Uint8Array | undefined) ?? EMPTY_BYTES
    case 'integer':
    case 'decimal':
      return utf8ToBytes(String((value as bigint | undefined) ?? 0n))
    case 'time':
      return encodeTime(
        (value as { seconds: bigint; nanos: number } | undefined) ?? { seconds: ZERO_SECONDS, nanos: 0 },
      )
    case 'struct':
      return encodeFields(type.fields, (value as ReadonlyMap<string, AminoValue> | undefined) ?? new Map())
    case 'registered':
      return value === undefined ? EMPTY_BYTES : encodeRegistered(value as never)
    default:
      throw refuseAmino(`amino cannot encode a list of ${type.kind}`)
  }
}

const encodeField = (field: AminoField, value: AminoValue | undefined): Uint8Array => {
  const { type, isPointer } = field
  if (value === undefined && (isPointer || type.kind === 'registered')) return EMPTY_BYTES
  const key = encodeKey(field)
  if (type.kind === 'varint') {
    const number = (value as bigint | undefined) ?? 0n
    return number === 0n ? EMPTY_BYTES : concatBytes(key, encodeVarint(number))
  }
  if (type.kind === 'bool') return value === true ? concatBytes(key, Uint8Array.of(1)) : EMPTY_BYTES
  if (type.kind === 'list') {
    const items = (value as readonly (AminoValue | undefined)[] | undefined) ?? []
    // A list may have thousands of items, which are too many arguments.
    return plainBytes(Buffer.concat(items.flatMap((item) => [key, encodeBytes(itemContent(type, item))])))
  }
  const content = encodeContent(type, value)
  return content.length === 0 && !isPointer ? EMPTY_BYTES : concatBytes(key, encodeBytes(content))
}

const itemContent = (
  { item, ofPointers }: Extract<AminoType, { kind: 'list' }>,
  value: AminoValue | undefined,
): Uint8Array => (value === undefined && ofPointers ? EMPTY_BYTES : encodeContent(item, value))

/** The prefix, and the value without its length; keys are bytes and have one. */
export const encodeRegistered = ({
  registered: { prefix, type },
  value,
}: {
  readonly registered: RegisteredType
  readonly value: AminoValue
}): Uint8Array => {
  const content = encodeContent(type, value)
  return concatBytes(prefix, type.kind === 'bytes' ? encodeBytes(content) : content)
}

class AminoReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get done(): boolean {
    return this.#at === this.#bytes.length
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) break
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80 && value < 1n << 64n) return value
      if (byte < 0x80) break
    }
    throw refuseAmino('invalid varint')
  }

  take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw refuseAmino('insufficient bytes')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  bytes(): Uint8Array {
    const length = this.varint()
    if (length > BigInt(this.#bytes.length)) throw refuseAmino('insufficient bytes')
    return this.take(Number(length))
  }
}

const NUMBER = /^-?(?:0|[1-9][0-9]{0,95})$/

const readText = (bytes: Uint8Array): string => {
  if (!isUtf8(bytes)) throw refuseAmino('a text that is not UTF-8')
  return bytesToUtf8(bytes)
}

const decodeVarint = ({ bits, isSigned }: Extract<AminoType, { kind: 'varint' }>, value: bigint): bigint => {
  const number = isSigned ? BigInt.asIntN(64, value) : value
  const fits = isSigned ? BigInt.asIntN(bits, number) : BigInt.asUintN(bits, number)
  if (fits !== number) throw refuseAmino(`${number} does not fit ${bits} bits`)
  return number
}

const decodeTime = (bytes: Uint8Array): AminoValue => {
  const reader = new AminoReader(bytes)
  let [seconds, nanos] = [0n, 0n]
  while (!reader.done) {
    const key = reader.varint()
    if (key === 0x08n) seconds = BigInt.asIntN(64, reader.varint())
    else if (key === 0x10n) nanos = reader.varint()
    else throw refuseAmino('a time with other fields')
  }
  if (nanos >= 1_000_000_000n) throw refuseAmino('invalid nanoseconds')
  return { seconds, nanos: Number(nanos) }
}

const decodeContent = (type: AminoType, bytes: Uint8Array, depth: number): AminoValue => {
  switch (type.kind) {
    case 'text':
      return readText(bytes)
    case 'bytes':
      return bytes
    case 'integer':
    case 'decimal': {
      const text = readText(bytes)
      if (!NUMBER.test(text)) throw refuseAmino('an integer that is none')
      return BigInt(text)
    }
    case 'time':
      return decodeTime(bytes)
    case 'struct':
      return decodeStruct(type.fields, bytes, depth + 1)
    case 'registered':
      return decodeAny(bytes, depth + 1)
    default:
      throw refuseAmino(`amino cannot decode a list of ${type.kind}`)
  }
}

const decodeField = ({ type }: AminoField, reader: AminoReader, depth: number): AminoValue => {
  if (type.kind === 'varint') return decodeVarint(type, reader.varint())
  if (type.kind === 'bool') return reader.varint() !== 0n
  return decodeContent(type, reader.bytes(), depth)
}

const decodeStruct = (
  fields: readonly AminoField[],
  bytes: Uint8Array,
  depth: number,
): ReadonlyMap<string, AminoValue> => {
  if (depth > MAX_NESTING) throw refuseAmino('nested too deep')
  const values = new Map<string, AminoValue>()
  const lists = new Map<string, (AminoValue | undefined)[]>()
  const reader = new AminoReader(bytes)
  let previous = 0
  while (!reader.done) {
    const key = reader.varint()
    const field = fields.find((each) => BigInt(each.number * 8 + wireTypeOf(each.type)) === key)
    if (field === undefined) throw refuseAmino(`unexpected field ${key >> 3n} of type ${key & 7n}`)
    const { number, name, type } = field
    if (number < previous || (number === previous && type.kind !== 'list'))
      throw refuseAmino(`field ${number} out of order`)
    previous = number
    if (type.kind !== 'list') {
      values.set(name, decodeField(field, reader, depth))
      continue
    }
    const content = reader.bytes()
    const isNull = content.length === 0 && (type.ofPointers || type.item.kind === 'registered')
    const item = isNull ? undefined : decodeContent(type.item, content, depth)
    const items = lists.get(name) ?? []
    if (items.length === 0) lists.set(name, items)
    items.push(item)
  }
  return new Map([...values, ...lists])
}

const decodeValue = (registered: RegisteredType, bytes: Uint8Array, depth: number): AminoValue => {
  const { type } = registered
  if (type.kind !== 'bytes') return { registered, value: decodeContent(type, bytes, depth) }
  const reader = new AminoReader(bytes)
  const value = reader.bytes()
  if (!reader.done) throw refuseAmino('bytes left over')
  return { registered, value }
}

const decodeAny = (bytes: Uint8Array, depth: number): AminoValue =>
  decodeValue(typeByPrefix(bytes.subarray(0, 4)), bytes.subarray(4), depth)

/** Throws grpc/2 for what is not the encoding of that type. */
export const decodeRegistered = (registered: RegisteredType, bytes: Uint8Array): AminoValue => {
  if (!equalBytes(bytes.subarray(0, 4), registered.prefix)) {
    throw refuseAmino(`unmarshal of ${registered.name} failed: its prefix is another`)
  }
  return decodeValue(registered, bytes.subarray(4), 0)
}
