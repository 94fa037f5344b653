/** Runs of seeds as tests ask for them: which ones, what is printed, and how a failure is repeated. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NetworkOptions } from './network.ts'
import { runSeed, type SeedReport } from './run-seed.ts'

export interface KeptSeed {
  readonly seed: number
  readonly blocks: number
  readonly why: string
}

/** Seeds that once found something. */
export const keptSeeds = (name: 'network' | 'orders' = 'network'): readonly KeptSeed[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../seeds/${name}.json`), 'utf8')) as readonly KeptSeed[]

/** Prints how to repeat a failure, and what keeps its seed. */
export const runPrinted = async (seed: number, blocks: number, options: NetworkOptions = {}): Promise<SeedReport> => {
  try {
    return await runSeed(seed, blocks, options)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const name = options.hasOrders === true ? 'orders' : 'network'
    const file = options.hasOrders === true ? 'orders-network' : 'network'
    process.stderr.write(
      `failed: SEED=${seed} SIM_BLOCKS=${blocks} scripts/run.sh vitest run test/sim/${file}.test.ts\n` +
        `to keep it in test/sim/seeds/${name}.json: ${JSON.stringify({ seed, blocks, why: why.slice(0, 200) })}\n`,
    )
    throw error
  }
}

export const describeRun = (report: SeedReport): string => {
  const { seed, height, commits, transactions, crashes, lies, accepted, rejected } = report
  const { partitions, lost, roundsAboveZero, caughtUp, evidence, virtualMs } = report
  return (
    `seed ${seed}: ${height} blocks, ${commits} commits, ${transactions} transactions in ${Math.round(virtualMs / 1_000)} s of its time; ` +
    `killed ${crashes.kill + crashes.step}, without power ${crashes.power}, without disk ${crashes.disk}, partitions ${partitions}, ` +
    `messages lost ${lost}, lies ${lies}, proposals refused ${rejected.invalid + rejected.odd}, odd ones taken ${accepted.odd}, ` +
    `later rounds ${roundsAboveZero}, caught up ${caughtUp}, double signs ${evidence}`
  )
}

export const describeOrders = ({ orders }: SeedReport): string =>
  orders === undefined
    ? ''
    : Object.entries(orders)
        .map(([name, count]) => `${name} ${typeof count === 'number' ? count : JSON.stringify(count)}`)
        .join(', ')
