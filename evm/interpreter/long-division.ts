/**
 * Quotients and remainders of words: long division (Knuth, 4.3.1, algorithm D) on digits. No step of it corrects an
 * estimated digit: what an estimate gets wrong stays in the columns for the next one, and the last is corrected once.
 */
import { BASE, columns, type Digits, DIGITS, loadDigits, padded, storeDigits } from './digits.ts'
import { type Limbs, WORD } from './words.ts'

/** Where the next lower column is as large as can be, it adds less than this to the one above. */
const CARRY_BOUND = 2 ** 28
/** More than the error of an estimated digit of the quotient, in units of that digit; a power of two. */
const SLACK = 2 ** -16

const divisor: Digits = new Float64Array(DIGITS)
/** The quotient of a product has up to 22 digits. */
const quotient: Digits = new Float64Array(2 * DIGITS + 2)
const unused: Limbs = new Int32Array(WORD)

const significantDigits = (digits: Digits, most: number): number => {
  let count = most
  while (count > 0 && digits[count - 1] === 0) count--
  return count
}

/** Reads a divisor, aligned with the top of a word, and returns how many digits it has. */
const loadDivisor = (s: Limbs, at: number): number => {
  loadDigits(divisor, s, at)
  const count = significantDigits(divisor, DIGITS)
  const by = DIGITS - count
  if (by > 0) for (let i = DIGITS - 1; i >= 0; i--) divisor[i] = i >= by ? (divisor[i - by] as number) : 0
  return count
}

/**
 * Divides columns, of which `count` count, by the divisor of n digits. A digit of the quotient is estimated from the
 * highest columns; where its true value is just below the next integer, the estimate is that one: what is left is then a
 * little below zero, and the digits that follow make up for it. Leaves the rest in the columns, and returns it in
 * proportion to the divisor: at least -SLACK and below 1, give or take less than SLACK.
 */
const divideColumns = (count: number, n: number): number => {
  const m0 = divisor[0] as number
  const m1 = divisor[1] as number
  const m2 = divisor[2] as number
  const m3 = divisor[3] as number
  const m4 = divisor[4] as number
  const m5 = divisor[5] as number
  const m6 = divisor[6] as number
  const m7 = divisor[7] as number
  const m8 = divisor[8] as number
  const m9 = divisor[9] as number
  const ma = divisor[10] as number
  const scale0 = 1 / ((ma * BASE + m9) * BASE + m8)
  const scale1 = BASE * scale0
  const scale2 = BASE * scale1
  columns[count] = 0
  columns[count + 1] = 0
  // The first digit is below BASE: the highest column, product of two digits, can have more.
  const isBelow = (columns[count - 1] as number) + CARRY_BOUND < ma * BASE
  let j = isBelow ? count - n : count - n + 1
  const top = n + j
  let w0 = padded[top + 1] as number
  let w1 = padded[top + 2] as number
  let w2 = padded[top + 3] as number
  let w3 = padded[top + 4] as number
  let w4 = padded[top + 5] as number
  let w5 = padded[top + 6] as number
  let w6 = padded[top + 7] as number
  let w7 = padded[top + 8] as number
  let w8 = padded[top + 9] as number
  let w9 = padded[top + 10] as number
  let wa = padded[top + 11] as number
  for (; j >= 0; j--) {
    // Exact: the sum is below 2^49, though w9 may be near 2^52.
    const head = wa * BASE + w9
    const digit = Math.floor(head * scale2 + (w8 * scale1 + w7 * scale0 + SLACK))
    quotient[j] = digit
    wa = head - digit * ma
    w9 = w8 - digit * m9
    w8 = w7 - digit * m8
    w7 = w6 - digit * m7
    w6 = w5 - digit * m6
    w5 = w4 - digit * m5
    w4 = w3 - digit * m4
    w3 = w2 - digit * m3
    w2 = w1 - digit * m2
    w1 = w0 - digit * m1
    w0 = (padded[n + j] as number) - digit * m0
  }
  padded[n] = w0
  padded[n + 1] = w1
  padded[n + 2] = w2
  padded[n + 3] = w3
  padded[n + 4] = w4
  padded[n + 5] = w5
  padded[n + 6] = w6
  padded[n + 7] = w7
  padded[n + 8] = w8
  padded[n + 9] = w9
  padded[n + 10] = wa
  return ((wa * BASE + w9) * BASE + w8) * scale0
}

/** Divides the lowest `most` columns, and none of those above. Returns the rest as {@link divideColumns}. */
const divideBy = (n: number, most: number): number => {
  const count = significantDigits(columns, most)
  // A column can have twice the bits of a digit: no division only where there is one digit more to spare.
  if (count === 0 || count + 1 < n) return 0
  const rest = divideColumns(count, n)
  for (let i = n; i < DIGITS; i++) columns[i] = 0
  return rest
}

/** Writes the remainder of the lowest `most` columns by the word at `to`, which is not zero, there. */
export const storeRemainder = (s: Limbs, to: number, most: number): void => {
  const n = loadDivisor(s, to)
  divideBy(n, most)
  if (storeDigits(s, to, columns) === 0) return
  for (let i = 0; i < n; i++) columns[i] = (columns[i] as number) + (divisor[DIGITS - n + i] as number)
  storeDigits(s, to, columns)
}

/** Writes the quotient of the word at `from` by the one at `to`, which is not zero, there. */
export const storeQuotient = (s: Limbs, to: number, from: number): void => {
  const n = loadDivisor(s, to)
  loadDigits(columns, s, from)
  for (let i = 0; i < DIGITS; i++) quotient[i] = 0
  const rest = divideBy(n, DIGITS)
  // Only a rest near zero needs its sign looked at.
  if (rest < 2 * SLACK && storeDigits(unused, 0, columns) < 0) quotient[0] = (quotient[0] as number) - 1
  storeDigits(s, to, quotient)
}
