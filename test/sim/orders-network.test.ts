/**
 * The network of test/sim/network with an order book: people trade, and liars below a third of the power lie about orders in votes and
 * blocks. SEED and SIM_BLOCKS choose the run that takes the place of the fresh ones.
 */
import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { runSeed, type SeedReport } from './network/run-seed.ts'
import { describeOrders, describeRun, keptSeeds, runPrinted } from './network/session.ts'

const FRESH_SEEDS = 3
const BLOCKS = Number(process.env['SIM_BLOCKS'] ?? 10)
const MAX_SEED = 2 ** 31
const given = process.env['SEED']
const WITH_ORDERS = { hasOrders: true }

const fresh = given === undefined ? Array.from({ length: FRESH_SEEDS }, () => randomInt(1, MAX_SEED)) : [Number(given)]
// The seeds are printed before they run, for a run that hangs prints nothing at its end.
console.log(`seeds ${fresh.join(', ')} of ${BLOCKS} blocks with orders`)

describe('a network that trades', () => {
  it.each(fresh)('keeps every promise with seed %i', async (seed) => {
    const report = await runPrinted(seed, BLOCKS, WITH_ORDERS)
    console.log(describeRun(report), describeOrders(report))
    expect(report.height).toBeGreaterThan(3)
  })

  it('keeps every promise with the seeds that are kept, and meets what it is made for', async () => {
    const reports: SeedReport[] = []
    for (const { seed, blocks } of keptSeeds('orders')) {
      const report = await runPrinted(seed, blocks, WITH_ORDERS)
      console.log(describeRun(report), describeOrders(report))
      reports.push(report)
    }
    const sum = (of: (report: NonNullable<SeedReport['orders']>) => number): number =>
      reports.reduce((total, { orders }) => total + (orders === undefined ? 0 : of(orders)), 0)
    expect(sum(({ succeeded }) => succeeded)).toBeGreaterThan(60)
    expect(sum(({ stops }) => stops)).toBeGreaterThan(0)
    expect(sum(({ carried }) => carried)).toBeGreaterThan(0)
    expect(sum(({ ignored }) => ignored)).toBeGreaterThan(50)
    expect(sum(({ unreadVotes }) => unreadVotes)).toBeGreaterThan(5)
    expect(sum(({ certain }) => certain)).toBeGreaterThan(20)
    expect(sum(({ twoFaced }) => twoFaced)).toBeGreaterThan(10)
    // All pools at once, while orders were attested that no block had yet: so many blocks stop in a row.
    expect(sum(({ poolsLost }) => poolsLost)).toBeGreaterThan(0)
    expect(Math.max(...reports.map(({ orders }) => orders?.mostStops ?? 0))).toBeGreaterThan(3)
    expect(new Set(reports.flatMap(({ orders }) => Object.keys(orders?.batchLies ?? {}))).size).toBeGreaterThan(8)
    expect(reports.reduce((total, { rejected }) => total + rejected.invalid, 0)).toBeGreaterThan(20)
  })

  it('is the same run each time', async () => {
    const [one, other] = [await runSeed(1, 8, WITH_ORDERS), await runSeed(1, 8, WITH_ORDERS)]
    expect(other).toEqual(one)
  })
})
