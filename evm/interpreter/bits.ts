/** Comparisons, bitwise operations and shifts on words in place; operands as in arithmetic.ts. */
import { type Limbs, setSmall, toNumber, WORD } from './words.ts'

export const and = (s: Limbs, a: number): void => {
  const b = a - WORD
  for (let i = 0; i < WORD; i++) s[b + i] = (s[b + i] as number) & (s[a + i] as number)
}

export const or = (s: Limbs, a: number): void => {
  const b = a - WORD
  for (let i = 0; i < WORD; i++) s[b + i] = (s[b + i] as number) | (s[a + i] as number)
}

export const xor = (s: Limbs, a: number): void => {
  const b = a - WORD
  for (let i = 0; i < WORD; i++) s[b + i] = (s[b + i] as number) ^ (s[a + i] as number)
}

export const not = (s: Limbs, at: number): void => {
  for (let i = 0; i < WORD; i++) s[at + i] = ~(s[at + i] as number)
}

/** 1 where the word at `x` is less than the one at `y`. */
export const isLess = (s: Limbs, x: number, y: number): number => {
  for (let i = WORD - 1; i >= 0; i--) {
    const p = s[x + i] as number
    const q = s[y + i] as number
    if (p !== q) return p >>> 0 < q >>> 0 ? 1 : 0
  }
  return 0
}

/** Compares signed words: the highest limbs decide unless they are equal. */
export const isSignedLess = (s: Limbs, x: number, y: number): number => {
  const p = s[x + WORD - 1] as number
  const q = s[y + WORD - 1] as number
  if (p !== q) return p < q ? 1 : 0
  return isLess(s, x, y)
}

/** The byte that the upper operand numbers from the most significant. */
export const byteAt = (s: Limbs, a: number): void => {
  const b = a - WORD
  const index = toNumber(s, a)
  const byte = index < 32 ? ((s[b + 7 - (index >>> 2)] as number) >>> (24 - ((index & 3) << 3))) & 0xff : 0
  setSmall(s, b, byte)
}

export const shiftLeft = (s: Limbs, a: number): void => {
  const b = a - WORD
  const shift = toNumber(s, a)
  if (shift >= 256) {
    setSmall(s, b, 0)
    return
  }
  const limbs = shift >>> 5
  const bits = shift & 31
  for (let i = WORD - 1; i >= 0; i--) {
    const from = i - limbs
    const high = from >= 0 ? (s[b + from] as number) << bits : 0
    s[b + i] = bits > 0 && from >= 1 ? high | ((s[b + from - 1] as number) >>> (32 - bits)) : high
  }
}

/** `fill` is what comes in from above: 0, or -1 for a negative number. */
const shiftRightBy = (s: Limbs, b: number, shift: number, fill: number): void => {
  const limbs = shift >>> 5
  const bits = shift & 31
  for (let i = 0; i < WORD; i++) {
    const from = i + limbs
    const low = from < WORD ? (s[b + from] as number) : fill
    const high = from + 1 < WORD ? (s[b + from + 1] as number) : fill
    s[b + i] = bits === 0 ? low : (low >>> bits) | (high << (32 - bits))
  }
}

export const shiftRight = (s: Limbs, a: number): void => {
  const shift = toNumber(s, a)
  if (shift >= 256) setSmall(s, a - WORD, 0)
  else shiftRightBy(s, a - WORD, shift, 0)
}

export const shiftRightSigned = (s: Limbs, a: number): void => {
  const b = a - WORD
  const fill = (s[b + WORD - 1] as number) >> 31
  shiftRightBy(s, b, Math.min(toNumber(s, a), 256), fill)
}
