import { expect, test } from 'vitest'
import type { QuestionName } from '../../app/ports.ts'
import { type Queued, QuestionQueue } from './question-queue.ts'

const item = (name: QuestionName, parameters: unknown = {}): Queued => ({ question: { name, parameters } })

const drain = (queue: QuestionQueue<Queued>, takesSlow: boolean): string[] => {
  const names: string[] = []
  for (let next = queue.next(takesSlow); next !== undefined; next = queue.next(takesSlow))
    names.push(next.question.name)
  return names
}

test('traces and long answers wait behind everything else, and for a worker that may take them', () => {
  const queue = new QuestionQueue<Queued>()
  for (const name of ['traceCall', 'call', 'blockReceipts', 'logs'] as const) expect(queue.push(item(name))).toBe(true)
  expect(drain(queue, false)).toEqual(['call', 'logs'])
  expect(drain(queue, true)).toEqual(['traceCall', 'blockReceipts'])
})

test('many traces leave room for calls, which are bounded as well', () => {
  const queue = new QuestionQueue<Queued>()
  const accepted = (name: QuestionName): number => {
    let count = 0
    while (queue.push(item(name))) count++
    return count
  }
  expect(accepted('traceTransaction')).toBe(200)
  expect(accepted('call')).toBe(1_800)
  queue.next(false)
  expect(accepted('call')).toBe(1)
})

test('large questions are bounded by their size, which is free again when they are taken', () => {
  const queue = new QuestionQueue<Queued>()
  const large = item('call', { call: { data: 'x'.repeat(100 * 1024 * 1024) } })
  expect([large, { ...large }, { ...large }].map((one) => queue.push(one))).toEqual([true, true, false])
  expect(queue.push(item('call'))).toBe(true)
  expect(queue.next(true)).toBe(large)
  expect(queue.push({ ...large })).toBe(true)
})
