/**
 * Arithmetic of the EVM (Yellow Paper 9.4.1, appendix H.2) on words in place. Binary operations take the upper operand
 * at `a`, the top of the stack, and the lower one a word below, where the result goes; ternary ones two words below.
 */
import { isLess } from './bits.ts'
import { addDigits, columns, DIGITS, loadDigits, multiplyWords, PRODUCT_COLUMNS } from './digits.ts'
import { storeQuotient, storeRemainder } from './long-division.ts'
import { copyWord, type Limbs, setNumber, setSmall, toNumber, WORD } from './words.ts'

const TWO_32 = 0x1_0000_0000

export const add = (s: Limbs, a: number): void => {
  const b = a - WORD
  let carry = 0
  for (let i = 0; i < WORD; i++) {
    const x = s[a + i] as number
    const y = s[b + i] as number
    const sum = (x + y + carry) | 0
    carry = ((x & y) | ((x | y) & ~sum)) >>> 31
    s[b + i] = sum
  }
}

export const subtract = (s: Limbs, a: number): void => {
  const b = a - WORD
  let borrow = 0
  for (let i = 0; i < WORD; i++) {
    const x = s[a + i] as number
    const y = s[b + i] as number
    const difference = (x - y - borrow) | 0
    borrow = ((~x & y) | ((~x | y) & difference)) >>> 31
    s[b + i] = difference
  }
}

/** Multiplies the word at `y` by the one at `x`, modulo 2^256. */
export const multiplyBy = (s: Limbs, x: number, y: number): void => {
  const product = toNumber(s, x) * toNumber(s, y)
  if (product <= Number.MAX_SAFE_INTEGER) setNumber(s, y, product)
  else multiplyWords(s, x, y, false)
}

export const multiply = (s: Limbs, a: number): void => multiplyBy(s, a, a - WORD)

/** Quotients of safe integers are exact when rounded down. */
const isSafe = (x: number, y: number): boolean => x <= Number.MAX_SAFE_INTEGER && y <= Number.MAX_SAFE_INTEGER

/** Divides safe integers and answers the rest. */
const restOf = (x: number, y: number): number => x - Math.floor(x / y) * y

/**
 * The bound of a short divisor: below it, a rest with a limb behind it is exact in a double, with one divisor to spare.
 */
const SHORT = 2 ** 20

/** Divides the word at `from` by a short number, limb by limb, writes the quotient at `to` and returns the rest. */
const divideShort = (s: Limbs, from: number, to: number, divisor: number): number => {
  const inverse = 1 / divisor
  let rest = 0
  for (let i = WORD - 1; i >= 0; i--) {
    const part = rest * TWO_32 + ((s[from + i] as number) >>> 0)
    // Off by one at most.
    let digit = Math.floor(part * inverse)
    rest = part - digit * divisor
    if (rest < 0) {
      digit--
      rest += divisor
    } else if (rest >= divisor) {
      digit++
      rest -= divisor
    }
    s[to + i] = digit
  }
  return rest
}

export const divide = (s: Limbs, a: number): void => {
  const b = a - WORD
  const x = toNumber(s, a)
  const y = toNumber(s, b)
  if (y === 0) return
  if (isSafe(x, y)) setNumber(s, b, Math.floor(x / y))
  else if (y < SHORT) divideShort(s, a, b, y)
  else storeQuotient(s, b, a)
}

const moduloWide = (s: Limbs, a: number): void => {
  loadDigits(columns, s, a)
  storeRemainder(s, a - WORD, DIGITS)
}

export const modulo = (s: Limbs, a: number): void => {
  const b = a - WORD
  const x = toNumber(s, a)
  const y = toNumber(s, b)
  if (y === 0) return
  if (isSafe(x, y)) setNumber(s, b, restOf(x, y))
  else if (y < SHORT) setNumber(s, b, divideShort(s, a, a, y))
  else moduloWide(s, a)
}

const isNegative = (s: Limbs, at: number): boolean => (s[at + WORD - 1] as number) < 0

const negate = (s: Limbs, at: number): void => {
  let i = 0
  while (i < WORD - 1 && s[at + i] === 0) i++
  s[at + i] = -(s[at + i] as number)
  for (i++; i < WORD; i++) s[at + i] = ~(s[at + i] as number)
}

/** Makes both operands positive, the upper one in the place that the instruction frees. -2^255 becomes 2^255. */
const dropSigns = (s: Limbs, a: number): void => {
  if (isNegative(s, a)) negate(s, a)
  if (isNegative(s, a - WORD)) negate(s, a - WORD)
}

export const signedDivide = (s: Limbs, a: number): void => {
  const b = a - WORD
  const differ = isNegative(s, a) !== isNegative(s, b)
  dropSigns(s, a)
  divide(s, a)
  if (differ) negate(s, b)
}

/** The remainder has the sign of the dividend. */
export const signedModulo = (s: Limbs, a: number): void => {
  const isBelowZero = isNegative(s, a)
  dropSigns(s, a)
  modulo(s, a)
  if (isBelowZero) negate(s, a - WORD)
}

/** The operands are below the modulus, so their sum is below twice as much. */
const addBelow = (s: Limbs, a: number): void => {
  const b = a - WORD
  const to = b - WORD
  add(s, a)
  // A sum below an operand has wrapped.
  if (isLess(s, b, a) === 1 || isLess(s, b, to) === 0) subtract(s, b)
  else copyWord(s, to, s, b)
}

const addModuloWide = (s: Limbs, a: number): void => {
  const b = a - WORD
  const to = b - WORD
  if (isLess(s, a, to) === 1 && isLess(s, b, to) === 1) addBelow(s, a)
  else {
    loadDigits(columns, s, a)
    addDigits(s, b)
    storeRemainder(s, to, DIGITS)
  }
}

export const addModulo = (s: Limbs, a: number): void => {
  const b = a - WORD
  const to = b - WORD
  const m = toNumber(s, to)
  if (m === 0) return
  if (m < SHORT) setNumber(s, to, restOf(divideShort(s, a, a, m) + divideShort(s, b, b, m), m))
  else addModuloWide(s, a)
}

const multiplyModuloWide = (s: Limbs, a: number): void => {
  multiplyWords(s, a, a - WORD, true)
  storeRemainder(s, a - 2 * WORD, PRODUCT_COLUMNS)
}

export const multiplyModulo = (s: Limbs, a: number): void => {
  const b = a - WORD
  const to = b - WORD
  const product = toNumber(s, a) * toNumber(s, b)
  const m = toNumber(s, to)
  if (m === 0) return
  if (isSafe(product, m)) setNumber(s, to, restOf(product, m))
  else if (m < SHORT) setNumber(s, to, restOf(divideShort(s, a, a, m) * divideShort(s, b, b, m), m))
  else multiplyModuloWide(s, a)
}

/** Extends the sign of the byte that the upper operand numbers from the least significant. */
export const signExtend = (s: Limbs, a: number): void => {
  const b = a - WORD
  const byte = toNumber(s, a)
  if (byte >= 31) return
  const limb = b + (byte >>> 2)
  const unused = 24 - ((byte & 3) << 3)
  const extended = ((s[limb] as number) << unused) >> unused
  s[limb] = extended
  for (let at = limb + 1; at < b + WORD; at++) s[at] = extended >> 31
}

/** Number of leading zeros (EIP-7939), in place. */
export const countLeadingZeros = (s: Limbs, at: number): void => {
  let zeros = 0
  for (let i = WORD - 1; i >= 0; i--) {
    const limb = s[at + i] as number
    zeros += Math.clz32(limb)
    if (limb !== 0) break
  }
  setSmall(s, at, zeros)
}
