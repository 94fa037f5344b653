/**
 * Networks with one seed after another for SOAK_MINUTES, or for SOAK_BLOCKS of them, and a storm now and then: each STORM_EVERY seeds,
 * 0 for none (a storm takes minutes). SEED says which seed is the first. The last line sums them up.
 */
import { expect, it } from 'vitest'
import { describeRun, runPrinted } from '../sim/network/session.ts'
import { Random } from '../sim/random.ts'
import { runStorm } from '../sim/storm.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10)
const FIRST_SEED = Number(process.env['SEED'] ?? 1)
const MS_A_MINUTE = 60_000
const BLOCKS = Number(process.env['SOAK_BLOCKS'] ?? 0)
const STORM_EVERY = Number(process.env['STORM_EVERY'] ?? 20)
/** Ends what hangs: a block takes a tenth of that, or less. */
const LIMIT_MS = BLOCKS > 0 ? BLOCKS * 1_000 : (MINUTES + 60) * MS_A_MINUTE

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

it(
  `networks and storms (SOAK_BLOCKS=${BLOCKS}, or ${MINUTES} minutes)`,
  async () => {
    const endMs = performance.now() + MINUTES * MS_A_MINUTE
    let [seed, blocks, commits] = [FIRST_SEED, 0, 0]
    const isOver = (): boolean => (BLOCKS > 0 ? blocks >= BLOCKS : blocks > 0 && performance.now() > endMs)
    for (; !isOver(); seed++) {
      if (STORM_EVERY > 0 && seed % STORM_EVERY === 0) {
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
  },
  LIMIT_MS,
)
