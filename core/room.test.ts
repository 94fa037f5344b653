import { expect, it } from 'vitest'
import { Room } from './room.ts'

it('gives the same memory again where it suffices', () => {
  const room = new Room(1_000)
  const first = room.take(600)
  expect(first.length).toBe(1_000)
  expect(room.take(1_000)).toBe(first)
  expect(room.take(1_001).length).toBe(1_001)
  expect(room.take(0)).toBe(first)
})
