/**
 * For tests: a message made by hand, and the JSON that the Cosmos SDK's documents show for it (v0.54.4, the README of each
 * module, section REST), with the fields that came after the example was written. The order of members counts.
 */
import { create, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { expect } from 'vitest'
import { createMessagePrinter } from '../print-message.ts'
import { createTypeRegistry, NATIVE_SERVICES } from '../services.ts'

const printer = createMessagePrinter(createTypeRegistry(NATIVE_SERVICES))

/** Prints the message as a whole, and piece by piece. */
export const print = <Type extends DescMessage>(type: Type, message: MessageInitShape<Type>): string => {
  const text = printer.print(type, create(type, message))
  if (type.typeName.startsWith('google.protobuf.')) return text
  expect([...printer.pieces(type, create(type, message))].join('')).toBe(text)
  return text
}

export const expectShown = <Type extends DescMessage>(
  type: Type,
  message: MessageInitShape<Type>,
  json: string,
): void => expect(print(type, message)).toBe(JSON.stringify(JSON.parse(json)))

export const pack = <Type extends DescMessage>(type: Type, message: MessageInitShape<Type>) => ({
  typeUrl: `/${type.typeName}`,
  value: toBinary(type, create(type, message)),
})

export const time = (text: string, nanos = 0) => ({ seconds: BigInt(Date.parse(text)) / 1_000n, nanos })
export const dec = (whole: bigint, digits = 0n): string => (whole * 10n ** 18n + digits).toString()
export const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
