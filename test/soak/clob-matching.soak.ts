/**
 * The order book's engine against its model, one seed after another for SOAK_MINUTES, or CLOB_SEEDS of them (100,000 are a night);
 * SEED says which is the first. One that differs prints its least run.
 */
import { expect, it } from 'vitest'
import { findDifference } from '../clob/differential.ts'
import { makeRun } from '../clob/runs.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10)
const SEEDS = Number(process.env['CLOB_SEEDS'] ?? 0)
const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const BLOCKS = 12
const MS_A_MINUTE = 60_000
const REPORTED_EACH = 1_000
/** Ends what hangs: the last seed begins before the time is over, and a seed takes less than a second. */
const LIMIT_MS = SEEDS > 0 ? SEEDS * 1_000 : (MINUTES + 10) * MS_A_MINUTE

it(
  `matching is the model's (CLOB_SEEDS=${SEEDS}, or ${MINUTES} minutes)`,
  () => {
    const endMs = performance.now() + MINUTES * MS_A_MINUTE
    const isOver = (done: number): boolean => (SEEDS > 0 ? done >= SEEDS : done > 0 && performance.now() > endMs)
    let done = 0
    for (; !isOver(done); done++) {
      expect(findDifference(makeRun(FIRST_SEED + done, BLOCKS))).toBeUndefined()
      if (done % REPORTED_EACH === 0) console.log(`seed ${FIRST_SEED + done}: the same`)
    }
    console.log(`${done} seeds from ${FIRST_SEED} on: model and engine are the same`)
  },
  LIMIT_MS,
)
