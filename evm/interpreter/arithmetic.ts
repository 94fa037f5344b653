/**
 * Arithmetic of the EVM (Yellow Paper 9.4.1, appendix H.2) on words in place. Binary operations take the upper operand
 * at `a`, the top of the stack, and the lower one a word below, where the result goes; ternary ones two words below.
 */
import { isZero, type Limbs, setBigint, setNumber, setSmall, toBigint, toNumber, WORD } from './words.ts'

const TWO_256 = 1n << 256n
const SIGN_BIT = 1n << 255n

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

const significantLimbs = (s: Limbs, at: number): number => {
  let count = WORD
  while (count > 0 && s[at + count - 1] === 0) count--
  return count
}

const product = new Int32Array(WORD)

/** Adds x * y * 2^(32 k) to the product, by digits of 16 bits: numbers hold their products exactly. */
const addProduct = (x: number, s: Limbs, b: number, k: number, count: number): void => {
  const xl = x & 0xffff
  const xh = x >>> 16
  let carry = 0
  for (let j = 0; j < count && j + k < WORD; j++) {
    const y = s[b + j] as number
    const yl = y & 0xffff
    const yh = y >>> 16
    // 32 bits times 32 bits, plus a limb, plus a carry of 32 bits, fits 64 bits.
    const low = xl * yl
    const middle = xl * yh + xh * yl
    const high = xh * yh
    const sum = low + (middle & 0xffff) * 0x1_0000 + ((product[j + k] as number) >>> 0) + carry
    product[j + k] = sum | 0
    carry = high + Math.floor(middle / 0x1_0000) + Math.floor(sum / 0x1_0000_0000)
  }
  if (count + k < WORD) product[count + k] = carry | 0
}

export const multiply = (s: Limbs, a: number): void => {
  const b = a - WORD
  const xCount = significantLimbs(s, a)
  const yCount = significantLimbs(s, b)
  for (let i = 0; i < WORD; i++) product[i] = 0
  for (let k = 0; k < xCount; k++) addProduct((s[a + k] as number) >>> 0, s, b, k, yCount)
  for (let i = 0; i < WORD; i++) s[b + i] = product[i] as number
}

/** Quotients of safe integers are exact when rounded down. */
const isSafe = (x: number, y: number): boolean => x <= Number.MAX_SAFE_INTEGER && y <= Number.MAX_SAFE_INTEGER

export const divide = (s: Limbs, a: number): void => {
  const b = a - WORD
  const x = toNumber(s, a)
  const y = toNumber(s, b)
  if (y === 0) return
  if (isSafe(x, y)) setNumber(s, b, Math.floor(x / y))
  else setBigint(s, b, toBigint(s, a) / toBigint(s, b))
}

export const modulo = (s: Limbs, a: number): void => {
  const b = a - WORD
  const x = toNumber(s, a)
  const y = toNumber(s, b)
  if (y === 0) return
  if (isSafe(x, y)) setNumber(s, b, x % y)
  else setBigint(s, b, toBigint(s, a) % toBigint(s, b))
}

const toSigned = (s: Limbs, at: number): bigint => {
  const value = toBigint(s, at)
  return value >= SIGN_BIT ? value - TWO_256 : value
}

export const signedDivide = (s: Limbs, a: number): void => {
  const b = a - WORD
  if (!isZero(s, b)) setBigint(s, b, toSigned(s, a) / toSigned(s, b))
}

export const signedModulo = (s: Limbs, a: number): void => {
  const b = a - WORD
  if (!isZero(s, b)) setBigint(s, b, toSigned(s, a) % toSigned(s, b))
}

export const addModulo = (s: Limbs, a: number): void => {
  const to = a - 2 * WORD
  if (!isZero(s, to)) setBigint(s, to, (toBigint(s, a) + toBigint(s, a - WORD)) % toBigint(s, to))
}

export const multiplyModulo = (s: Limbs, a: number): void => {
  const to = a - 2 * WORD
  if (!isZero(s, to)) setBigint(s, to, (toBigint(s, a) * toBigint(s, a - WORD)) % toBigint(s, to))
}

/** Square and multiply, modulo 2^256. */
export const exponentiate = (s: Limbs, a: number): void => {
  const b = a - WORD
  let base = toBigint(s, a)
  let result = 1n
  for (let rest = toBigint(s, b); rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = BigInt.asUintN(256, result * base)
    base = BigInt.asUintN(256, base * base)
  }
  setBigint(s, b, result)
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
