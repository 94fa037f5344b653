import { expect, test } from 'vitest'
import { Pace } from './pace.ts'

/** Works for `workMs` at a time, and lets others work for `othersMs` at each yield; returns the time when it stopped. */
const run = async (budgetMs: number, workMs: number, othersMs: number): Promise<{ ms: number; workedMs: number }> => {
  let nowMs = 1_000
  const pace = new Pace({
    clock: { nowMs: () => nowMs, wallMs: () => nowMs },
    yieldToEventLoop: async () => {
      nowMs += othersMs
    },
  })
  let workedMs = 0
  while (!pace.isSpent(budgetMs)) {
    if (pace.isYieldDue) await pace.yield()
    nowMs += workMs
    workedMs += workMs
  }
  return { ms: nowMs - 1_000, workedMs }
}

test('a budget is for the own work: what others take does not count', async () => {
  expect(await run(500, 5, 0)).toEqual({ ms: 505, workedMs: 505 })
  const { ms, workedMs } = await run(500, 5, 3)
  expect(workedMs).toBe(505)
  expect(ms).toBeGreaterThan(600)
})

test('others who take more than the work does end it after twice the budget', async () => {
  const { ms, workedMs } = await run(500, 5, 100)
  expect(ms).toBeGreaterThan(1_000)
  expect(ms).toBeLessThan(1_120)
  expect(workedMs).toBeLessThan(200)
})
