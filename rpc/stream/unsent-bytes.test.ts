import { expect, it } from 'vitest'
import type { Asker } from '../../app/ports.ts'
import { UnsentBytes } from './unsent-bytes.ts'

const on = (connection: string): Asker => ({ client: '192.0.2.1', connection, onGone: () => () => undefined })

it('who has most loses what he asked last, as long as he has more than who asks', () => {
  const unsent = new UnsentBytes(1_000)
  const dropped: number[] = []
  const drop = (id: number): void => {
    dropped.push(id)
    unsent.end(id)
  }
  let id = 0
  const add = (connection: string, bytes: number): boolean => {
    if (!unsent.makeRoom(on(connection), bytes, drop)) return false
    unsent.add(on(connection), ++id, bytes)
    return true
  }
  for (let count = 0; count < 6; count++) expect(add('greedy', 100)).toBe(true)
  for (let count = 0; count < 4; count++) expect(add('other', 100)).toBe(true)
  expect(add('greedy', 100)).toBe(false)
  expect(add('new', 150)).toBe(true)
  expect(dropped).toEqual([6, 5])
  // All have 400 at most now: nobody has more than who would have 450.
  expect(add('new', 300)).toBe(false)
  expect(add('new', 100)).toBe(true)
  expect(dropped).toEqual([6, 5, 4])
  expect(unsent.bytes).toBe(950)
  for (let each = 1; each <= id; each++) unsent.end(each)
  expect(unsent.bytes).toBe(0)
  expect(add('new', 1_001)).toBe(false)
})
