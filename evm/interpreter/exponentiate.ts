/** EXP (Yellow Paper, appendix H.2): powers modulo 2^256 by squaring. */
import { multiplyBy } from './arithmetic.ts'
import { bitLength, copyWord, type Limbs, setSmall, toNumber, WORD } from './words.ts'

/** Places of what a power is made from. */
const BASE = 0
const RESULT = WORD
const REST = 2 * WORD
const work: Limbs = new Int32Array(3 * WORD)
/** Half the bits of a word. */
const HALF = 128

/** 256 for zero. */
const trailingZeros = (s: Limbs, at: number): number => {
  let i = 0
  while (i < WORD && s[at + i] === 0) i++
  const limb = i < WORD ? (s[at + i] as number) : 0
  return limb === 0 ? 256 : 32 * i + 31 - Math.clz32(limb & -limb)
}

const setPowerOfTwo = (s: Limbs, at: number, exponent: number): void => {
  setSmall(s, at, 0)
  s[at + (exponent >>> 5)] = 1 << (exponent & 31)
}

/**
 * Multiplies the result by what the upper half of the exponent contributes, of an odd base that was squared 128 times.
 * An odd square is 1 modulo 8, and each further squaring doubles that modulus: the base is now 1 + w with w divisible by
 * 2^130, so w * w is 0 modulo 2^256, and the power is 1 + w * exponent.
 */
const applyUpperHalf = (s: Limbs, exponent: number): void => {
  setSmall(work, REST, 0)
  for (let i = 0; i < WORD / 2; i++) work[REST + i] = s[exponent + WORD / 2 + i] as number
  work[BASE] = 0
  multiplyBy(work, REST, BASE)
  work[BASE] = 1
  multiplyBy(work, BASE, RESULT)
}

/** The upper operand to the power of the lower one; operands as in arithmetic.ts. */
export const exponentiate = (s: Limbs, a: number): void => {
  const b = a - WORD
  const bits = bitLength(s, b)
  const zeros = trailingZeros(s, a)
  if (bits === 0) setSmall(s, b, 1)
  else if (zeros * toNumber(s, b) >= 256) setSmall(s, b, 0)
  else if (zeros > 0 && bitLength(s, a) === zeros + 1) setPowerOfTwo(s, b, zeros * toNumber(s, b))
  else squareAndMultiply(s, a, bits)
}

const squareAndMultiply = (s: Limbs, a: number, bits: number): void => {
  const b = a - WORD
  copyWord(work, BASE, s, a)
  let isOne = true
  const count = Math.min(bits, HALF)
  for (let bit = 0; bit < count; bit++) {
    if (bit > 0) multiplyBy(work, BASE, BASE)
    if ((((s[b + (bit >>> 5)] as number) >>> (bit & 31)) & 1) === 0) continue
    if (isOne) copyWord(work, RESULT, work, BASE)
    else multiplyBy(work, BASE, RESULT)
    isOne = false
  }
  if (isOne) setSmall(work, RESULT, 1)
  if (bits > HALF) {
    multiplyBy(work, BASE, BASE)
    applyUpperHalf(s, b)
  }
  copyWord(s, b, work, RESULT)
}
