import { expect, test } from 'vitest'
import { FIRST_OF_CONNECTION, Roster } from './roster.ts'

const greedy = 'greedy'
const modest = 'modest'

test('whoever has few subscriptions does not stand behind what others have beyond the first', () => {
  const roster = new Roster<{ connection: string; at: number }>()
  const many = Array.from({ length: 3 * FIRST_OF_CONNECTION }, (_, at) => ({ connection: greedy, at }))
  for (const item of many) roster.add(item)
  const one = { connection: modest, at: -1 }
  roster.add(one)
  const first = many.slice(0, FIRST_OF_CONNECTION)
  const more = many.slice(FIRST_OF_CONNECTION)
  expect([...roster.of('first')]).toEqual([...first, one])
  expect([...roster.of('more')]).toEqual(more)
  expect([...roster]).toEqual([...first, one, ...more])
})

test('holds what was added and not taken out, and a place among the first is free again', () => {
  const roster = new Roster<{ connection: string; at: number }>()
  const items = Array.from({ length: FIRST_OF_CONNECTION + 1 }, (_, at) => ({ connection: greedy, at }))
  for (const item of items) roster.add(item)
  const [first, last] = [items[0], items.at(-1)]
  if (first === undefined || last === undefined) throw new Error('no items')
  expect(roster.delete(first)).toBe(true)
  expect(roster.delete(first)).toBe(false)
  expect(roster.has(first)).toBe(false)
  expect(roster.has(last)).toBe(true)
  const next = { connection: greedy, at: 100 }
  roster.add(next)
  expect([...roster]).toEqual([...items.slice(1, -1), next, last])
  expect(roster.delete(last)).toBe(true)
  roster.clear()
  expect([...roster]).toEqual([])
})
