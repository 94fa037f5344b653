/** What one seed chooses of the order book before a run begins: traffic, lies about orders, parameters. */
import type { ClobParameters } from '../../../modules/clob/index.ts'
import type { Random } from '../random.ts'

export interface OrderPlan {
  readonly traders: number
  /** The chance in each 100 ms. */
  readonly trafficPercent: number
  /** Orders that come at once, at most. */
  readonly burst: number
  /** The share of orders that are given to few nodes, which tell nobody. */
  readonly hiddenPercent: number
  /** The chance in each 100 ms of many orders of owners without funds. */
  readonly floodPercent: number
  readonly lies: {
    /** The share of the votes of liars. */
    readonly extensionPercent: number
    /** The share of the blocks of liars. */
    readonly batchPercent: number
  }
  /** The share of validators whose signatures only ZIP-215 takes. */
  readonly torsionedPercent: number
  /** The chance in each second that all pools are lost at once. */
  readonly lossPercent: number
  readonly parameters: Partial<ClobParameters>
  /**
   * The share of the votes of liars that are signed for one half of the nodes with one extension, for the other half
   * with another.
   */
  readonly twoFacedPercent: number
}

/** A number, which is 0 in some runs. */
const some = (random: Random, limit: number): number => (random.chance(40) ? 0 : 1 + random.below(limit))

const often = (random: Random): number => (random.chance(25) ? 0 : 20 + random.below(80))

export const makeOrderPlan = (random: Random): OrderPlan => ({
  traders: 3 + random.below(8),
  trafficPercent: 20 + random.below(80),
  burst: random.pick([1, 2, 4, 10]),
  hiddenPercent: some(random, 25),
  floodPercent: random.chance(30) ? 1 + random.below(5) : 0,
  lies: { extensionPercent: often(random), batchPercent: often(random) },
  torsionedPercent: random.chance(20) ? 50 : 0,
  // A storm of twenty blocks takes some ten seconds: with less a soak of an hour may never see it.
  lossPercent: random.chance(25) ? 5 * (1 + random.below(4)) : 0,
  parameters: {
    minAgeMs: random.pick([50, 50, 0, 200]),
    bucketMs: random.pick([10, 10, 1, 100]),
    blockWeight: random.pick([40_000, 40_000, 4_000]),
    extensionBudgetBytes: random.pick([512 * 1_024, 64 * 1_024, 1_024 * 1_024]),
    maxActions: random.pick([400, 50]),
    maxOpenOrders: random.pick([500, 8]),
    maxRemovals: random.pick([2_000, 1]),
  },
  // The last draw: those before it are what they were.
  twoFacedPercent: random.chance(40) ? 20 + random.below(60) : 0,
})
