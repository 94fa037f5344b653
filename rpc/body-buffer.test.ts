import { expect, test } from 'vitest'
import { BodyBuffer } from './body-buffer.ts'
import { MemoryBudget } from './memory-budget.ts'

const pieces = (count: number, length: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.alloc(length, index + 1))

test.each([0, 10, 300_000, 1_000_000])('of any pieces is what came, with %i bytes announced', (announced) => {
  for (const all of [[], pieces(1, 5), pieces(3, 7), pieces(30, 10_000)]) {
    const budget = new MemoryBudget(1_000_000)
    const body = new BodyBuffer(announced, () => budget.open('a', () => undefined))
    for (const piece of all) expect(body.push(piece)).toBe(true)
    const whole = Buffer.concat(all)
    expect(body.length).toBe(whole.length)
    expect(body.read().equals(whole)).toBe(true)
    expect(budget.held).toBe(all.length > 1 ? whole.length : 0)
    body.release()
    expect(budget.held).toBe(0)
  }
})

test('is refused where there is no room, whatever was announced', () => {
  const budget = new MemoryBudget(250)
  const body = new BodyBuffer(10_000_000, () => budget.open('a', () => undefined))
  expect(body.push(Buffer.alloc(100))).toBe(true)
  expect(body.push(Buffer.alloc(100))).toBe(true)
  expect(body.push(Buffer.alloc(100))).toBe(false)
  expect(budget.held).toBe(200)
})

test('takes no memory for what was announced and has not begun to come', () => {
  const budget = new MemoryBudget(10_000_000)
  const body = new BodyBuffer(5_000_000, () => budget.open('a', () => undefined))
  const memory = (): number => body.read().buffer.byteLength
  for (let count = 1; count <= 2; count++) {
    expect(body.push(Buffer.alloc(64_000, count))).toBe(true)
    expect(memory()).toBeLessThanOrEqual(128 * 1024)
  }
  expect(body.push(Buffer.alloc(64_000, 3))).toBe(true)
  expect(memory()).toBe(5_000_000)
  expect([0, 64_000, 128_000].map((at) => body.read()[at])).toEqual([1, 2, 3])
})
