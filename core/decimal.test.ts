import { describe, expect, it } from 'vitest'
import { CodedError } from './errors.ts'
import {
  ceiling,
  divide,
  divideRoundUp,
  divideTruncate,
  formatDecimal,
  multiply,
  multiplyRoundUp,
  multiplyTruncate,
  parseDecimal,
  parseLongDecimal,
  parseScaledDecimal,
  round,
  truncate,
} from './decimal.ts'

const d = parseDecimal

describe('decimals round as the Cosmos SDK does', () => {
  // cosmossdk.io/math legacy_dec_test.go, TestArithmetic: d1, d2, mul, mulTruncate, mulRoundUp, quo, quoTruncate, quoRoundUp.
  it.each([
    ['0', '1', '0', '0', '0', '0', '0', '0'],
    ['-1', '1', '-1', '-1', '-1', '-1', '-1', '-1'],
    ['3', '7', '21', '21', '21', '0.428571428571428571', '0.428571428571428571', '0.428571428571428572'],
    ['2', '4', '8', '8', '8', '0.5', '0.5', '0.5'],
    ['100', '100', '10000', '10000', '10000', '1', '1', '1'],
    ['1.5', '1.5', '2.25', '2.25', '2.25', '1', '1', '1'],
    [
      '3.333',
      '333',
      '1109.889',
      '1109.889',
      '1109.889',
      '0.010009009009009009',
      '0.010009009009009009',
      '0.01000900900900901',
    ],
  ])('%s and %s', (a, b, product, productDown, productUp, quotient, quotientDown, quotientUp) => {
    expect(multiply(d(a), d(b))).toBe(d(product))
    expect(multiplyTruncate(d(a), d(b))).toBe(d(productDown))
    expect(multiplyRoundUp(d(a), d(b))).toBe(d(productUp))
    expect(divide(d(a), d(b))).toBe(d(quotient))
    expect(divideTruncate(d(a), d(b))).toBe(d(quotientDown))
    expect(divideRoundUp(d(a), d(b))).toBe(d(quotientUp))
  })

  // legacy_dec_test.go, TestBankerRoundChop and TestTruncate.
  it.each([
    ['0.25', 0n, 0n],
    ['0', 0n, 0n],
    ['1', 1n, 1n],
    ['0.75', 1n, 0n],
    ['0.5', 0n, 0n],
    ['7.5', 8n, 7n],
    ['1.5', 2n, 1n],
    ['2.5', 2n, 2n],
    ['0.545', 1n, 0n],
    ['1.545', 2n, 1n],
    ['-1.5', -2n, -1n],
  ])('%s to an integer', (text, rounded, truncated) => {
    expect(round(d(text))).toBe(rounded)
    expect(truncate(d(text))).toBe(truncated)
  })

  // legacy_dec_test.go, TestCeil.
  it.each([
    ['0.000000000000000001', 1n],
    ['-0.000000000000000001', 0n],
    ['4', 4n],
    ['-4', -4n],
    ['4.000000000000000001', 5n],
    ['-4.7', -4n],
  ])('the ceiling of %s', (text, expected) => {
    expect(ceiling(d(text))).toBe(expected)
  })

  it('prints and reads both forms', () => {
    expect(formatDecimal(d('0.05'))).toBe('0.050000000000000000')
    expect(formatDecimal(d('-1.5'))).toBe('-1.500000000000000000')
    expect(parseScaledDecimal('50000000000000000')).toBe(d('0.05'))
    for (const wrong of ['', '1.', '.5', '1.0000000000000000001', '1e3', '0x1', '+1', `1${'0'.repeat(200)}`]) {
      expect(() => parseDecimal(wrong)).toThrow(CodedError)
    }
    expect(() => parseScaledDecimal('0.5')).toThrow(CodedError)
  })

  it('bounds decimals as the SDK does, and long ones by their text alone', () => {
    const most = 2n ** 316n - 1n
    expect(d(formatDecimal(most))).toBe(most)
    for (const text of [formatDecimal(most + 1n), formatDecimal(-most - 1n)]) {
      expect(() => d(text)).toThrowError('out of range')
      expect(formatDecimal(parseLongDecimal(text))).toBe(text)
    }
    expect(() => parseLongDecimal('1'.repeat(129))).toThrow(CodedError)
  })
})
