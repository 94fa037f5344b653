/** Messages with a value in every place where gogo always has one, and at random in the others. */
import { create, type DescField, type DescMessage, type Message, ScalarType, toBinary } from '@bufbuild/protobuf'
import { reflect } from '@bufbuild/protobuf/reflect'
import { AnySchema, DurationSchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { isAlwaysSet, isDecimal } from '../print-message.ts'

/** A number from zero on, below the one given. */
export type Random = (below: number) => number

/** Deeper than that, what may be absent is. */
const MOST_LEVELS = 5

const randomDigits = (random: Random): string => {
  const digits = Array.from({ length: 1 + random(40) }, () => random(10)).join('')
  return BigInt(digits).toString()
}

const randomText = (random: Random): string => 'a<b>é"\n'.slice(random(4)).repeat(random(3))

const randomScalar = (field: DescField, random: Random): unknown => {
  if (isDecimal(field)) {
    const digits = `${random(2) === 0 ? '' : '-'}${BigInt(randomDigits(random)) + 1n}`
    return field.scalar === ScalarType.BYTES ? utf8ToBytes(digits) : digits
  }
  switch (field.scalar) {
    case ScalarType.STRING:
      // Integers without bounds are texts of digits.
      return isAlwaysSet(field) ? randomDigits(random) : randomText(random)
    case ScalarType.BYTES:
      return Uint8Array.from({ length: random(5) }, () => random(256))
    case ScalarType.BOOL:
      return random(2) === 0
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return random(100) / 4
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return random(3) === 0 ? 2n ** 63n - 1n : BigInt(random(1_000))
    default:
      return random(1_000)
  }
}

/** `packed` are the types that may stand in a google.protobuf.Any. */
export const randomMessage = (
  desc: DescMessage,
  packed: readonly DescMessage[],
  random: Random,
  depth = 0,
): Message => {
  if (desc.typeName === AnySchema.typeName) {
    const type = packed[random(packed.length)]
    if (type === undefined) return create(AnySchema)
    const value = toBinary(type, randomMessage(type, packed, random, depth + 1))
    return create(AnySchema, { typeUrl: `/${type.typeName}`, value })
  }
  if (desc.typeName === TimestampSchema.typeName) {
    return create(TimestampSchema, { seconds: BigInt(random(4_000_000_000)), nanos: random(1_000_000_000) })
  }
  if (desc.typeName === DurationSchema.typeName) {
    return create(DurationSchema, { seconds: BigInt(random(1_000_000)), nanos: random(1_000_000_000) })
  }
  const draft = reflect(desc, create(desc))
  const one = (field: DescField): unknown => {
    if (field.enum !== undefined) return field.enum.values[random(field.enum.values.length)]?.number ?? 0
    if (field.message === undefined) return randomScalar(field, random)
    return reflect(field.message, randomMessage(field.message, packed, random, depth + 1))
  }
  for (const field of desc.fields) {
    if (!isAlwaysSet(field) && (depth > MOST_LEVELS || random(4) === 0)) continue
    if (field.fieldKind === 'list') {
      const list = draft.get(field)
      for (let count = depth > MOST_LEVELS ? 0 : random(3); count > 0; count--) list.add(one(field) as never)
    } else if (field.fieldKind !== 'map') draft.set(field, one(field) as never)
  }
  return draft.message
}
