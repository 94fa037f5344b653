import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { SHORT_LENGTH, Turns } from './turns.ts'

const LONG = SHORT_LENGTH + 1

let turns: Turns
afterEach(() => turns.close())

const work = (ms: number): void => {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
}

const untilDone = async (): Promise<void> => {
  while (turns.waiting > 0) await nextTurn()
}

test('short work is done at once, while the turn has time', async () => {
  turns = new Turns()
  const done: string[] = []
  turns.run({}, 10, () => done.push('first'))
  expect(done).toEqual(['first'])
  turns.run({}, 10, () => work(10))
  turns.run({}, 10, () => done.push('second'))
  expect(done).toEqual(['first'])
  await untilDone()
  expect(done).toEqual(['first', 'second'])
})

test('long work takes turns by connection, and short work passes it', async () => {
  turns = new Turns()
  const done: string[] = []
  const greedy = {}
  const modest = {}
  for (const name of ['g1', 'g2', 'g3']) turns.run(greedy, LONG, () => done.push(name))
  turns.run(modest, LONG, () => done.push('m1'))
  turns.run({}, 10, () => done.push('short'))
  expect(done).toEqual(['short'])
  await untilDone()
  expect(done).toEqual(['short', 'g1', 'm1', 'g2', 'g3'])
})

test('a client that has many connections has as many turns as one that has one', async () => {
  const clients = new WeakMap<object, string>()
  turns = new Turns((key) => clients.get(key) ?? '')
  const done: string[] = []
  const on = (client: string): object => {
    const key = {}
    clients.set(key, client)
    return key
  }
  for (let index = 0; index < 100; index++) {
    const key = on('greedy')
    for (let count = 0; count < 3; count++) turns.run(key, LONG, () => done.push('greedy'))
  }
  const honest = on('honest')
  for (let count = 0; count < 3; count++) turns.run(honest, LONG, () => done.push('honest'))
  await untilDone()
  expect(done).toHaveLength(303)
  expect(done.slice(0, 6)).toEqual(['greedy', 'honest', 'greedy', 'honest', 'greedy', 'honest'])
})

test('whoever asks one thing at a time goes before those who send ahead, and before batches', async () => {
  turns = new Turns()
  const done: string[] = []
  turns.run({}, 10, () => work(10))
  const ahead = {}
  for (const name of ['a1', 'a2', 'a3']) turns.run(ahead, 10, () => done.push(name))
  turns.run({}, 10_000, () => done.push('batch'))
  turns.run({}, 10, () => done.push('modest'))
  await untilDone()
  expect(done).toEqual(['modest', 'a1', 'batch', 'a2', 'a3'])
})

test('those who send ahead have turns beside any number who ask one thing at a time', async () => {
  turns = new Turns()
  let done = 0
  let asked = 0
  const ahead = {}
  turns.run({}, 10, () => work(10))
  for (let index = 0; index < 5; index++) turns.run(ahead, 10, () => done++)
  const ask = (): void => {
    work(3)
    if (++asked < 1_000 && done < 5) turns.run({}, 10, ask)
  }
  for (let index = 0; index < 10; index++) turns.run({}, 10, ask)
  while (done < 5 && asked < 1_000) await nextTurn()
  expect(asked).toBeLessThan(100)
})

test('what one connection asks for keeps its order', async () => {
  turns = new Turns()
  const done: string[] = []
  const key = {}
  turns.run(key, LONG, () => done.push('long'))
  turns.run(key, 10, () => done.push('short'))
  await untilDone()
  expect(done).toEqual(['long', 'short'])
})

test('others get turns of the event loop between long pieces', async () => {
  turns = new Turns()
  const done: string[] = []
  for (let index = 0; index < 3; index++) {
    turns.run({}, LONG, () => {
      work(5)
      done.push('long')
      setImmediate(() => done.push('other'))
    })
  }
  await untilDone()
  await nextTurn()
  expect(done).toEqual(['long', 'other', 'long', 'other', 'long', 'other'])
})

test('work with a result resolves or rejects', async () => {
  turns = new Turns()
  expect(await turns.take({}, LONG, () => 7)).toBe(7)
  await expect(
    turns.take({}, LONG, () => {
      throw new RangeError('no')
    }),
  ).rejects.toThrow('no')
})
