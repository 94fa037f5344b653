/**
 * Networks with one seed after another for SOAK_MINUTES, and a storm now and then; SEED says which is the first. The last line
 * sums them up.
 */
import { expect, it } from 'vitest'
import { describeRun, runPrinted } from '../sim/network/session.ts'
import { Random } from '../sim/random.ts'
import { runStorm } from '../sim/storm.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10)
const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const MS_A_MINUTE = 60_000
const STORM_EVERY = 20

const storm = async (seed: number): Promise<number> => {
  const random = new Random(seed * 1_000_003)
  const size = 40 + random.below(120)
  try {
    await runStorm({ random, blocks: size, forkBlocks: 10 + random.below(30) })
  } catch (error) {
    process.stderr.write(`storm failed with SEED=${seed}\n`)
    throw error
  }
  console.log(`seed ${seed}: a storm of ${size} blocks, the same on every node`)
  return size
}

it(`${MINUTES} minutes of networks and storms`, async () => {
  const endMs = performance.now() + MINUTES * MS_A_MINUTE
  let [seed, blocks, commits] = [FIRST_SEED, 0, 0]
  for (; performance.now() < endMs || seed === FIRST_SEED; seed++) {
    if (seed % STORM_EVERY === 0) {
      blocks += await storm(seed)
      continue
    }
    const report = await runPrinted(seed, new Random(seed).pick([50, 100, 200, 400]))
    console.log(describeRun(report))
    blocks += report.height
    commits += report.commits
  }
  console.log(`seeds ${FIRST_SEED} to ${seed - 1}: ${blocks} blocks, ${commits} commits, no rule broken`)
  expect(blocks).toBeGreaterThan(0)
})
