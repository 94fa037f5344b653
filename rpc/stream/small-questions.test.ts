import { expect, test, vi } from 'vitest'
import type { Asker } from '../../app/ports.ts'
import { isSlow, MOST_QUICK_LATELY } from './small-lines.ts'
import { SmallQuestions } from './small-questions.ts'

const on = (connection: string): Asker => ({ client: 'one', connection, onGone: () => () => undefined })

const start = () => {
  const small = new SmallQuestions(MOST_QUICK_LATELY)
  const sent: string[] = []
  let id = 0
  const add = (connection: string, count = 1): readonly number[] =>
    Array.from({ length: count }, () => {
      const own = ++id
      small.add(on(connection), { id: own, bytes: 100, send: () => void sent.push(connection) })
      return own
    })
  /** How many of them were sent since this was asked last. */
  const takeSent = async (connection: string): Promise<number> => {
    await Promise.resolve()
    return sent.splice(0).filter((one) => one === connection).length
  }
  return { small, sent, add, takeSent }
}

test('one connection alone has 129 on their way, and each answer lets one go', async () => {
  const { small, add, takeSent } = start()
  const ids = add('a', 200)
  expect(await takeSent('a')).toBe(129)
  expect(small.waiting).toBe(71)
  // The first one was in nobody's way.
  for (const id of ids.slice(0, 72)) expect(small.end(id)).toBe(true)
  expect(await takeSent('a')).toBe(71)
  expect(small.waiting).toBe(0)
  for (const id of ids.slice(72)) small.end(id)
  expect(small.countOf(on('a'))).toBe(0)
})

test('whoever asks one thing at a time passes those that ask ahead, and has turns when he does so himself', async () => {
  const { small, sent, add } = start()
  const ids = add('a', 200)
  sent.length = 0
  const [first = 0] = add('b')
  expect(sent.splice(0)).toEqual(['b'])
  small.end(first)
  add('b', 3)
  expect(sent.splice(0)).toEqual(['b'])
  for (const id of ids.slice(1, 7)) small.end(id)
  await Promise.resolve()
  expect(sent).toEqual(['a', 'b', 'a', 'b', 'a', 'a'])
})

test('many who ask one thing at a time do not keep those waiting who ask more', async () => {
  const { small, add, takeSent } = start()
  const singles = Array.from({ length: 1_000 }, (_, index) => add(`single${index}`)).flat()
  await takeSent('')
  const ids = add('batch', 16)
  expect(await takeSent('batch')).toBe(16)
  for (const id of [...singles, ...ids]) small.end(id)
  expect(small.countOf(on('batch'))).toBe(0)
})

test('what waits long for its answer holds up nobody', async () => {
  vi.useFakeTimers()
  try {
    const { small, add, takeSent } = start()
    const ids = add('slow', 300)
    await takeSent('')
    add('b', 10)
    expect(await takeSent('b')).toBe(1)
    vi.advanceTimersByTime(100)
    expect(await takeSent('b')).toBe(9)
    vi.advanceTimersByTime(200)
    expect(small.waiting).toBe(0)
    for (const id of ids) expect(small.end(id)).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})

test('one that nobody waits for is not sent', async () => {
  const { small, add, takeSent } = start()
  const ids = add('a', 131)
  const [, second = 0] = ids
  const last = ids.at(-1) ?? 0
  await takeSent('a')
  expect(small.end(last)).toBe(false)
  expect(small.waiting).toBe(1)
  small.end(second)
  expect(await takeSent('a')).toBe(1)
  expect(small.end(last)).toBe(true)
  expect(await takeSent('a')).toBe(0)
  expect(small.waiting).toBe(0)
})

test('of bulky questions a megabyte is on its way, and the first of a connection has its turn as well', async () => {
  const small = new SmallQuestions(MOST_QUICK_LATELY)
  const sent: number[] = []
  const add = (connection: string, id: number, kib: number): void =>
    small.add(on(connection), { id, bytes: kib * 1_024, send: () => void sent.push(id) })
  for (let id = 1; id <= 6; id++) add(`c${id}`, id, 260)
  expect(sent).toEqual([1, 2, 3])
  // One that is short and alone is sent at once.
  add('single', 7, 16)
  expect(sent).toEqual([1, 2, 3, 7])
  for (const id of [1, 2]) small.end(id)
  await Promise.resolve()
  expect(sent).toEqual([1, 2, 3, 7, 4, 5])
  for (const id of [3, 4, 5, 6, 7]) small.end(id)
  add('c1', 8, 2_000)
  expect(sent.at(-1)).toBe(8)
})

test('what a gateway asks for itself never waits', async () => {
  const { small, add } = start()
  add('a', 200)
  let count = 0
  const nobody = { ...on(''), client: '' }
  for (let id = 1_001; id <= 1_300; id++) small.add(nobody, { id, bytes: 100, send: () => void count++ })
  expect(count).toBe(300)
  expect(small.end(1_001)).toBe(true)
})

test('nothing goes of a connection that gives up all it has asked', async () => {
  const { small, add, takeSent } = start()
  const ids = add('a', 300)
  await takeSent('a')
  add('b', 2)
  await takeSent('b')
  for (const id of ids) small.end(id)
  expect(await takeSent('a')).toBe(0)
  expect(small.waiting).toBe(0)
})

test('a connection that was lost leaves nothing behind', async () => {
  const { small, add, takeSent } = start()
  add('a', 200)
  small.clear()
  expect(small.waiting).toBe(0)
  await takeSent('a')
  add('a', 200)
  expect(await takeSent('a')).toBe(129)
})

test('searches of logs and calls are not among the quick ones, balances are', () => {
  expect((['logs', 'logsPage', 'call', 'native'] as const).map(isSlow)).toEqual([true, true, true, true])
  expect((['balance', 'storage', 'block', 'sendRawTransaction'] as const).map(isSlow)).toEqual(Array(4).fill(false))
})
