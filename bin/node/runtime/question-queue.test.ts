import { expect, test } from 'vitest'
import type { QuestionName } from '../../../app/ports.ts'
import { type Queued, QuestionQueue } from './question-queue.ts'

const item = (name: QuestionName, parameters: unknown = {}, client = 'one'): Queued => ({
  client,
  question: { name, parameters },
})

const drain = (queue: QuestionQueue<Queued>, takesSlow: boolean): string[] => {
  const names: string[] = []
  for (let next = queue.next(takesSlow); next !== undefined; next = queue.next(takesSlow))
    names.push(next.question.name)
  return names
}

test('traces and long answers wait behind everything else, and for a worker that may take them', () => {
  const queue = new QuestionQueue<Queued>()
  for (const name of ['traceCall', 'call', 'blockReceipts', 'logs'] as const)
    expect(queue.push(item(name)).isTaken).toBe(true)
  expect(drain(queue, false)).toEqual(['call', 'logs'])
  expect(drain(queue, true)).toEqual(['traceCall', 'blockReceipts'])
})

test('many traces leave room for calls, which are bounded as well', () => {
  const queue = new QuestionQueue<Queued>()
  const accepted = (name: QuestionName): number => {
    let count = 0
    while (queue.push(item(name)).isTaken) count++
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
  expect([large, { ...large }, { ...large }].map((one) => queue.push(one).isTaken)).toEqual([true, true, false])
  expect(queue.push(item('call')).isTaken).toBe(true)
  expect(queue.next(true)).toBe(large)
  expect(queue.push({ ...large }).isTaken).toBe(true)
})

test.each(['call', 'traceCall'] as const)('clients have their turns, and each its questions in order: %s', (name) => {
  const queue = new QuestionQueue<Queued>()
  for (const [client, count] of [
    ['greedy', 100],
    ['one', 2],
    ['two', 3],
  ] as const) {
    for (let index = 0; index < count; index++) queue.push(item(name, index, client))
  }
  const taken = Array.from({ length: 9 }, () => queue.next(true))
  expect(taken.map((one) => `${one?.client} ${String(one?.question.parameters)}`)).toEqual([
    'greedy 0',
    'one 0',
    'two 0',
    'greedy 1',
    'one 1',
    'two 1',
    'greedy 2',
    'two 2',
    'greedy 3',
  ])
})

test('a full queue makes room for who has less, by the last of who has most', () => {
  const queue = new QuestionQueue<Queued>()
  for (let index = 0; index < 200; index++) queue.push(item('traceCall', index, 'greedy'))
  for (let index = 200; index < 2_000; index++) queue.push(item('call', index, 'greedy'))
  expect(queue.push(item('call', {}, 'greedy'))).toEqual({ isTaken: false, displaced: [] })
  const displaced: unknown[] = []
  let count = 0
  for (; count < 5_000; count++) {
    const pushed = queue.push(item('call', count, 'honest'))
    if (!pushed.isTaken) break
    displaced.push(...pushed.displaced.map(({ question }) => question.parameters))
  }
  // Half of it each: what takes long is the first to leave.
  expect(count).toBe(1_000)
  expect(displaced.slice(0, 201)).toEqual([...Array.from({ length: 200 }, (_, index) => 199 - index), 1_999])
  expect([queue.next(true), queue.next(true)].map((one) => one?.client)).toEqual(['greedy', 'honest'])
})

test('what takes long is displaced by what takes long alone', () => {
  const queue = new QuestionQueue<Queued>()
  for (let index = 0; index < 200; index++) queue.push(item('traceCall', index, 'greedy'))
  queue.push(item('call', 'quick', 'greedy'))
  expect(queue.push(item('traceCall', {}, 'honest')).displaced.map(({ question }) => question.parameters)).toEqual([
    199,
  ])
  expect(drain(queue, false)).toEqual(['call'])
})

test('memory is shared as places are', () => {
  const queue = new QuestionQueue<Queued>()
  const large = (client: string, megabytes: number) => item('call', 'x'.repeat(megabytes * 1024 * 1024), client)
  for (let index = 0; index < 5; index++) expect(queue.push(large('greedy', 50)).isTaken).toBe(true)
  expect(queue.push(large('honest', 60))).toMatchObject({ isTaken: true, displaced: [{ client: 'greedy' }, {}] })
  expect(queue.push(large('greedy', 100))).toEqual({ isTaken: false, displaced: [] })
})

test('nobody leaves for a question that is not taken all the same', () => {
  const queue = new QuestionQueue<Queued>()
  for (let index = 0; index < 200; index++) queue.push(item('traceCall', index, 'greedy'))
  const large = (client: string) => item('traceCall', 'x'.repeat(150 * 1024 * 1024), client)
  expect(queue.push(large('honest')).displaced).toHaveLength(1)
  expect(queue.push(large('third'))).toEqual({ isTaken: false, displaced: [] })
  const taken = Array.from({ length: 200 }, () => queue.next(true))
  expect(taken.filter((one) => one?.client === 'greedy').map((one) => one?.question.parameters)).toEqual(
    Array.from({ length: 199 }, (_, index) => index),
  )
})
