/** Native nonsense with one seed after another for SOAK_MINUTES; SEED says which is the first. */
import { expect, it } from 'vitest'
import { runNativeFuzz } from '../hostile/native-fuzz.ts'
import { Random } from '../sim/random.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10)
const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const MS_A_MINUTE = 60_000

it(`${MINUTES} minutes of native nonsense`, async () => {
  const endMs = performance.now() + MINUTES * MS_A_MINUTE
  let inputs = 0
  for (let seed = FIRST_SEED; performance.now() < endMs || seed === FIRST_SEED; seed++) {
    const roundMs = Math.min(endMs, performance.now() + MS_A_MINUTE)
    const report = await runNativeFuzz(new Random(seed * 1_000_003), () => performance.now() > roundMs)
    inputs += report.inputs
    console.log(`seed ${seed}: ${report.inputs} inputs, each answered or refused`)
  }
  expect(inputs).toBeGreaterThan(0)
})
