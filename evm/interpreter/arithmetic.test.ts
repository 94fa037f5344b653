/** BigInt is the oracle: every operation on words must be that of integers modulo 2^256. */
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../store/testing/seeded-random.ts'
import * as arithmetic from './arithmetic.ts'
import { exponentiate } from './exponentiate.ts'
import * as bits from './bits.ts'
import {
  bitLength,
  isEqual,
  isZero,
  loadPadded,
  loadWord,
  setBigint,
  setBytes,
  setNumber,
  storeWord,
  toAddressBytes,
  toBigint,
  toBytes,
  toNumber,
  toTrimmedBytes,
  WORD,
} from './words.ts'

const SIZE = 1n << 256n
const wrap = (value: bigint): bigint => BigInt.asUintN(256, value)
const signed = (value: bigint): bigint => BigInt.asIntN(256, value)
const pick = seededRandom(5)

const EDGES = [
  0n,
  1n,
  2n,
  3n,
  31n,
  32n,
  255n,
  256n,
  1n << 31n,
  (1n << 32n) - 1n,
  1n << 32n,
  (1n << 53n) - 1n,
  1n << 53n,
].concat([1n << 64n, (1n << 128n) - 1n, 1n << 255n, (1n << 255n) - 1n, SIZE - 1n, SIZE - 2n])

const randomWord = (): bigint => {
  if (pick(3) === 0) return EDGES[pick(EDGES.length)] ?? 0n
  let value = 0n
  for (let left = 1 + pick(32); left > 0; left--) value = (value << 8n) | BigInt(pick(256))
  return value
}

const signExtended = (byte: bigint, value: bigint): bigint =>
  byte > 30n ? value : wrap(BigInt.asIntN(Number(byte) * 8 + 8, value))

const SHORT_EDGES = [2n ** 20n - 1n, 2n ** 20n, 2n ** 24n - 1n, 2n ** 24n, 2n ** 48n - 1n, 2n ** 48n]
const DIGIT_EDGES = [0n, 1n, 2n, 0x7fffffn, 0x800000n, 0xfffffen, 0xffffffn]

/** Words that make estimates of quotients wrong: near powers of two, and of digits of 24 bits that are all or nothing. */
const hardWord = (): bigint => {
  const bits = pick(257)
  switch (pick(6)) {
    case 0:
      return randomWord()
    case 1:
      return wrap((1n << BigInt(bits)) + BigInt(pick(5) - 2))
    case 2:
      return wrap((1n << BigInt(bits)) - (1n << BigInt(pick(256))))
    case 3:
      return SHORT_EDGES[pick(SHORT_EDGES.length)] ?? 0n
    default: {
      let value = 0n
      for (let i = 0; i < 11; i++) value = (value << 24n) | (DIGIT_EDGES[pick(DIGIT_EDGES.length)] ?? 0n)
      return BigInt.asUintN(bits, value)
    }
  }
}

/** A dividend of such a divisor: any, a multiple, one less, or one with a quotient of hard digits. */
const dividendOf = (divisor: bigint): bigint => {
  const value = hardWord()
  if (divisor === 0n || pick(3) === 0) return value
  return wrap((value / divisor) * divisor - BigInt(pick(2)))
}

const power = (base: bigint, exponent: bigint): bigint => {
  let [result, square] = [1n, base]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = wrap(result * square)
    square = wrap(square * square)
  }
  return result
}

type Binary = readonly [name: string, run: (s: Int32Array, a: number) => void, oracle: (x: bigint, y: bigint) => bigint]

const BINARY: readonly Binary[] = [
  ['add', arithmetic.add, (x, y) => x + y],
  ['subtract', arithmetic.subtract, (x, y) => x - y],
  ['multiply', arithmetic.multiply, (x, y) => x * y],
  ['divide', arithmetic.divide, (x, y) => (y === 0n ? 0n : x / y)],
  ['modulo', arithmetic.modulo, (x, y) => (y === 0n ? 0n : x % y)],
  ['signedDivide', arithmetic.signedDivide, (x, y) => (y === 0n ? 0n : signed(x) / signed(y))],
  ['signedModulo', arithmetic.signedModulo, (x, y) => (y === 0n ? 0n : signed(x) % signed(y))],
  ['signExtend', arithmetic.signExtend, signExtended],
  ['and', bits.and, (x, y) => x & y],
  ['or', bits.or, (x, y) => x | y],
  ['xor', bits.xor, (x, y) => x ^ y],
  ['byteAt', bits.byteAt, (x, y) => (x > 31n ? 0n : (y >> (8n * (31n - x))) & 0xffn)],
  ['shiftLeft', bits.shiftLeft, (x, y) => (x > 255n ? 0n : y << x)],
  ['shiftRight', bits.shiftRight, (x, y) => (x > 255n ? 0n : y >> x)],
  ['shiftRightSigned', bits.shiftRightSigned, (x, y) => signed(y) >> (x > 255n ? 255n : x)],
]

const stackOf = (...values: readonly bigint[]): Int32Array => {
  const stack = new Int32Array((values.length + 2) * WORD)
  values.toReversed().forEach((value, index) => setBigint(stack, index * WORD, value))
  return stack
}

describe('operations on words', () => {
  it.each(BINARY)('%s', (_, run, oracle) => {
    for (let round = 0; round < 3_000; round++) {
      const [x, y] = [randomWord(), randomWord()]
      const stack = stackOf(x, y)
      run(stack, WORD)
      expect(toBigint(stack, 0), `${x} ${y}`).toBe(wrap(oracle(x, y)))
    }
  })

  // One assertion for all: tens of thousands cost more than what they look at.
  it('divide and multiply where estimated digits are wrong', () => {
    const wide = BINARY.filter(([name]) => /multiply|ivide|odulo/.test(name))
    const wrong: string[] = []
    for (let round = 0; round < 12_000; round++) {
      const y = hardWord()
      const x = dividendOf(y)
      for (const [name, run, oracle] of wide) {
        const stack = stackOf(x, y)
        run(stack, WORD)
        if (toBigint(stack, 0) !== wrap(oracle(x, y))) wrong.push(`${name} ${x} ${y}`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('add and multiply modulo numbers that make estimated digits wrong', () => {
    const wrong: string[] = []
    for (let round = 0; round < 20_000; round++) {
      const [y, m] = [hardWord(), hardWord()]
      const x = dividendOf(m)
      const sum = stackOf(x, y, m)
      arithmetic.addModulo(sum, 2 * WORD)
      if (toBigint(sum, 0) !== (m === 0n ? 0n : (x + y) % m)) wrong.push(`addModulo ${x} ${y} ${m}`)
      const product = stackOf(x, y, m)
      arithmetic.multiplyModulo(product, 2 * WORD)
      if (toBigint(product, 0) !== (m === 0n ? 0n : (x * y) % m)) wrong.push(`multiplyModulo ${x} ${y} ${m}`)
    }
    expect(wrong).toEqual([])
  })

  it('raise to any power', () => {
    for (let round = 0; round < 2_000; round++) {
      const [x, y] = [hardWord(), pick(2) === 0 ? hardWord() : BigInt(pick(300))]
      const stack = stackOf(x, y)
      exponentiate(stack, WORD)
      expect(toBigint(stack, 0), `${x} ${y}`).toBe(power(x, y))
    }
  })

  it('leave the words below their operands alone', () => {
    for (const [name, run] of [...BINARY, ['exponentiate', exponentiate] as const]) {
      const stack = stackOf(hardWord(), hardWord(), 123n)
      run(stack, 2 * WORD)
      expect(toBigint(stack, 0), name).toBe(123n)
    }
  })

  it('of three words, powers and zeros', () => {
    for (let round = 0; round < 1_000; round++) {
      const [x, y, m] = [randomWord(), randomWord(), randomWord()]
      const sum = stackOf(x, y, m)
      arithmetic.addModulo(sum, 2 * WORD)
      expect(toBigint(sum, 0)).toBe(m === 0n ? 0n : (x + y) % m)
      const product = stackOf(x, y, m)
      arithmetic.multiplyModulo(product, 2 * WORD)
      expect(toBigint(product, 0)).toBe(m === 0n ? 0n : (x * y) % m)
      const small = y % 300n
      const power = stackOf(x, small)
      exponentiate(power, WORD)
      expect(toBigint(power, 0)).toBe(wrap(x ** small))
      const zeros = stackOf(x)
      arithmetic.countLeadingZeros(zeros, 0)
      expect(toBigint(zeros, 0)).toBe(256n - BigInt(x === 0n ? 0 : x.toString(2).length))
    }
  })

  it('compare', () => {
    for (let round = 0; round < 3_000; round++) {
      const [x, y] = [randomWord(), pick(5) === 0 ? 0n : randomWord()]
      const stack = stackOf(y, x)
      expect(bits.isLess(stack, 0, WORD)).toBe(x < y ? 1 : 0)
      expect(bits.isSignedLess(stack, 0, WORD)).toBe(signed(x) < signed(y) ? 1 : 0)
      expect(isEqual(stack, 0, stack, WORD)).toBe(x === y)
      expect(isZero(stack, WORD)).toBe(y === 0n)
    }
  })
})

describe('words', () => {
  it('come from bytes and numbers and go back', () => {
    for (let round = 0; round < 2_000; round++) {
      const value = randomWord()
      const stack = stackOf(value)
      const bytes = toBytes(stack, 0)
      expect(BigInt(`0x${Buffer.from(bytes).toString('hex')}`)).toBe(value)
      expect(Buffer.from(toAddressBytes(stack, 0))).toEqual(Buffer.from(bytes.subarray(12)))
      const trimmed = toTrimmedBytes(stack, 0)
      expect(trimmed.length).toBe(Math.ceil(bitLength(stack, 0) / 8))
      const again = new Int32Array(WORD)
      setBytes(again, 0, trimmed)
      expect(toBigint(again, 0)).toBe(value)
      const view = new DataView(new ArrayBuffer(40))
      storeWord(view, 5, stack, 0)
      loadWord(again, 0, view, 5)
      expect(toBigint(again, 0)).toBe(value)
      const cut = pick(40)
      loadPadded(again, 0, bytes, cut)
      expect(toBigint(again, 0)).toBe(wrap(cut > 32 ? 0n : value << BigInt(8 * cut)))
      if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
        setNumber(again, 0, Number(value))
        expect(toBigint(again, 0)).toBe(value)
        expect(toNumber(again, 0)).toBe(Number(value))
      } else expect(toNumber(stack, 0)).toBe(value >= 1n << 64n ? Infinity : Number(value))
    }
  })
})
