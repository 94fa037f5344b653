/** Counts what a message is made of before it is decoded: a field of two bytes becomes an object. */
import type { DescMessage } from '@bufbuild/protobuf'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

const innerOf = (desc: DescMessage): ReadonlyMap<number, DescMessage> => {
  const known = inners.get(desc)
  if (known !== undefined) return known
  const found = new Map<number, DescMessage>()
  for (const field of desc.fields) if (field.message !== undefined) found.set(field.number, field.message)
  inners.set(desc, found)
  return found
}
const inners = new WeakMap<DescMessage, ReadonlyMap<number, DescMessage>>()

/** Fields of the message and of those within it, counted up to `most` and one. Throws for bytes that are no message. */
export const countFields = (desc: DescMessage, bytes: Uint8Array, most: number): number => {
  const inner = innerOf(desc)
  const reader = new BinaryReader(bytes)
  let count = 0
  while (reader.pos < reader.len && count <= most) {
    const [number, wireType] = reader.tag()
    count++
    const message = wireType === WireType.LengthDelimited ? inner.get(number) : undefined
    if (message === undefined) reader.skip(wireType, number)
    else count += countFields(message, reader.bytes(), most - count)
  }
  return count
}
