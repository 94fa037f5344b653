/** Numbers and times in amino JSON, as Go prints them. */
import { formatDecimal } from '../../core/decimal.ts'
import { formatSeconds, NS_PER_SECOND } from '../../core/time.ts'
import { sdkError } from '../../modules/sdk-errors.ts'

const INTEGER = /^-?[0-9]{1,96}$/
/** The width of a LegacyDec's integer. */
const MAX_DECIMAL = 1n << 315n

const parseInteger = (text: string): bigint => {
  if (!INTEGER.test(text)) throw sdkError('invalidRequest', `${JSON.stringify(text.slice(0, 100))} is not an integer`)
  return BigInt(text)
}

/** cosmos.Int; an empty text is zero. */
export const printAminoInteger = (text: string): string => `"${text === '' ? 0n : parseInteger(text)}"`

/** cosmos.Dec: an integer of 10^-18 with its point; an empty text is zero without one. */
export const printAminoDecimal = (text: string): string => {
  if (text === '') return '"0"'
  const value = parseInteger(text)
  if (value >= MAX_DECIMAL || value <= -MAX_DECIMAL) throw sdkError('invalidRequest', 'decimal out of range')
  return `"${formatDecimal(value)}"`
}

/** Go's bound: a duration in nanoseconds fits 64 bits. */
const MAX_DURATION_SECONDS = (1n << 63n) / NS_PER_SECOND - 1n

interface Seconds {
  readonly seconds: bigint
  readonly nanos: number
}

/** Nanoseconds as a text. */
export const printAminoDuration = ({ seconds, nanos }: Seconds): string => {
  if (seconds > MAX_DURATION_SECONDS || seconds < -MAX_DURATION_SECONDS) {
    throw sdkError('invalidRequest', `a duration of ${seconds} seconds overflows`)
  }
  return `"${seconds * NS_PER_SECOND + BigInt(nanos)}"`
}

/** Years 1 to 9999, as google.protobuf.Timestamp allows. */
const MIN_TIMESTAMP = -62_135_596_800n
const MAX_TIMESTAMP = 253_402_300_799n

/** RFC 3339 in UTC; of the nanoseconds as many digits as they have. */
export const printAminoTimestamp = ({ seconds, nanos }: Seconds): string => {
  if (seconds < MIN_TIMESTAMP || seconds > MAX_TIMESTAMP || nanos < 0 || BigInt(nanos) >= NS_PER_SECOND) {
    throw sdkError('invalidRequest', `${seconds} s and ${nanos} ns are no time between the years 1 and 9999`)
  }
  const whole = formatSeconds(seconds * NS_PER_SECOND).slice(0, -1)
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`
  return `"${whole}${fraction}Z"`
}
