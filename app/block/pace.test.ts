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

test('what is left out counts neither as work nor as the time of others within it', async () => {
  let nowMs = 0
  const pace = new Pace({
    clock: { nowMs: () => nowMs, wallMs: () => nowMs },
    yieldToEventLoop: async () => {
      nowMs += 13
    },
  })
  const mark = pace.mark()
  for (let piece = 0; piece < 100; piece++) {
    nowMs += 14
    if (pace.isYieldDue) await pace.yield()
  }
  expect(nowMs).toBeGreaterThan(2_600)
  expect(pace.leaveOutSince(mark)).toBe(1_400)
  expect(pace.isSpent(500)).toBe(false)
  nowMs += 501
  expect(pace.isSpent(500)).toBe(true)
})

test('others who take long in every pause get half of the time', async () => {
  const { ms, workedMs } = await run(500, 1, 30)
  expect(workedMs).toBeGreaterThan(0.45 * ms)
})

test('others who take more than the work does end it after twice the budget', async () => {
  const { ms, workedMs } = await run(500, 5, 100)
  expect(ms).toBeGreaterThan(1_000)
  expect(ms).toBeLessThan(1_120)
  // Others get at least half of the time, and no more than twice as long as the longest piece.
  expect(workedMs).toBeLessThan(400)
})
