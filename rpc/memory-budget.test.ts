import { expect, test } from 'vitest'
import { MemoryBudget, type MemoryShare } from './memory-budget.ts'

/** Shares whose connections end with them, by name. */
const open = (budget: MemoryBudget, client: string, name: string, lost: string[]): MemoryShare =>
  budget.open(client, () => lost.push(name))

test('what fits is held, and given back', () => {
  const budget = new MemoryBudget(100)
  const share = open(budget, 'a', 'a1', [])
  expect(share.hold(60)).toBe(true)
  expect(share.hold(40)).toBe(true)
  expect(budget.held).toBe(100)
  share.give(30)
  expect([budget.held, share.held]).toEqual([70, 70])
  share.release()
  share.give(30)
  expect([budget.held, share.held]).toEqual([0, 0])
})

test('who asks for more than anybody else must do without', () => {
  const lost: string[] = []
  const budget = new MemoryBudget(100)
  const modest = open(budget, 'a', 'modest', lost)
  const greedy = open(budget, 'a', 'greedy', lost)
  expect(modest.hold(30)).toBe(true)
  expect(greedy.hold(71)).toBe(false)
  expect([budget.held, greedy.held]).toEqual([30, 0])
  expect(lost).toEqual([])
})

test('for the others the greediest connection loses what it holds, and of equals who asks', () => {
  const lost: string[] = []
  const budget = new MemoryBudget(100)
  const greedy = open(budget, 'a', 'greedy', lost)
  const modest = open(budget, 'a', 'modest', lost)
  expect(greedy.hold(60)).toBe(true)
  expect(modest.hold(40)).toBe(true)
  expect(open(budget, 'a', 'third', lost).hold(20)).toBe(true)
  expect(lost).toEqual(['greedy'])
  expect([budget.held, greedy.held]).toEqual([60, 0])
  expect(open(budget, 'a', 'equal', lost).hold(41)).toBe(false)
})

test('a client with many connections loses before one with a single larger one', () => {
  const lost: string[] = []
  const budget = new MemoryBudget(100)
  const many = Array.from({ length: 10 }, (_, index) => open(budget, 'many', `many ${index}`, lost))
  const single = open(budget, 'single', 'single', lost)
  for (const share of many) expect(share.hold(6)).toBe(true)
  expect(single.hold(40)).toBe(true)
  expect(single.hold(10)).toBe(true)
  expect(lost).toHaveLength(2)
  expect(lost.every((name) => name.startsWith('many'))).toBe(true)
  expect(budget.held).toBe(98)
})

/** The test compares with sums that are made anew each time. */
test('any sequence leaves no more than the limit, and the sums right (seeded)', () => {
  const seed = 0x5eed
  let state = seed
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const budget = new MemoryBudget(1_000)
  const shares = Array.from({ length: 30 }, (_, index) => budget.open(`client ${index % 7}`, () => undefined))
  for (let step = 0; step < 20_000; step++) {
    const share = shares[random(shares.length)] as MemoryShare
    const action = random(5)
    if (action < 3) share.hold(random(200))
    else if (action === 3) share.give(random(200))
    else share.release()
    const sum = shares.reduce((total, { held }) => total + held, 0)
    expect(budget.held, `seed ${seed}, step ${step}`).toBe(sum)
    expect(sum).toBeLessThanOrEqual(1_000)
  }
})
