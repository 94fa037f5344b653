import { expect, test } from 'vitest'
import type { Asker } from '../../app/ports.ts'
import { LargeQuestions } from './large-questions.ts'

const MEGABYTE = 1024 * 1024
const on = (connection: string): Asker => ({ client: 'one', connection, onGone: () => () => undefined })

const start = () => {
  const large = new LargeQuestions()
  const sent: number[] = []
  const add = (id: number, connection: string, megabytes = 3): void =>
    large.add(on(connection), { id, bytes: megabytes * MEGABYTE, send: () => void sent.push(id) })
  return { large, sent, add }
}

test('few are on their way, and the next one goes when one is answered', () => {
  const { large, sent, add } = start()
  for (let id = 1; id <= 4; id++) add(id, 'a')
  expect(sent).toEqual([1, 2])
  expect(large.waiting).toBe(2)
  expect(large.end(1)).toBe(true)
  expect(sent).toEqual([1, 2, 3])
  // An unknown one changes nothing.
  expect(large.end(9)).toBe(true)
  expect(sent).toEqual([1, 2, 3])
})

test('connections have turns', () => {
  const { large, sent, add } = start()
  for (let id = 1; id <= 10; id++) add(id, 'greedy')
  add(11, 'honest')
  for (const id of [1, 2, 3]) large.end(id)
  expect(sent).toEqual([1, 2, 11, 3, 4])
})

test('one that nobody waits for is not sent', () => {
  const { large, sent, add } = start()
  for (let id = 1; id <= 3; id++) add(id, 'a')
  expect(large.end(3)).toBe(false)
  expect(large.waiting).toBe(0)
  large.end(1)
  expect(sent).toEqual([1, 2])
})

test('one that is larger than all may be together goes alone', () => {
  const { large, sent, add } = start()
  add(1, 'a', 30)
  add(2, 'b')
  expect(sent).toEqual([1])
  large.end(1)
  expect(sent).toEqual([1, 2])
})
