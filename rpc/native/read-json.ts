/** JSON of clients as messages of protobuf, with bounds on what takes long to read. */
import { type DescMessage, fromJson, type JsonValue, type MessageShape, type Registry } from '@bufbuild/protobuf'

/** The longest number of protobuf has 20 digits; V8 takes a third of a second to read one of a million. */
const MOST_DIGITS = 1_000
const NUMBER = /^\s*[-+]?\d+\s*$/

/** Throws Error. */
const requireShortNumbers = (value: unknown): void => {
  if (typeof value === 'string') {
    if (value.length > MOST_DIGITS && NUMBER.test(value)) throw new Error(`a number of ${value.length} digits`)
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) requireShortNumbers(member)
  }
}

/** Throws Error for what does not fit the message. */
export const readJson = <Desc extends DescMessage>(
  message: Desc,
  value: unknown,
  options: { readonly registry?: Registry } = {},
): MessageShape<Desc> => {
  requireShortNumbers(value)
  return fromJson(message, value as JsonValue, options)
}
