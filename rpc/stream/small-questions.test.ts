import { expect, test, vi } from 'vitest'
import type { Asker } from '../../app/ports.ts'
import { SmallQuestions } from './small-questions.ts'

const on = (connection: string): Asker => ({ client: 'one', connection, onGone: () => () => undefined })

const start = () => {
  const small = new SmallQuestions()
  const sent: string[] = []
  let id = 0
  const add = (connection: string, count = 1): readonly number[] =>
    Array.from({ length: count }, () => {
      const own = ++id
      small.add(on(connection), { id: own, bytes: 100, send: () => void sent.push(connection) })
      return own
    })
  /** How many of them were sent since this was asked last. */
  const takeSent = (connection: string): number => sent.splice(0).filter((one) => one === connection).length
  return { small, sent, add, takeSent }
}

test('one connection alone has 129 on their way, and each answer lets one go', () => {
  const { small, add, takeSent } = start()
  const ids = add('a', 200)
  expect(takeSent('a')).toBe(129)
  expect(small.waitingBytes).toBe(7_100)
  // The first one was in nobody's way.
  for (const id of ids.slice(0, 72)) expect(small.end(id)).toBe(true)
  expect(takeSent('a')).toBe(71)
  expect(small.waitingBytes).toBe(0)
  for (const id of ids.slice(72)) small.end(id)
  expect(small.isFirst(on('a'))).toBe(true)
})

test('whoever asks one thing at a time passes those that ask ahead, and has turns when he does so himself', () => {
  const { small, sent, add } = start()
  const ids = add('a', 200)
  sent.length = 0
  const [first = 0] = add('b')
  expect(sent.splice(0)).toEqual(['b'])
  small.end(first)
  add('b', 3)
  expect(sent.splice(0)).toEqual(['b'])
  for (const id of ids.slice(1, 7)) small.end(id)
  expect(sent).toEqual(['a', 'b', 'a', 'b', 'a', 'a'])
})

test('many who ask one thing at a time do not keep those waiting who ask more', () => {
  const { small, add, takeSent } = start()
  const singles = Array.from({ length: 1_000 }, (_, index) => add(`single${index}`)).flat()
  takeSent('')
  const ids = add('batch', 16)
  expect(takeSent('batch')).toBe(16)
  for (const id of [...singles, ...ids]) small.end(id)
  expect(small.isFirst(on('batch'))).toBe(true)
})

test('what waits long for its answer holds up nobody', () => {
  vi.useFakeTimers()
  try {
    const { small, add, takeSent } = start()
    const ids = add('slow', 300)
    takeSent('')
    add('b', 10)
    expect(takeSent('b')).toBe(1)
    vi.advanceTimersByTime(100)
    expect(takeSent('b')).toBe(9)
    vi.advanceTimersByTime(200)
    expect(small.waitingBytes).toBe(0)
    for (const id of ids) expect(small.end(id)).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

test('one that nobody waits for is not sent', () => {
  const { small, add, takeSent } = start()
  const ids = add('a', 131)
  const [, second = 0] = ids
  const last = ids.at(-1) ?? 0
  takeSent('a')
  expect(small.end(last)).toBe(false)
  expect(small.waitingBytes).toBe(100)
  small.end(second)
  expect(takeSent('a')).toBe(1)
  expect(small.end(last)).toBe(true)
  expect(takeSent('a')).toBe(0)
  expect(small.waitingBytes).toBe(0)
})

test('what a gateway asks for itself never waits', () => {
  const { small, add } = start()
  add('a', 200)
  let count = 0
  const nobody = { ...on(''), client: '' }
  for (let id = 1_001; id <= 1_300; id++) small.add(nobody, { id, bytes: 100, send: () => void count++ })
  expect(count).toBe(300)
  expect(small.end(1_001)).toBe(true)
})

test('a connection that was lost leaves nothing behind', () => {
  const { small, add, takeSent } = start()
  add('a', 200)
  small.clear()
  expect(small.waitingBytes).toBe(0)
  takeSent('a')
  add('a', 200)
  expect(takeSent('a')).toBe(129)
})
