/**
 * Words as digits of 24 bits held as doubles. A double is exact below 2^53, and the eleven products of 48 bits that can
 * meet in one column stay below 2^52: so columns are summed up, and multiples of a divisor taken from them, without
 * carries; those run once, when the result is stored. What looks like loops is written out, for then the compiler keeps
 * digits in registers. IEEE 754 arithmetic gives the same on every machine.
 */
import type { Limbs } from './words.ts'

/** Digits of a word: ten of 24 bits and one of 16. */
export const DIGITS = 11
/** A product of two words has so many columns. */
export const PRODUCT_COLUMNS = 21
export const BASE = 0x100_0000
/** Products are faster than quotients, and as exact with a power of two. */
const BASE_INVERSE = 2 ** -24
const BITS = 24
const MASK = BASE - 1

export type Digits = Float64Array

/** Columns behind a word's zeros: the places below a number, for a divisor that is aligned with the top of a word. */
export const padded: Digits = new Float64Array(DIGITS + 2 * DIGITS + 2)
/** Holds the columns of a product or a dividend. */
export const columns: Digits = padded.subarray(DIGITS)
const added: Digits = new Float64Array(DIGITS)

/** Reads a word as digits. */
export const loadDigits = (to: Digits, s: Limbs, at: number): void => {
  const s0 = s[at] as number
  const s1 = s[at + 1] as number
  const s2 = s[at + 2] as number
  const s3 = s[at + 3] as number
  const s4 = s[at + 4] as number
  const s5 = s[at + 5] as number
  const s6 = s[at + 6] as number
  const s7 = s[at + 7] as number
  to[0] = s0 & MASK
  to[1] = (s0 >>> 24) | ((s1 << 8) & MASK)
  to[2] = (s1 >>> 16) | ((s2 << 16) & MASK)
  to[3] = s2 >>> 8
  to[4] = s3 & MASK
  to[5] = (s3 >>> 24) | ((s4 << 8) & MASK)
  to[6] = (s4 >>> 16) | ((s5 << 16) & MASK)
  to[7] = s5 >>> 8
  to[8] = s6 & MASK
  to[9] = (s6 >>> 24) | ((s7 << 8) & MASK)
  to[10] = s7 >>> 16
}

/** Multiplies words: all columns of the product, or the word at `y` becomes the product modulo 2^256. */
export const multiplyWords = (s: Limbs, x: number, y: number, isWhole: boolean): void => {
  const p0 = s[x] as number
  const p1 = s[x + 1] as number
  const p2 = s[x + 2] as number
  const p3 = s[x + 3] as number
  const p4 = s[x + 4] as number
  const p5 = s[x + 5] as number
  const p6 = s[x + 6] as number
  const p7 = s[x + 7] as number
  const x0 = p0 & MASK
  const x1 = (p0 >>> 24) | ((p1 << 8) & MASK)
  const x2 = (p1 >>> 16) | ((p2 << 16) & MASK)
  const x3 = p2 >>> 8
  const x4 = p3 & MASK
  const x5 = (p3 >>> 24) | ((p4 << 8) & MASK)
  const x6 = (p4 >>> 16) | ((p5 << 16) & MASK)
  const x7 = p5 >>> 8
  const x8 = p6 & MASK
  const x9 = (p6 >>> 24) | ((p7 << 8) & MASK)
  const xa = p7 >>> 16
  const q0 = s[y] as number
  const q1 = s[y + 1] as number
  const q2 = s[y + 2] as number
  const q3 = s[y + 3] as number
  const q4 = s[y + 4] as number
  const q5 = s[y + 5] as number
  const q6 = s[y + 6] as number
  const q7 = s[y + 7] as number
  const y0 = q0 & MASK
  const y1 = (q0 >>> 24) | ((q1 << 8) & MASK)
  const y2 = (q1 >>> 16) | ((q2 << 16) & MASK)
  const y3 = q2 >>> 8
  const y4 = q3 & MASK
  const y5 = (q3 >>> 24) | ((q4 << 8) & MASK)
  const y6 = (q4 >>> 16) | ((q5 << 16) & MASK)
  const y7 = q5 >>> 8
  const y8 = q6 & MASK
  const y9 = (q6 >>> 24) | ((q7 << 8) & MASK)
  const ya = q7 >>> 16
  const c0 = x0 * y0
  const c1 = x0 * y1 + x1 * y0
  const c2 = x0 * y2 + x1 * y1 + x2 * y0
  const c3 = x0 * y3 + x1 * y2 + x2 * y1 + x3 * y0
  const c4 = x0 * y4 + x1 * y3 + x2 * y2 + x3 * y1 + x4 * y0
  const c5 = x0 * y5 + x1 * y4 + x2 * y3 + x3 * y2 + x4 * y1 + x5 * y0
  const c6 = x0 * y6 + x1 * y5 + x2 * y4 + x3 * y3 + x4 * y2 + x5 * y1 + x6 * y0
  const c7 = x0 * y7 + x1 * y6 + x2 * y5 + x3 * y4 + x4 * y3 + x5 * y2 + x6 * y1 + x7 * y0
  const c8 = x0 * y8 + x1 * y7 + x2 * y6 + x3 * y5 + x4 * y4 + x5 * y3 + x6 * y2 + x7 * y1 + x8 * y0
  const c9 = x0 * y9 + x1 * y8 + x2 * y7 + x3 * y6 + x4 * y5 + x5 * y4 + x6 * y3 + x7 * y2 + x8 * y1 + x9 * y0
  const ca = x0 * ya + x1 * y9 + x2 * y8 + x3 * y7 + x4 * y6 + x5 * y5 + x6 * y4 + x7 * y3 + x8 * y2 + x9 * y1 + xa * y0
  if (isWhole) {
    const c = columns
    c[0] = c0
    c[1] = c1
    c[2] = c2
    c[3] = c3
    c[4] = c4
    c[5] = c5
    c[6] = c6
    c[7] = c7
    c[8] = c8
    c[9] = c9
    c[10] = ca
    c[11] = x1 * ya + x2 * y9 + x3 * y8 + x4 * y7 + x5 * y6 + x6 * y5 + x7 * y4 + x8 * y3 + x9 * y2 + xa * y1
    c[12] = x2 * ya + x3 * y9 + x4 * y8 + x5 * y7 + x6 * y6 + x7 * y5 + x8 * y4 + x9 * y3 + xa * y2
    c[13] = x3 * ya + x4 * y9 + x5 * y8 + x6 * y7 + x7 * y6 + x8 * y5 + x9 * y4 + xa * y3
    c[14] = x4 * ya + x5 * y9 + x6 * y8 + x7 * y7 + x8 * y6 + x9 * y5 + xa * y4
    c[15] = x5 * ya + x6 * y9 + x7 * y8 + x8 * y7 + x9 * y6 + xa * y5
    c[16] = x6 * ya + x7 * y9 + x8 * y8 + x9 * y7 + xa * y6
    c[17] = x7 * ya + x8 * y9 + x9 * y8 + xa * y7
    c[18] = x8 * ya + x9 * y9 + xa * y8
    c[19] = x9 * ya + xa * y9
    c[20] = xa * ya
    return
  }
  const h0 = Math.floor(c0 * BASE_INVERSE)
  const h1 = Math.floor(c1 * BASE_INVERSE)
  const h2 = Math.floor(c2 * BASE_INVERSE)
  const h3 = Math.floor(c3 * BASE_INVERSE)
  const h4 = Math.floor(c4 * BASE_INVERSE)
  const h5 = Math.floor(c5 * BASE_INVERSE)
  const h6 = Math.floor(c6 * BASE_INVERSE)
  const h7 = Math.floor(c7 * BASE_INVERSE)
  const h8 = Math.floor(c8 * BASE_INVERSE)
  const h9 = Math.floor(c9 * BASE_INVERSE)
  const ha = Math.floor(ca * BASE_INVERSE)
  const d0 = (c0 - h0 * BASE) | 0
  const d1 = (((c1 - h1 * BASE + h0) | 0) + (d0 >> BITS)) | 0
  const d2 = (((c2 - h2 * BASE + h1) | 0) + (d1 >> BITS)) | 0
  const d3 = (((c3 - h3 * BASE + h2) | 0) + (d2 >> BITS)) | 0
  const d4 = (((c4 - h4 * BASE + h3) | 0) + (d3 >> BITS)) | 0
  const d5 = (((c5 - h5 * BASE + h4) | 0) + (d4 >> BITS)) | 0
  const d6 = (((c6 - h6 * BASE + h5) | 0) + (d5 >> BITS)) | 0
  const d7 = (((c7 - h7 * BASE + h6) | 0) + (d6 >> BITS)) | 0
  const d8 = (((c8 - h8 * BASE + h7) | 0) + (d7 >> BITS)) | 0
  const d9 = (((c9 - h9 * BASE + h8) | 0) + (d8 >> BITS)) | 0
  const da = (((ca - ha * BASE + h9) | 0) + (d9 >> BITS)) | 0
  s[y] = (d0 & MASK) | (d1 << 24)
  s[y + 1] = ((d1 & MASK) >>> 8) | (d2 << 16)
  s[y + 2] = ((d2 & MASK) >>> 16) | (d3 << 8)
  s[y + 3] = (d4 & MASK) | (d5 << 24)
  s[y + 4] = ((d5 & MASK) >>> 8) | (d6 << 16)
  s[y + 5] = ((d6 & MASK) >>> 16) | (d7 << 8)
  s[y + 6] = (d8 & MASK) | (d9 << 24)
  s[y + 7] = ((d9 & MASK) >>> 8) | (da << 16)
}

/** Adds a word to the lowest columns. */
export const addDigits = (s: Limbs, at: number): void => {
  loadDigits(added, s, at)
  for (let i = 0; i < DIGITS; i++) columns[i] = (columns[i] as number) + (added[i] as number)
}

/**
 * Carries what a word has of digits and writes it modulo 2^256. Returns what is carried out at the top: -1 of a negative
 * number above -2^264, though the top digit of a word has but 16 bits.
 */
export const storeDigits = (s: Limbs, at: number, from: Digits): number => {
  const c0 = from[0] as number
  const h0 = Math.floor(c0 * BASE_INVERSE)
  const c1 = from[1] as number
  const h1 = Math.floor(c1 * BASE_INVERSE)
  const c2 = from[2] as number
  const h2 = Math.floor(c2 * BASE_INVERSE)
  const c3 = from[3] as number
  const h3 = Math.floor(c3 * BASE_INVERSE)
  const c4 = from[4] as number
  const h4 = Math.floor(c4 * BASE_INVERSE)
  const c5 = from[5] as number
  const h5 = Math.floor(c5 * BASE_INVERSE)
  const c6 = from[6] as number
  const h6 = Math.floor(c6 * BASE_INVERSE)
  const c7 = from[7] as number
  const h7 = Math.floor(c7 * BASE_INVERSE)
  const c8 = from[8] as number
  const h8 = Math.floor(c8 * BASE_INVERSE)
  const c9 = from[9] as number
  const h9 = Math.floor(c9 * BASE_INVERSE)
  const ca = from[10] as number
  const ha = Math.floor(ca * BASE_INVERSE)
  const d0 = (c0 - h0 * BASE) | 0
  const d1 = (((c1 - h1 * BASE + h0) | 0) + (d0 >> BITS)) | 0
  const d2 = (((c2 - h2 * BASE + h1) | 0) + (d1 >> BITS)) | 0
  const d3 = (((c3 - h3 * BASE + h2) | 0) + (d2 >> BITS)) | 0
  const d4 = (((c4 - h4 * BASE + h3) | 0) + (d3 >> BITS)) | 0
  const d5 = (((c5 - h5 * BASE + h4) | 0) + (d4 >> BITS)) | 0
  const d6 = (((c6 - h6 * BASE + h5) | 0) + (d5 >> BITS)) | 0
  const d7 = (((c7 - h7 * BASE + h6) | 0) + (d6 >> BITS)) | 0
  const d8 = (((c8 - h8 * BASE + h7) | 0) + (d7 >> BITS)) | 0
  const d9 = (((c9 - h9 * BASE + h8) | 0) + (d8 >> BITS)) | 0
  const da = (((ca - ha * BASE + h9) | 0) + (d9 >> BITS)) | 0
  s[at] = (d0 & MASK) | (d1 << 24)
  s[at + 1] = ((d1 & MASK) >>> 8) | (d2 << 16)
  s[at + 2] = ((d2 & MASK) >>> 16) | (d3 << 8)
  s[at + 3] = (d4 & MASK) | (d5 << 24)
  s[at + 4] = ((d5 & MASK) >>> 8) | (d6 << 16)
  s[at + 5] = ((d6 & MASK) >>> 16) | (d7 << 8)
  s[at + 6] = (d8 & MASK) | (d9 << 24)
  s[at + 7] = ((d9 & MASK) >>> 8) | (da << 16)
  return ha + (da >> BITS)
}
