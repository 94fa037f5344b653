import { expect, test } from 'vitest'
import type { QuestionName } from '../../../app/ports.ts'
import type { Lane, Queued } from './question-lines.ts'
import { QuestionQueue } from './question-queue.ts'
import { type Account, type Asking, ReaderUsage } from './reader-usage.ts'

/** The clock stands still, so that nothing is forgotten. */
const createQueue = (usage = new ReaderUsage(() => 0)): QuestionQueue<Queued> => new QuestionQueue(usage)

const item = (name: QuestionName, parameters: unknown = {}, client = 'one', connection = ''): Queued => ({
  asker: { client, connection },
  question: { name, parameters },
})

const accountsOf = (usage: ReaderUsage, asking: Asking): readonly Account[] => [
  usage.client(asking.client),
  usage.connection(asking),
]

const charge = (usage: ReaderUsage, asking: Asking, ms: number, isShort: boolean): void =>
  usage.charge(accountsOf(usage, asking), ms, isShort)

const drain = (
  queue: QuestionQueue<Queued>,
  lane: Lane,
  show: (one: Queued) => string = ({ question }) => question.name,
): string[] => {
  const shown: string[] = []
  for (let next = queue.next(lane); next !== undefined; next = queue.next(lane)) shown.push(show(next))
  return shown
}

const large = (client: string, megabytes: number): Queued =>
  item('call', { data: 'x'.repeat(megabytes * 1024 * 1024) }, client)

test('traces, long answers, large questions and those that were found to be long have a lane of their own', () => {
  const queue = createQueue()
  for (const name of ['traceCall', 'call', 'blockReceipts', 'logs'] as const)
    expect(queue.push(item(name)).isTaken).toBe(true)
  queue.push({ ...item('estimateGas'), isLong: true })
  queue.push(item('proof', { slots: ['x'.repeat(100_000)] }))
  queue.push(item('simulate', { encoded: new Uint8Array(100_000) }))
  // A page of a search, made of what CometBFT says or of records, because that is much.
  queue.push(item('native', { path: '/a', data: '', height: 0, replies: {} }))
  queue.push(item('native', { path: '/a', data: '', height: 0 }))
  expect([queue.waiting('short'), queue.waiting('long')]).toEqual([3, 6])
  expect(drain(queue, 'short')).toEqual(['call', 'logs', 'native'])
  expect(drain(queue, 'long')).toEqual(['traceCall', 'blockReceipts', 'estimateGas', 'proof', 'simulate', 'native'])
})

test('many traces leave room for calls, which are bounded as well', () => {
  const queue = createQueue()
  const accepted = (name: QuestionName): number => {
    let count = 0
    while (queue.push(item(name)).isTaken) count++
    return count
  }
  expect(accepted('traceTransaction')).toBe(200)
  expect(accepted('call')).toBe(1_800)
  queue.next('short')
  expect(accepted('call')).toBe(1)
})

test('large questions are bounded by their size, which is free again when they are taken', () => {
  const queue = createQueue()
  const first = large('one', 100)
  expect([first, { ...first }, { ...first }].map((one) => queue.push(one).isTaken)).toEqual([true, true, false])
  expect(queue.push(item('call')).isTaken).toBe(true)
  expect(queue.next('long')).toBe(first)
  expect(queue.push({ ...first }).isTaken).toBe(true)
})

const turns = (queue: QuestionQueue<Queued>, count: number, lane: Lane): string[] =>
  Array.from({ length: count }, () => {
    const next = queue.next(lane) ?? item('call')
    queue.done(next)
    const { asker, question } = next
    return `${asker.client}${asker.connection} ${String(question.parameters)}`
  })

test.each(['call', 'traceCall'] as const)('clients have their turns, and each its questions in order: %s', (name) => {
  const queue = createQueue()
  for (const [client, count] of [
    ['greedy', 100],
    ['one', 2],
    ['two', 3],
  ] as const) {
    for (let index = 0; index < count; index++) queue.push(item(name, index, client))
  }
  expect(turns(queue, 9, name === 'call' ? 'short' : 'long')).toEqual([
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

test('so have the connections of a client, and more of them are no more turns', () => {
  const queue = createQueue()
  for (let index = 0; index < 3; index++) {
    for (const connection of ['/a', '/b']) queue.push(item('call', index, 'many', connection))
    queue.push(item('call', index, 'one'))
  }
  expect(turns(queue, 6, 'short')).toEqual(['many/a 0', 'one 0', 'many/b 0', 'one 1', 'many/a 1', 'one 2'])
})

test('who has used less of the workers goes first: the client, then its connection', () => {
  const usage = new ReaderUsage(() => 0)
  const queue = createQueue(usage)
  charge(usage, { client: 'greedy', connection: '/a' }, 900, true)
  charge(usage, { client: 'greedy', connection: '/b' }, 100, true)
  charge(usage, { client: 'honest', connection: '' }, 50, true)
  const ask = (): void => {
    for (let index = 0; index < 2; index++) {
      for (const connection of ['/a', '/b']) queue.push(item('call', index, 'greedy', connection))
      queue.push(item('call', index, 'honest'))
    }
  }
  ask()
  expect(turns(queue, 6, 'short')).toEqual([
    'honest 0',
    'honest 1',
    'greedy/b 0',
    'greedy/b 1',
    'greedy/a 0',
    'greedy/a 1',
  ])
  // Who comes anew, or again, begins where the others are: the one that was served last, whatever it has used, is not behind.
  queue.push(item('call', 'a', 'greedy', '/a'))
  queue.push(item('call', 'b', 'greedy', '/b'))
  queue.push(item('call', 'new', 'greedy', '/new'))
  charge(usage, { client: 'greedy', connection: '/b' }, 0.5, true)
  charge(usage, { client: 'greedy', connection: '/new' }, 0.5, true)
  expect(turns(queue, 3, 'short')).toEqual(['greedy/a a', 'greedy/b b', 'greedy/new new'])
})

test('a connection whose questions were long is not tried as short, unless most of them are', () => {
  const usage = new ReaderUsage(() => 0)
  const queue = createQueue(usage)
  const loops = { client: 'one', connection: '/loops' }
  const wallet = { client: 'one', connection: '/wallet' }
  const fresh = { client: 'one', connection: '/fresh' }
  for (let index = 0; index < 2; index++) {
    charge(usage, loops, 20, false)
    charge(usage, wallet, 20, false)
  }
  for (let index = 0; index < 40; index++) charge(usage, wallet, 1, true)
  queue.push({ ...item('call', 'loop'), asker: loops })
  queue.push({ ...item('call', 'balance'), asker: wallet })
  queue.push({ ...item('call', 'new'), asker: fresh })
  expect(queue.next('short')?.question.parameters).toBe('balance')
  expect(queue.next('short')?.question.parameters).toBe('new')
  expect(queue.next('long')?.question.parameters).toBe('loop')
  // Nor is a new connection of a client whose others asked many long ones.
  for (let index = 0; index < 10; index++) charge(usage, loops, 20, false)
  queue.push({ ...item('call', 'new'), asker: fresh })
  queue.push({ ...item('call', 'balance'), asker: wallet })
  expect(queue.next('short')?.question.parameters).toBe('balance')
  expect(queue.next('short')).toBeUndefined()
  expect(queue.next('long')?.question.parameters).toBe('new')
})

test('a connection that asked short questions goes before new ones, however little those have used', () => {
  const usage = new ReaderUsage(() => 0)
  const queue = createQueue(usage)
  for (let index = 0; index < 64; index++) queue.push(item('call', index, 'one', `/${index}`))
  charge(usage, { client: 'one', connection: '/known' }, 100, true)
  queue.push(item('call', 'known', 'one', '/known'))
  expect(queue.next('short')?.question.parameters).toBe('known')
})

test('clients that may not have more are passed over', () => {
  const queue = createQueue()
  queue.push(item('traceCall', 1, 'greedy'))
  queue.push(item('traceCall', 2, 'one'))
  expect(queue.next('long', (client) => client !== 'greedy')?.question.parameters).toBe(2)
  expect(queue.next('long', (client) => client !== 'greedy')).toBeUndefined()
  expect(queue.next('long')?.question.parameters).toBe(1)
})

test('what nobody waits for is taken out wherever it stands', () => {
  const queue = createQueue()
  const items = Array.from({ length: 5 }, (_, index) => item(index % 2 === 0 ? 'call' : 'traceCall', index))
  for (const one of items) queue.push(one)
  expect(items.slice(1, 3).map((one) => queue.remove(one))).toEqual([true, true])
  expect(queue.remove(items[1] as Queued)).toBe(false)
  expect([queue.waiting('short'), queue.waiting('long')]).toEqual([2, 1])
  expect([queue.next('short'), queue.next('short'), queue.next('short'), queue.next('long')]).toEqual([
    items[0],
    items[4],
    undefined,
    items[3],
  ])
})

test('a full queue makes room for who has less, by the last of who has most', () => {
  const queue = createQueue()
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
  expect([queue.next('short'), queue.next('short')].map((one) => one?.asker.client)).toEqual(['greedy', 'honest'])
})

test('so it does among the connections of one client', () => {
  const queue = createQueue()
  for (let index = 0; index < 2_000; index++) queue.push(item('call', index, 'one', '/greedy'))
  const pushed = queue.push(item('call', 'honest', 'one', '/honest'))
  expect(pushed.isTaken).toBe(true)
  expect(pushed.displaced.map(({ question }) => question.parameters)).toEqual([1_999])
  expect(queue.push(item('call', {}, 'one', '/greedy')).isTaken).toBe(false)
})

test('what takes long is displaced by what takes long alone', () => {
  const queue = createQueue()
  for (let index = 0; index < 200; index++) queue.push(item('traceCall', index, 'greedy'))
  queue.push(item('call', 'quick', 'greedy'))
  expect(queue.push(item('traceCall', {}, 'honest')).displaced.map(({ question }) => question.parameters)).toEqual([
    199,
  ])
  expect(drain(queue, 'short')).toEqual(['call'])
})

test('memory is shared as places are', () => {
  const queue = createQueue()
  for (let index = 0; index < 5; index++) expect(queue.push(large('greedy', 50)).isTaken).toBe(true)
  expect(queue.push(large('honest', 60))).toMatchObject({
    isTaken: true,
    displaced: [{ asker: { client: 'greedy' } }, {}],
  })
  expect(queue.push(large('greedy', 100))).toEqual({ isTaken: false, displaced: [] })
})

test('nobody leaves for a question that is not taken all the same', () => {
  const queue = createQueue()
  for (let index = 0; index < 200; index++) queue.push(item('traceCall', index, 'greedy'))
  const trace = (client: string) => item('traceCall', 'x'.repeat(150 * 1024 * 1024), client)
  expect(queue.push(trace('honest')).displaced).toHaveLength(1)
  expect(queue.push(trace('third'))).toEqual({ isTaken: false, displaced: [] })
  const taken = Array.from({ length: 200 }, () => queue.next('long'))
  expect(taken.filter((one) => one?.asker.client === 'greedy').map((one) => one?.question.parameters)).toEqual(
    Array.from({ length: 199 }, (_, index) => index),
  )
})

test('who has used little goes before all that came back from a hand without having been begun', () => {
  const usage = new ReaderUsage(() => 0)
  const queue = createQueue(usage)
  const names = Array.from({ length: 40 }, (_, index) => `greedy ${index}`)
  const ask = (connection: string): Queued => item('call', {}, 'one', connection)
  for (const [index, name] of names.entries()) charge(usage, ask(name).asker, 15 + index / 10, true)
  for (const name of names) queue.push(ask(name))
  for (let round = 0; round < 5; round++) {
    const hand = Array.from({ length: 16 }, (_, index) => queue.next('short', () => true, index === 0))
    const [begun, ...others] = hand
    for (const other of others) if (other !== undefined) queue.putBack(other)
    charge(usage, ask('honest').asker, 0.1, true)
    queue.push(ask('honest'))
    expect(queue.next('short')?.asker.connection).toBe('honest')
    if (begun === undefined) throw new TypeError('somebody waits')
    charge(usage, begun.asker, 15, true)
    queue.done(begun)
    queue.push(begun)
  }
})

test('what came back stands before all that came while a worker had it, in its order', () => {
  const usage = new ReaderUsage(() => 0)
  const queue = createQueue(usage)
  // Connections that have all asked something short before, and as much.
  const asked = (connection: string, parameters: string): Queued => {
    const one = item('call', parameters, 'one', connection)
    charge(usage, one.asker, 0.1, true)
    return one
  }
  queue.push(asked('first', 'begun'))
  const [a, b] = [asked('honest', 'a'), item('call', 'b', 'one', 'honest')]
  queue.push(a)
  queue.push(b)
  const hand = Array.from({ length: 3 }, (_, index) => queue.next('short', () => true, index === 0))
  expect(hand.map((one) => one?.question.parameters)).toEqual(['begun', 'a', 'b'])
  for (let index = 0; index < 3; index++) queue.push(asked(`/${index}`, 'other'))
  queue.push(item('call', 'c', 'one', 'honest'))
  for (const one of [a, b]) queue.putBack(one)
  expect(queue.waiting('short')).toBe(6)
  const rest = drain(queue, 'short', ({ question }) => String(question.parameters))
  expect(rest[0]).toBe('a')
  expect(rest.filter((one) => one !== 'other')).toEqual(['a', 'b', 'c'])
})

test('a connection keeps what it owes while a worker has its question, and begins anew after', () => {
  const usage = new ReaderUsage(() => 0)
  const queue = createQueue(usage)
  const tagOf = (connection: string): number => usage.connection({ client: 'one', connection }).tag
  const ask = (connection: string): Queued => {
    const one = item('call', {}, 'one', connection)
    queue.push(one)
    return one
  }
  charge(usage, { client: 'one', connection: '/greedy' }, 50, true)
  const [quick, greedy] = [ask('/quick'), ask('/greedy')]
  expect([queue.next('short'), queue.next('short')]).toEqual([greedy, quick])
  ask('/quick')
  expect(tagOf('/quick')).toBe(0)
  for (const one of [quick, greedy, queue.next('short')]) if (one !== undefined) queue.done(one)
  ask('/quick')
  expect(tagOf('/quick')).toBe(50)
})

test('a kind of which those of the client took long stands behind others, but not for ever', () => {
  const usage = new ReaderUsage(() => 0)
  const queue = createQueue(usage)
  const asked = (name: QuestionName, connection: string, ms: number): Queued => {
    const one = item(name, {}, 'one', connection)
    charge(usage, one.asker, ms, true)
    usage.learn(accountsOf(usage, one.asker), name, ms)
    return one
  }
  for (let index = 0; index < 20; index++) queue.push(asked('logs', `/${index}`, 10))
  let served = 0
  for (; queue.waiting('short') === 20; served++) {
    const call = asked('call', '/wallet', 1)
    queue.push(call)
    const next = queue.next('short')
    if (next !== call) break
    queue.done(next)
  }
  // Its calls have used as much as one of these will, four times over.
  expect(served).toBeGreaterThanOrEqual(40)
  expect(served).toBeLessThan(60)
})

/**
 * A worker in a time of its own, which is always busy: connections of one client that ask one thing after another, and
 * one that asks now and then. Gives the longest time that the latter waited.
 */
const longestWait = (options: {
  readonly greedy: number
  readonly greedyName?: QuestionName
  readonly renews: boolean
  readonly prepare?: (usage: ReaderUsage) => void
}): number => {
  let nowMs = 0
  const usage = new ReaderUsage(() => nowMs)
  const queue = createQueue(usage)
  options.prepare?.(usage)
  const ask = (connection: string, name: QuestionName): Queued => {
    const one = item(name, {}, 'one', connection)
    queue.push(one)
    return one
  }
  for (let index = 0; index < options.greedy; index++) ask(`/${index}`, options.greedyName ?? 'call')
  let honest: { readonly item: Queued; readonly sinceMs: number } | undefined
  let [longest, asked] = [0, 0]
  while (nowMs < 60_000) {
    honest ??= { item: ask(options.renews ? `/honest/${asked++}` : '/honest', 'call'), sinceMs: nowMs }
    const next = queue.next('short')
    if (next === undefined) throw new TypeError('somebody asks')
    nowMs += 1
    queue.charge(next, 1, true)
    if (next === honest.item) {
      longest = Math.max(longest, nowMs - honest.sinceMs)
      honest = undefined
    } else ask(next.asker.connection, next.question.name)
    queue.done(next)
  }
  if (honest !== undefined) longest = Math.max(longest, nowMs - honest.sinceMs)
  return longest
}

test('nobody is kept waiting by others of its client that ask without end', () => {
  // Whoever opens a connection for each question is never known.
  for (const greedy of [20, 200]) expect(longestWait({ greedy, renews: true })).toBeLessThan(10 * greedy + 100)
  // Questions of its kind took long for others: its own were short.
  const prepare = (usage: ReaderUsage): void => {
    const own = accountsOf(usage, { client: 'one', connection: '/honest' })
    for (let count = 0; count < 100; count++) {
      usage.charge(own, 0.1, true)
      usage.learn(own, 'call', 0.1)
    }
    const slow = accountsOf(usage, { client: 'one', connection: '/slow' })
    for (let count = 0; count < 200; count++) usage.learn(slow, 'call', 20)
  }
  for (const greedy of [20, 200]) {
    expect(longestWait({ greedy, greedyName: 'logs', renews: false, prepare })).toBeLessThan(10 * greedy + 100)
    expect(longestWait({ greedy, greedyName: 'logs', renews: true, prepare })).toBeLessThan(10 * greedy + 100)
  }
})

test('a client that was forgotten while it waits is charged all the same', () => {
  const usage = new ReaderUsage(() => 0)
  const queue = createQueue(usage)
  queue.push(item('call', {}, 'greedy'))
  for (let index = 0; index < 20_001; index++) usage.client(`other ${index}`)
  const turnsOf = { greedy: 0, honest: 0 }
  queue.push(item('call', {}, 'honest'))
  for (let turn = 0; turn < 100; turn++) {
    const next = queue.next('short')
    if (next === undefined) throw new TypeError('somebody asks')
    turnsOf[next.asker.client as keyof typeof turnsOf]++
    queue.charge(next, 1, true)
    queue.push({ ...next })
    queue.done(next)
  }
  expect(turnsOf).toEqual({ greedy: 50, honest: 50 })
})
