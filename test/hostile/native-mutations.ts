/** Protobuf that is almost right: random messages of a definition, and encodings changed where decoders are weak. */
import { create, type DescField, type DescMessage, ScalarType, toBinary } from '@bufbuild/protobuf'
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { concatBytes, utf8ToBytes } from '../../core/bytes.ts'
import type { Random } from '../sim/random.ts'

const varint = (value: bigint): Uint8Array => {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  return Uint8Array.from([...bytes, Number(rest)])
}

/** The same number in ten bytes and more: what ADR-027 refuses, or what no 64 bits hold. */
const overlong = (value: bigint, length: number): Uint8Array => {
  const bytes = Array.from({ length }, (_, index) => Number((value >> BigInt(7 * index)) & 0x7fn) | 0x80)
  return Uint8Array.from([...bytes, 0])
}

interface WireField {
  readonly number: bigint
  readonly wireType: number
  /** The payload, without the length of a length-delimited one. */
  readonly payload: Uint8Array
}

const readVarint = (bytes: Uint8Array, from: number): readonly [value: bigint, end: number] | undefined => {
  let value = 0n
  for (let at = from; at < bytes.length && at < from + 10; at++) {
    const byte = bytes[at] ?? 0
    value |= BigInt(byte & 0x7f) << BigInt(7 * (at - from))
    if (byte < 0x80) return [value, at + 1]
  }
  return undefined
}

/** Undefined for what is no message. */
const readFields = (bytes: Uint8Array): readonly WireField[] | undefined => {
  const fields: WireField[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at)
    if (tag === undefined || tag[0] < 8n) return undefined
    const wireType = Number(tag[0] & 7n)
    const value = readVarint(bytes, tag[1])
    const fixed = wireType === 1 ? 8 : wireType === 5 ? 4 : undefined
    if (fixed === undefined && (value === undefined || (wireType !== 0 && wireType !== 2))) return undefined
    const start = fixed !== undefined || wireType === 0 ? tag[1] : (value?.[1] ?? 0)
    const end = fixed !== undefined ? start + fixed : wireType === 0 ? (value?.[1] ?? 0) : start + Number(value?.[0])
    if (end > bytes.length) return undefined
    fields.push({ number: tag[0] >> 3n, wireType, payload: bytes.subarray(start, end) })
    at = end
  }
  return fields
}

const writeField = ({ number, wireType, payload }: WireField): Uint8Array => {
  const tag = varint((number << 3n) | BigInt(wireType))
  return wireType === 2 ? concatBytes(tag, varint(BigInt(payload.length)), payload) : concatBytes(tag, payload)
}

const mutateBytes = (random: Random, bytes: Uint8Array): Uint8Array => {
  const at = random.below(bytes.length + 1)
  const end = Math.min(bytes.length, at + 1 + random.below(20))
  const [before, slice, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)]
  switch (random.below(6)) {
    case 0:
      return concatBytes(before, random.bytes(1 + random.below(8)), slice, after)
    case 1:
      return concatBytes(before, after)
    case 2:
      return concatBytes(before, slice, slice, after)
    case 3:
      return before.slice()
    case 4:
      return concatBytes(before, slice.toReversed(), after)
    default:
      return concatBytes(
        before,
        slice.map((byte) => byte ^ (1 << random.below(8))),
        after,
      )
  }
}

/** `depth` messages within each other, in the field of the given number. */
const nest = (number: bigint, payload: Uint8Array, depth: number): Uint8Array => {
  let nested = payload
  for (let level = 0; level < depth; level++) nested = writeField({ number, wireType: 2, payload: nested })
  return nested
}

const HUGE = [0xffff_ffffn, 2n ** 31n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n, 200_000n]

/** One field as it must not stand there. */
const spoilField = (random: Random, field: WireField): Uint8Array => {
  const { number, wireType, payload } = field
  const tag = (number << 3n) | BigInt(wireType)
  switch (random.below(9)) {
    case 0:
      return concatBytes(overlong(tag, 4 + random.below(8)), writeField(field).subarray(varint(tag).length))
    case 1:
      return concatBytes(varint(tag), overlong(BigInt(payload.length), 3 + random.below(9)), payload)
    case 2:
      return concatBytes(varint(tag), varint(random.pick(HUGE)), payload)
    case 3:
      return writeField({ ...field, wireType: random.below(8) })
    case 4:
      // Bit 11 of the number: what an older node may ignore.
      return writeField({
        ...field,
        number: BigInt(random.pick([0, 1, 900, 1_024, 1_500, 2_000, 2 ** 29 - 1, 2 ** 29])),
      })
    case 5:
      return writeField({ ...field, wireType: 2, payload: nest(number, payload, random.pick([2, 40, 70, 500, 3_000])) })
    case 6:
      return concatBytes(varint((number << 3n) | 3n), payload, varint((number << 3n) | 4n))
    case 7:
      return writeField({ ...field, wireType: 0, payload: varint(random.pick(HUGE)) })
    default:
      return writeField({ ...field, wireType: 2, payload: concatBytes(payload, Uint8Array.of(0xff, 0xc0, 0x80)) })
  }
}

/** Changes an encoded message in one place, at any depth. */
export const mutateMessage = (random: Random, bytes: Uint8Array, depth = 0): Uint8Array => {
  const fields = random.chance(10) ? undefined : readFields(bytes)
  if (fields === undefined || fields.length === 0) return mutateBytes(random, bytes)
  const index = random.below(fields.length)
  const encoded = fields.map(writeField)
  const [field, own] = [fields[index] as WireField, encoded[index] as Uint8Array]
  if (field.wireType === 2 && field.payload.length > 0 && depth < 12 && random.chance(70)) {
    encoded[index] = writeField({ ...field, payload: mutateMessage(random, field.payload, depth + 1) })
    return concatBytes(...encoded)
  }
  switch (random.below(5)) {
    case 0:
      return concatBytes(...encoded.toSpliced(index, 1))
    case 1:
      return concatBytes(...encoded.toSpliced(random.below(encoded.length + 1), 0, own))
    case 2:
      return concatBytes(...encoded.toSpliced(index, 1), own)
    default:
      return concatBytes(...encoded.with(index, spoilField(random, field)))
  }
}

// ---- random messages ----------------------------------------------------------------------------------------

/** What the texts and bytes of random messages are taken from. */
export interface Corpus {
  readonly texts: readonly string[]
  /** What a text field of this name holds where it makes sense. */
  hint?(fieldName: string): string | undefined
  readonly messages: readonly DescMessage[]
}

const INTEGERS = [0n, 1n, 2n, 100n, 1_000n, 1_001n, 10_000n, 2n ** 31n - 1n, 2n ** 32n - 1n, 2n ** 63n - 1n]

const randomScalar = (random: Random, { name, scalar }: DescField, { texts, hint }: Corpus): unknown => {
  const integer = random.pick(INTEGERS)
  const hinted = scalar === ScalarType.STRING && random.chance(85) ? hint?.(name) : undefined
  if (hinted !== undefined) return hinted
  switch (scalar) {
    case ScalarType.STRING:
      return random.chance(80) ? random.pick(texts) : mutateText(random, random.pick(texts))
    case ScalarType.BYTES:
      return random.chance(50) ? utf8ToBytes(random.pick(texts)) : random.bytes(random.pick([0, 1, 20, 32, 33, 200]))
    case ScalarType.BOOL:
      return random.chance(50)
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return random.pick([0, -1.5, Number.NaN, Number.POSITIVE_INFINITY])
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return random.chance(20) ? 2n ** 64n - 1n : integer
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return random.chance(30) ? -integer - 1n : integer
    default:
      return Number(integer % 2n ** 31n)
  }
}

const randomItem = (random: Random, field: DescField, corpus: Corpus, depth: number): unknown => {
  if (field.message !== undefined) return randomReflected(random, field.message, corpus, depth + 1)
  return field.enum === undefined ? randomScalar(random, field, corpus) : random.below(8)
}

const fillAny = (random: Random, any: ReflectMessage, corpus: Corpus, depth: number): void => {
  const desc = random.pick(corpus.messages)
  const inner = randomReflected(random, desc, corpus, depth + 1)
  const [typeUrl, value] = any.fields as [DescField & { fieldKind: 'scalar' }, DescField & { fieldKind: 'scalar' }]
  any.set(typeUrl, random.chance(95) ? `/${desc.typeName}` : random.pick(corpus.texts))
  any.set(value, toBinary(desc, inner.message))
}

const randomReflected = (random: Random, desc: DescMessage, corpus: Corpus, depth: number): ReflectMessage => {
  const reflected = reflect(desc, create(desc))
  if (depth > 6) return reflected
  if (desc.typeName === AnySchema.typeName) {
    fillAny(random, reflected, corpus, depth)
    return reflected
  }
  for (const field of desc.fields) {
    if (random.chance(depth === 0 ? 10 : 30) || field.fieldKind === 'map') continue
    if (field.fieldKind === 'list') {
      const list = reflected.get(field)
      for (let count = random.below(4); count > 0; count--) list.add(randomItem(random, field, corpus, depth) as never)
    } else {
      reflected.set(field, randomItem(random, field, corpus, depth) as never)
    }
  }
  return reflected
}

/** Makes a message of any shape that the definition has. */
export const randomMessage = (random: Random, desc: DescMessage, corpus: Corpus): Uint8Array =>
  toBinary(desc, randomReflected(random, desc, corpus, 0).message)

/** A text that is a little wrong. */
export const mutateText = (random: Random, text: string): string => {
  const at = random.below(text.length + 1)
  const odd = random.pick(['1', 'Q', 'é', '\0', '\u202e', '😀', 'nat1', 'b', '0x', ' ', '-', 'x'.repeat(200)])
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at) + odd + text.slice(at)
    case 1:
      return text.slice(0, at) + odd + text.slice(at + 1)
    case 2:
      return text.slice(0, at)
    case 3:
      return text.toUpperCase()
    default:
      return text.slice(0, at) + text.slice(at + 1)
  }
}
