import { expect, test } from 'vitest'
import { BodyBuffer } from './body-buffer.ts'
import { MemoryBudget } from './memory-budget.ts'

const pieces = (count: number, length: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.alloc(length, index + 1))

test('of any pieces is what came', () => {
  const lengths = [
    [],
    [5],
    [7, 7, 7],
    Array.from({ length: 30 }, () => 10_000),
    [131_072, 1],
    [131_071, 1, 1],
    [300_000, 300_000],
  ]
  for (const each of lengths) {
    const all = each.map((length, index) => Buffer.alloc(length, index + 1))
    const budget = new MemoryBudget(1_000_000)
    for (const take of ['read', 'give'] as const) {
      const body = new BodyBuffer(() => budget.open('a', () => undefined))
      for (const piece of all) expect(body.push(piece)).toBe(true)
      const whole = Buffer.concat(all)
      expect(body.length).toBe(whole.length)
      expect(budget.held).toBe(all.length > 1 ? whole.length : 0)
      const bytes = body[take]()
      expect(whole.equals(bytes)).toBe(true)
      body.release()
      expect(budget.held).toBe(0)
      // What others send meanwhile is written elsewhere.
      const other = new BodyBuffer(() => budget.open('a', () => undefined))
      for (const piece of [...all, ...all]) other.push(Buffer.alloc(piece.length, 0xff))
      expect(whole.equals(bytes)).toBe(true)
      other.release()
    }
  }
})

test('is refused where there is no room, and gives back what it held', () => {
  const budget = new MemoryBudget(250)
  const body = new BodyBuffer(() => budget.open('a', () => undefined))
  expect(body.push(Buffer.alloc(100))).toBe(true)
  expect(body.push(Buffer.alloc(100))).toBe(true)
  expect(body.push(Buffer.alloc(100))).toBe(false)
  expect(budget.held).toBe(200)
  body.release()
  body.release()
  expect(budget.held).toBe(0)
})

test('in memory that is used again holds nothing of what was there before', () => {
  const budget = new MemoryBudget(1_000_000)
  for (let count = 1; count <= 20; count++) {
    const body = new BodyBuffer(() => budget.open('a', () => undefined))
    const sent = pieces(count, 20_000)
    for (const piece of sent) body.push(piece)
    expect(body.read().equals(Buffer.concat(sent))).toBe(true)
    body.release()
    expect(body.length).toBe(0)
  }
})
