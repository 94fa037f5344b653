import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { boundLines } from './bounded-lines.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const lines: unknown[] = []
const write =
  (level: string) =>
  (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    void lines.push([level, message, fields])
const log = { info: write('info'), warn: write('warn'), error: write('error') }

test('of a message ten lines are written at once and ten a minute, and the next tells of those left out', () => {
  const bounded = boundLines(log)
  for (let count = 0; count < 5_000; count++) bounded.warn('closed', { reason: `reason ${count}` })
  bounded.info('another')
  expect(lines.splice(0)).toEqual([
    ...Array.from({ length: 10 }, (_, count) => ['warn', 'closed', { reason: `reason ${count}` }]),
    ['info', 'another', undefined],
  ])
  vi.advanceTimersByTime(60_000)
  for (let count = 0; count < 20; count++) bounded.warn('closed')
  expect(lines.splice(0)).toEqual([
    ['warn', 'closed', { untold: 4_990 }],
    ...Array.from({ length: 9 }, () => ['warn', 'closed', undefined]),
  ])
})

test('however many messages there are', () => {
  const bounded = boundLines(log)
  for (let count = 0; count < 5_000; count++) bounded.error(`${count} failed`)
  expect(lines.splice(0)).toHaveLength(64 + 10)
})
