/** Numbers and times in amino JSON, as Go prints them. */
import { sdkError } from './errors.ts'

const INTEGER = /^-?[0-9]{1,96}$/
/** Places behind the point of a LegacyDec, and the width of its integer. */
const DECIMAL_PLACES = 18
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
  const absolute = value < 0n ? -value : value
  if (absolute >= MAX_DECIMAL) throw sdkError('invalidRequest', 'decimal out of range')
  const digits = absolute.toString().padStart(DECIMAL_PLACES + 1, '0')
  return `"${value < 0n ? '-' : ''}${digits.slice(0, -DECIMAL_PLACES)}.${digits.slice(-DECIMAL_PLACES)}"`
}

const NANOS_PER_SECOND = 1_000_000_000n
/** Go's bound: a duration in nanoseconds fits 64 bits. */
const MAX_DURATION_SECONDS = (1n << 63n) / NANOS_PER_SECOND - 1n

interface Seconds {
  readonly seconds: bigint
  readonly nanos: number
}

/** Nanoseconds as a text. */
export const printAminoDuration = ({ seconds, nanos }: Seconds): string => {
  if (seconds > MAX_DURATION_SECONDS || seconds < -MAX_DURATION_SECONDS) {
    throw sdkError('invalidRequest', `a duration of ${seconds} seconds overflows`)
  }
  return `"${seconds * NANOS_PER_SECOND + BigInt(nanos)}"`
}

const SECONDS_PER_DAY = 86_400
/** Years 1 to 9999, as google.protobuf.Timestamp allows. */
const MIN_TIMESTAMP = -62_135_596_800n
const MAX_TIMESTAMP = 253_402_300_799n

/** Year, month and day (Gregorian) of a count of days since 1970; eras of 400 years begin in March. */
const civilDate = (daysSince1970: number): string => {
  const days = daysSince1970 + 719_468
  const era = Math.floor(days / 146_097)
  const dayOfEra = days - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** RFC 3339 in UTC; of the nanoseconds as many digits as they have. */
export const printAminoTimestamp = ({ seconds, nanos }: Seconds): string => {
  if (seconds < MIN_TIMESTAMP || seconds > MAX_TIMESTAMP || nanos < 0 || BigInt(nanos) >= NANOS_PER_SECOND) {
    throw sdkError('invalidRequest', `${seconds} s and ${nanos} ns are no time between the years 1 and 9999`)
  }
  const total = Number(seconds)
  const days = Math.floor(total / SECONDS_PER_DAY)
  const rest = total - days * SECONDS_PER_DAY
  const time = [Math.floor(rest / 3_600), Math.floor(rest / 60) % 60, rest % 60].map(twoDigits).join(':')
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`
  return `"${civilDate(days)}T${time}${fraction}Z"`
}
