/**
 * Fixed-point decimals of 18 places as integers, with the rounding of the Cosmos SDK's `LegacyDec` (cosmossdk.io/math):
 * shares, rates and rewards must come out the same to the last digit.
 */
import { coreError } from './errors.ts'

/** The value times 10^18. */
export type Decimal = bigint

export const DECIMAL_PLACES = 18
export const ONE: Decimal = 10n ** 18n
const HALF = ONE / 2n

/** Most bits of a decimal in the SDK: 256 before the point, 60 after it. */
const MAX_DECIMAL = (1n << 316n) - 1n
const MAX_TEXT = 128

/** Divides by 10^18; halves go to the even neighbour (banker's rounding). */
const roundHalfEven = (value: bigint): bigint => {
  if (value < 0n) return -roundHalfEven(-value)
  const quotient = value / ONE
  const rest = value % ONE
  if (rest < HALF) return quotient
  if (rest > HALF) return quotient + 1n
  return quotient % 2n === 0n ? quotient : quotient + 1n
}

/** Divides and rounds away from zero. The divisor is not zero. */
const divideUp = (value: bigint, divisor: bigint): bigint => {
  const quotient = value / divisor
  return value % divisor === 0n ? quotient : value < 0n === divisor < 0n ? quotient + 1n : quotient
}

export const toDecimal = (integer: bigint): Decimal => integer * ONE

/** Rounds half to even. */
export const multiply = (a: Decimal, b: Decimal): Decimal => roundHalfEven(a * b)
export const multiplyTruncate = (a: Decimal, b: Decimal): Decimal => (a * b) / ONE
export const multiplyRoundUp = (a: Decimal, b: Decimal): Decimal => divideUp(a * b, ONE)

/** Rounds half to even at the 18th place, of a quotient that is cut at the 36th. The divisor is not zero. */
export const divide = (a: Decimal, b: Decimal): Decimal => roundHalfEven((a * ONE * ONE) / b)
export const divideTruncate = (a: Decimal, b: Decimal): Decimal => (a * ONE) / b
export const divideRoundUp = (a: Decimal, b: Decimal): Decimal => divideUp(a * ONE, b)

/** Divides a decimal by an integer and truncates the rest. */
export const divideByInteger = (a: Decimal, divisor: bigint): Decimal => a / divisor

/** The integer part. */
export const truncate = (value: Decimal): bigint => value / ONE
/** The nearest integer, halves to the even one. */
export const round = (value: Decimal): bigint => roundHalfEven(value)
/** The smallest integer that is not below it. */
export const ceiling = (value: Decimal): bigint => {
  const quotient = value / ONE
  return value > 0n && value % ONE !== 0n ? quotient + 1n : quotient
}

/** `0.050000000000000000`: as REST and events print it. */
export const formatDecimal = (value: Decimal): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(DECIMAL_PLACES + 1, '0')
  const point = digits.length - DECIMAL_PLACES
  return `${value < 0n ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`
}

/**
 * Reads `-1`, `0.05`: at most 18 places, and no other bound than the 128 characters of its text. For sums that only grow,
 * which no supply bounds. Throws core/6.
 */
export const parseLongDecimal = (text: string): Decimal => {
  const match = text.length > MAX_TEXT ? null : /^(-?)([0-9]+)(?:\.([0-9]{1,18}))?$/.exec(text)
  if (match === null) {
    throw coreError('decimal', `invalid decimal ${text.slice(0, 100)}: digits, at most 18 of them after a point`)
  }
  const [, sign, whole = '0', places = ''] = match
  const value = BigInt(whole) * ONE + BigInt(places.padEnd(DECIMAL_PLACES, '0'))
  return sign === '-' ? -value : value
}

/** Reads `-1`, `0.05`: at most 18 places, and of the SDK's range. Throws core/6. */
export const parseDecimal = (text: string): Decimal => {
  const value = parseLongDecimal(text)
  if (value <= MAX_DECIMAL && value >= -MAX_DECIMAL) return value
  throw coreError('decimal', `invalid decimal ${text.slice(0, 100)}: out of range`)
}

/** Reads the integer form that protobuf fields of decimals carry: `50000000000000000` is 0.05. Throws core/6. */
export const parseScaledDecimal = (text: string): Decimal => {
  if (text.length > MAX_TEXT || !/^-?[0-9]+$/.test(text)) {
    throw coreError('decimal', `invalid decimal ${text.slice(0, 100)}: an integer of 10^-18 parts is expected`)
  }
  return BigInt(text)
}
