/** Storms with one seed after another for SOAK_MINUTES; SEED says which is the first. */
import { expect, it } from 'vitest'
import { Random } from '../sim/random.ts'
import { runStorm } from '../sim/storm.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10)
const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const MS_A_MINUTE = 60_000

it(`${MINUTES} minutes of storms`, async () => {
  const endMs = performance.now() + MINUTES * MS_A_MINUTE
  let seed = FIRST_SEED
  let blocks = 0
  for (; performance.now() < endMs || seed === FIRST_SEED; seed++) {
    const random = new Random(seed * 1_000_003)
    const size = 40 + random.below(120)
    try {
      await runStorm({ random, blocks: size, forkBlocks: 10 + random.below(30) })
    } catch (error) {
      process.stderr.write(`failed with SEED=${seed}\n`)
      throw error
    }
    blocks += size
    console.log(`seed ${seed}: ${size} blocks, the same on every node`)
  }
  expect(blocks).toBeGreaterThan(0)
})
