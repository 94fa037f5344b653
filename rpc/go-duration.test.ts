/** The table of Go's time package (time_test.go, durationTests). */
import { expect, test } from 'vitest'
import { formatGoDuration, parseGoDuration } from './go-duration.ts'

const DURATIONS: readonly (readonly [string, bigint])[] = [
  ['0s', 0n],
  ['1ns', 1n],
  ['1.1\u00b5s', 1_100n],
  ['2.2ms', 2_200_000n],
  ['3.3s', 3_300_000_000n],
  ['4m5s', 245_000_000_000n],
  ['4m5.001s', 245_001_000_000n],
  ['5h6m7.001s', 18_367_001_000_000n],
  ['8m0.000000001s', 480_000_000_001n],
  ['2562047h47m16.854775807s', 2n ** 63n - 1n],
  ['-2562047h47m16.854775808s', -(2n ** 63n)],
]

test('durations are printed as Go prints them', () => {
  expect(DURATIONS.map(([, nanoseconds]) => formatGoDuration(nanoseconds))).toEqual(DURATIONS.map(([text]) => text))
})

// The cases are those of the tests of Go's time.ParseDuration.
test('durations are read as Go reads them', () => {
  const durations = {
    '0': 0,
    '5s': 5_000,
    '1478s': 1_478_000,
    '-5s': -5_000,
    '+5s': 5_000,
    '5.0s': 5_000,
    '5.6s': 5_600,
    '5.s': 5_000,
    '.5s': 500,
    '13µs': 0.013,
    '3h30m': 12_600_000,
    '10.5s4m': 250_500,
    '-2m3.4s': -123_400,
  }
  for (const [text, expected] of Object.entries(durations)) expect(parseGoDuration(text), text).toBeCloseTo(expected, 6)
})

test('what is none is refused with the words of Go', () => {
  const faults = {
    '': 'time: invalid duration ""',
    '3': 'time: missing unit in duration "3"',
    '-': 'time: invalid duration "-"',
    s: 'time: invalid duration "s"',
    '.': 'time: invalid duration "."',
    '-.s': 'time: invalid duration "-.s"',
    '3000000h': 'time: invalid duration "3000000h"',
    '5S': 'time: unknown unit "S" in duration "5S"',
  }
  for (const [text, message] of Object.entries(faults)) expect(() => parseGoDuration(text), text).toThrow(message)
})

test('a text that no time has is refused before it is read', () => {
  expect(parseGoDuration('0h'.repeat(128))).toBe(0)
  expect(() => parseGoDuration('0h'.repeat(129))).toThrow(`time: invalid duration "${'0h'.repeat(128)}"`)
})
