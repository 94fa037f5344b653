/** Times as nanoseconds since 1970, and their texts (RFC 3339, always UTC). */
import { coreError } from './errors.ts'
import { failAt, parseString } from './parse.ts'

export const NS_PER_SECOND = 1_000_000_000n
const SECONDS_PER_DAY = 86_400n
/** 24 hours. */
export const DAY_NS = SECONDS_PER_DAY * NS_PER_SECOND
/** Go's zero time, the first second of the year 1: the completion time of what is complete at once. */
export const ZERO_TIME_NS = -62_135_596_800n * NS_PER_SECOND
/** A time beyond it would not fit a key. The year 2554. */
export const MAX_TIME_NS = (1n << 64n) - 1n

/** The longest duration that Go's 63 bits hold: 292 years. */
export const MAX_DURATION_NS = (1n << 63n) - 1n

const floorDivide = (value: bigint, divisor: bigint): bigint => {
  const quotient = value / divisor
  return value % divisor < 0n ? quotient - 1n : quotient
}

/** The form of google.protobuf.Timestamp and Duration. */
export interface SecondsAndNanos {
  readonly seconds: bigint
  readonly nanos: number
}

export const toSecondsAndNanos = (timeNs: bigint): SecondsAndNanos => {
  const seconds = floorDivide(timeNs, NS_PER_SECOND)
  return { seconds, nanos: Number(timeNs - seconds * NS_PER_SECOND) }
}

/** The inverse of {@link toSecondsAndNanos}. */
export const toNanoseconds = ({ seconds, nanos }: SecondsAndNanos): bigint => seconds * NS_PER_SECOND + BigInt(nanos)

/** Days since 1970 of a date of the Gregorian calendar; years begin in March (Hinnant, chrono-compatible dates). */
const daysOf = (year: number, month: number, day: number): number => {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

const dateOf = (days: number): readonly [year: number, month: number, day: number] => {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1
  return [yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day]
}

const pad = (value: number | bigint, digits: number): string => value.toString().padStart(digits, '0')

/** None, three, six or nine digits behind a point, as protobuf's JSON has them. */
const fraction = (nanos: number): string => (nanos === 0 ? '' : `.${pad(nanos, 9).replace(/(?:000){1,2}$/, '')}`)

/** Four digits; a sign and six of a year that needs more (ISO 8601, expanded). */
const formatYear = (year: number): string => {
  if (year >= 0 && year <= 9_999) return pad(year, 4)
  return `${year < 0 ? '-' : '+'}${pad(Math.abs(year), 6)}`
}

/** Date and clock without the zone. */
const formatClock = (seconds: bigint): string => {
  const days = floorDivide(seconds, SECONDS_PER_DAY)
  const rest = seconds - days * SECONDS_PER_DAY
  const [year, month, day] = dateOf(Number(days))
  const clock = [rest / 3_600n, (rest / 60n) % 60n, rest % 60n].map((part) => pad(part, 2)).join(':')
  return `${formatYear(year)}-${pad(month, 2)}-${pad(day, 2)}T${clock}`
}

/** `2026-01-02T03:04:05Z`: whole seconds, as events show times. */
export const formatSeconds = (timeNs: bigint): string => `${formatClock(toSecondsAndNanos(timeNs).seconds)}Z`

/** Prints what {@link formatSeconds} prints and the fraction behind it, as protobuf's JSON has it. */
export const formatTime = (timeNs: bigint): string => {
  const { seconds, nanos } = toSecondsAndNanos(timeNs)
  return `${formatClock(seconds)}${fraction(nanos)}Z`
}

/** The years from -271821 to 275760. */
const MAX_TIMESTAMP_SECONDS = 8_640_000_000_000n

/**
 * A message of protobuf, which can hold any numbers, as protobuf's JSON has it; with `isShort` as encoding/json
 * (time.RFC3339Nano): the fraction without zeros at its end. Undefined beyond 100,000,000 days from 1970.
 */
export const formatTimestamp = ({ seconds, nanos }: SecondsAndNanos, isShort: boolean): string | undefined => {
  if (seconds > MAX_TIMESTAMP_SECONDS || seconds < -MAX_TIMESTAMP_SECONDS) return undefined
  const digits = fraction(nanos)
  return `${formatClock(seconds)}${isShort ? digits.replace(/0+$/, '') : digits}Z`
}

/** Reads what {@link formatTime} gives. Throws core/7. */
export const parseTime = (text: string): bigint => {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z$/.exec(text)
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (match ?? []).slice(1, 7).map(Number)
  const seconds = BigInt(daysOf(year, month, day)) * SECONDS_PER_DAY + BigInt(hour * 3_600 + minute * 60 + second)
  const timeNs = seconds * NS_PER_SECOND + BigInt((match?.[7] ?? '').padEnd(9, '0'))
  // Printing it again tells dates that do not exist.
  if (match !== null && formatSeconds(timeNs) === `${text.slice(0, 19)}Z`) return timeNs
  throw coreError('time', `invalid time ${text.slice(0, 40)}: such as 2026-01-02T03:04:05.6Z is expected`)
}

/** Prints a duration of a protobuf message as {@link formatDuration} does: both numbers have the sign. */
export const formatDurationParts = ({ seconds, nanos }: SecondsAndNanos): string => {
  const sign = seconds < 0n || nanos < 0 ? '-' : ''
  return `${sign}${seconds < 0n ? -seconds : seconds}${fraction(Math.abs(nanos))}s`
}

/** `1814400s`, as google.protobuf.Duration is written in JSON. Not negative. */
export const formatDuration = (durationNs: bigint): string => formatDurationParts(toSecondsAndNanos(durationNs))

/** Not negative. Throws core/7. */
export const parseDuration = (text: string): bigint => {
  const match = /^(\d{1,12})(?:\.(\d{1,9}))?s$/.exec(text)
  if (match === null) {
    throw coreError('time', `invalid duration ${text.slice(0, 40)}: such as 1814400s is expected`)
  }
  return BigInt(match[1] ?? '0') * NS_PER_SECOND + BigInt((match[2] ?? '').padEnd(9, '0'))
}

const located = (path: string, read: () => bigint): bigint => {
  try {
    return read()
  } catch (error) {
    return failAt(path, (error as Error).message)
  }
}

/** Reads a time of a genesis file: from 1970 to the year 9999, with which RFC 3339 ends. Throws genesis/1. */
export const parseTimeMember = (value: unknown, path: string): bigint => {
  const timeNs = located(path, () => parseTime(parseString(value, path)))
  return timeNs >= 0n ? timeNs : failAt(path, 'must not be before 1970')
}

/** Reads a time as {@link parseTimeMember} does, up to 2262: 63 bits hold it. Throws genesis/1. */
export const parseKeyTimeMember = (value: unknown, path: string): bigint => {
  const timeNs = parseTimeMember(value, path)
  return timeNs <= MAX_DURATION_NS ? timeNs : failAt(path, 'must be between 1970 and 2262')
}

/** Reads a duration of a genesis file. Throws genesis/1. */
export const parseDurationMember = (value: unknown, path: string): bigint => {
  const durationNs = located(path, () => parseDuration(parseString(value, path)))
  return durationNs <= MAX_DURATION_NS ? durationNs : failAt(path, 'must be shorter than 292 years')
}
