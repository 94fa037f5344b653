import { expect, it } from 'vitest'
import { seeded } from '../test/sim/random.ts'
import {
  formatDuration,
  formatSeconds,
  formatDurationParts,
  formatTime,
  formatTimestamp,
  MAX_TIME_NS,
  NS_PER_SECOND,
  parseDuration,
  parseTime,
  toSecondsAndNanos,
  ZERO_TIME_NS,
} from './time.ts'

it(
  'prints and reads the times that Date prints, over all years that a key can hold',
  seeded(7, (random) => {
    const last = Number(MAX_TIME_NS / NS_PER_SECOND)
    for (let count = 0; count < 5_000; count++) {
      const seconds = Math.floor((random.below(2 ** 30) / 2 ** 30) * last)
      const text = `${new Date(seconds * 1_000).toISOString().slice(0, 19)}Z`
      const timeNs = BigInt(seconds) * NS_PER_SECOND
      expect(formatSeconds(timeNs)).toBe(text)
      expect(parseTime(text)).toBe(timeNs)
      const nanos = BigInt(random.below(1_000_000_000))
      expect(parseTime(formatTime(timeNs + nanos))).toBe(timeNs + nanos)
    }
  }),
)

it(
  'prints the timestamps that Date prints, before the year 0 and after 9999 too, and nothing where Date ends',
  seeded(8, (random) => {
    const last = 8_640_000_000_000
    const all = [last, -last, 253_402_300_799, 253_402_300_800, -62_167_219_200, -62_167_219_201, -1]
    for (let count = 0; count < 5_000; count++) all.push(Math.floor((random.below(2 ** 30) / 2 ** 29 - 1) * last))
    for (const seconds of all) {
      const text = new Date(seconds * 1_000).toISOString().slice(0, -5)
      expect(formatTimestamp({ seconds: BigInt(seconds), nanos: 0 }, false)).toBe(`${text}Z`)
      expect(formatTimestamp({ seconds: BigInt(seconds), nanos: 120_000 }, false)).toBe(`${text}.000120Z`)
      expect(formatTimestamp({ seconds: BigInt(seconds), nanos: 120_000 }, true)).toBe(`${text}.00012Z`)
    }
    for (const seconds of [last + 1, -last - 1]) {
      expect(formatTimestamp({ seconds: BigInt(seconds), nanos: 0 }, false)).toBeUndefined()
    }
  }),
)

it('prints durations of protobuf with one sign', () => {
  expect(formatDurationParts({ seconds: -1n, nanos: -500_000_000 })).toBe('-1.500s')
  expect(formatDurationParts({ seconds: 0n, nanos: -1 })).toBe('-0.000000001s')
  expect(formatDurationParts({ seconds: 600n, nanos: 0 })).toBe('600s')
})

it('knows the days around the ends of months, leap years and centuries', () => {
  for (const text of [
    '1970-01-01',
    '1999-12-31',
    '2000-02-29',
    '2024-02-29',
    '2100-02-28',
    '2100-03-01',
    '2400-02-29',
  ]) {
    const time = `${text}T23:59:59Z`
    expect(formatSeconds(parseTime(time))).toBe(time)
    expect(parseTime(time)).toBe(BigInt(Date.parse(time)) * 1_000_000n)
  }
})

it("prints Go's zero time, and fractions in groups of three digits", () => {
  expect(formatSeconds(ZERO_TIME_NS)).toBe('0001-01-01T00:00:00Z')
  expect(toSecondsAndNanos(-1n)).toEqual({ seconds: -1n, nanos: 999_999_999 })
  expect(formatTime(1_500_000_000n)).toBe('1970-01-01T00:00:01.500Z')
  expect(formatDuration(21n * 86_400n * NS_PER_SECOND)).toBe('1814400s')
  expect(parseDuration('0.000000001s')).toBe(1n)
})

it.each([
  '2100-02-29T00:00:00Z',
  '2024-13-01T00:00:00Z',
  '2024-01-01T24:00:00Z',
  '2024-01-01',
  '2024-01-01T00:00:00+01:00',
  '',
])('refuses the time %s', (text) => {
  expect(() => parseTime(text)).toThrow('invalid time')
})

it.each(['1', '-1s', '1.0000000001s', 's', '1m'])('refuses the duration %s', (text) => {
  expect(() => parseDuration(text)).toThrow('invalid duration')
})
