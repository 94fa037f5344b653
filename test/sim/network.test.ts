/**
 * The network of test/sim/network: the seeds that are kept, a few fresh ones each time, and proof that the rules look. SEED and
 * SIM_BLOCKS choose the one that takes the place of the fresh ones.
 */
import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SABOTAGES, type Sabotage } from './network/plan.ts'
import { runSeed, type SeedReport } from './network/run-seed.ts'
import { describeRun, keptSeeds, runPrinted } from './network/session.ts'

const FRESH_SEEDS = 3
const BLOCKS = Number(process.env['SIM_BLOCKS'] ?? 40)
const MAX_SEED = 2 ** 31
const given = process.env['SEED']

const fresh = given === undefined ? Array.from({ length: FRESH_SEEDS }, () => randomInt(1, MAX_SEED)) : [Number(given)]
// The seeds are printed before they run, for a run that hangs prints nothing at its end.
console.log(`seeds ${fresh.join(', ')} of ${BLOCKS} blocks`)

describe('a network from one seed', () => {
  it.each(fresh)('keeps every promise with seed %i', async (seed) => {
    const report = await runPrinted(seed, BLOCKS)
    console.log(describeRun(report))
    expect(report.height).toBeGreaterThan(3)
  })

  it('keeps every promise with the seeds that are kept, and meets what it is made for', async () => {
    const reports: SeedReport[] = []
    for (const { seed, blocks } of keptSeeds()) reports.push(await runPrinted(seed, blocks))
    const sum = (of: (report: SeedReport) => number): number => reports.reduce((total, report) => total + of(report), 0)
    expect(sum(({ crashes }) => crashes.kill)).toBeGreaterThan(5)
    expect(sum(({ crashes }) => crashes.power)).toBeGreaterThan(5)
    expect(sum(({ crashes }) => crashes.step)).toBeGreaterThan(5)
    expect(sum(({ rejected }) => rejected.invalid)).toBeGreaterThan(20)
    expect(sum(({ accepted }) => accepted.honest)).toBeGreaterThan(100)
    expect(sum(({ partitions }) => partitions)).toBeGreaterThan(0)
    expect(sum(({ roundsAboveZero }) => roundsAboveZero)).toBeGreaterThan(10)
    expect(sum(({ caughtUp }) => caughtUp)).toBeGreaterThan(10)
    expect(sum(({ lost }) => lost)).toBeGreaterThan(100)
    expect(sum(({ evidence }) => evidence)).toBeGreaterThan(0)
    expect(sum(({ transactions }) => transactions)).toBeGreaterThan(100)
  })

  it('is the same run each time', async () => {
    const [one, other] = [await runSeed(1, 12), await runSeed(1, 12)]
    expect(other).toEqual(one)
    expect((await runSeed(3, 12)).trace).not.toBe(one.trace)
  })
})

describe('the rules find', () => {
  const rules: Readonly<Record<Sabotage, RegExp>> = {
    'disks that do not sync': /^a synced commit is never lost/,
    'no journal': /^what was answered is in a block/,
    'every proposal is accepted': /^no honest node accepts an invalid proposal/,
    'signs twice': /^an honest validator signs one thing/,
    'a coin is lost': /^the supply is the sum of all balances/,
  }
  it.each(SABOTAGES)('%s', async (sabotage) => {
    // Not every run gives every fault its occasion.
    for (const seed of [10, 9, 6, 1, 17, 19]) {
      const found = await runSeed(seed, 20, { sabotage }).catch((error: unknown) => error)
      if (found instanceof Error) return expect(found.message).toMatch(rules[sabotage])
    }
    return expect.unreachable('no run has found it')
  })
})
