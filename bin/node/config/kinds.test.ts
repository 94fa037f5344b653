import { describe, expect, it } from 'vitest'
import { formatDurationMs, natAmount, parseDurationMs, timeout } from './kinds.ts'

describe('kinds of settings', () => {
  it('reads durations as Go writes them', () => {
    expect(['250ms', '5s', '1m30s', '1.5s', '3h0m0s'].map(parseDurationMs)).toEqual([
      250, 5_000, 90_000, 1_500, 10_800_000,
    ])
    expect(['', '5', 's', '5 s', '-5s', '5d'].map(parseDurationMs)).toEqual(Array.from({ length: 6 }))
    expect([250, 5_000, 90_000, 10_800_000].map(formatDurationMs)).toEqual(['250ms', '5s', '90s', '3h'])
  })

  it('refuses spans that no timer of Node.js can wait for', () => {
    const kind = timeout(1)
    expect(['500h', '501h', '8760h'].map((text) => kind.parse(text))).toEqual([1_800_000_000, undefined, undefined])
    expect(1_800_000_000).toBeLessThan(2 ** 31)
    expect(kind.allowed).toContain('from 1ms to 500h')
  })

  it('keeps amounts of NAT exact', () => {
    expect(natAmount.parse('0.000000000000000001')).toBe(1n)
    expect(natAmount.toToml(1n)).toBe('0.000000000000000001')
    expect(natAmount.toToml(15n * 10n ** 17n)).toBe('1.5')
    expect(natAmount.parse('-1')).toBeUndefined()
  })
})
