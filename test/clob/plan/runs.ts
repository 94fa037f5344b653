/** Seeded runs of a property: 2,000 in `make test`, CLOB_PLAN_RUNS for another number. SEED gives other ones. */
import { Random } from '../../sim/random.ts'

const RUNS = Number(process.env['CLOB_PLAN_RUNS'] ?? 2_000)
const SEED = Number(process.env['SEED'] ?? 1)
const RUNS_A_SEED = 1_000_003

/** A body that checks a property on random input; what fails prints the run, whose number alone repeats it. */
export const runs =
  (salt: number, check: (random: Random) => void, count = RUNS) =>
  (): void => {
    const only = process.env['CLOB_PLAN_RUN']
    const numbers = only === undefined ? Array.from({ length: count }, (_, run) => run) : [Number(only)]
    for (const run of numbers) {
      try {
        check(new Random((SEED * RUNS_A_SEED + run) * 31 + salt))
      } catch (error) {
        process.stderr.write(`failed with SEED=${SEED} CLOB_PLAN_RUN=${run}\n`)
        throw error
      }
    }
  }
