/**
 * What one seed chooses before a run begins. Each kind of fault is missing from some runs and frequent in others: what
 * hides behind a frequent fault is found where that is missing (swarm testing, as TigerBeetle's VOPR does it).
 */
import { makeOrderPlan, type OrderPlan } from '../orders/plan.ts'
import type { Random } from '../random.ts'

export interface NodePlan {
  readonly name: string
  /** 0 follows without a vote. */
  readonly power: bigint
  readonly isLiar: boolean
  /** Its wall clock against the simulation's. */
  readonly skewMs: number
  /** Each look at its clock takes so long: a slow machine proposes less. */
  readonly lookMs: number
  readonly engine: 'interpreter' | 'reference'
  /** Heights that it keeps; 0 is all. */
  readonly keptHeights: number
}

export const SABOTAGES = [
  'disks that do not sync',
  'no journal',
  'every proposal is accepted',
  'signs twice',
  'a coin is lost',
] as const
export type Sabotage = (typeof SABOTAGES)[number]

export interface Plan {
  readonly seed: number
  readonly blocks: number
  readonly nodes: readonly NodePlan[]
  readonly extensionsFrom: number
  /** Blocks run full where it is low, and the base fee rises. */
  readonly blockGas: number
  /** What happens to messages between nodes. */
  readonly network: {
    readonly delayMinMs: number
    readonly delayMeanMs: number
    readonly lossPercent: number
    readonly duplicatePercent: number
    /** The chance of each link to be clogged in a second; a clogged one takes seconds. */
    readonly clogPercent: number
    /** The chance of the whole network in each second. */
    readonly partitionPercent: number
    readonly healPercent: number
  }
  /** The chances of each node in each second. */
  readonly crashes: {
    readonly killPercent: number
    readonly powerPercent: number
    /** The chance at a step of its next block, or in a write. */
    readonly stepPercent: number
    readonly diskPercent: number
    readonly restartPercent: number
  }
  /** The share of the occasions that a liar has. */
  readonly lies: {
    readonly proposalPercent: number
    readonly votePercent: number
    readonly extensionPercent: number
    readonly equivocationPercent: number
    readonly transactionPercent: number
  }
  /** The chance in each 100 ms. */
  readonly trafficPercent: number
  /** The timeout is above 0: a validator that is alone would let no time pass. */
  readonly timeoutCommitMs: number
  /** Undefined where nobody trades. */
  readonly orders: OrderPlan | undefined
  /** A fault that the rules must find: proof that they look. */
  readonly sabotage: Sabotage | undefined
  /** Blocks of the window in which a validator must sign half; jails those that are down. */
  readonly signedBlocksWindow: number
}

/** 0 in a third of the runs. */
const some = (random: Random, most: number): number => (random.chance(33) ? 0 : 1 + random.below(most))

/** Less than a third of the power together. */
const chooseLiars = (random: Random, powers: readonly bigint[]): readonly boolean[] => {
  const total = powers.reduce((sum, power) => sum + power, 0n)
  let lying = 0n
  return powers.map((power) => {
    if (!random.chance(60) || (lying + power) * 3n >= total) return false
    lying += power
    return true
  })
}

const makeNodes = (random: Random, hasOrders: boolean): readonly NodePlan[] => {
  // Who lies about orders needs others to lie to.
  const validators = random.pick(hasOrders ? [3, 4, 4, 5, 5, 7, 9] : [1, 3, 4, 4, 4, 5, 7])
  const isEven = random.chance(50)
  const powers = Array.from({ length: validators }, () => (isEven ? 10n : BigInt(1 + random.below(20))))
  const liars = random.chance(hasOrders ? 15 : 30) ? powers.map(() => false) : chooseLiars(random, powers)
  const followers = random.chance(30) ? 1 : 0
  const skewMs = some(random, 400)
  const reference = random.chance(10) ? random.below(validators) : -1
  return Array.from({ length: validators + followers }, (_, index) => ({
    name: index < validators ? `node${index}` : `follower${index}`,
    power: powers[index] ?? 0n,
    isLiar: liars[index] ?? false,
    skewMs: skewMs === 0 ? 0 : random.below(2 * skewMs) - skewMs,
    lookMs: random.chance(15) ? random.below(60) : 0,
    engine: index === reference ? 'reference' : 'interpreter',
    keptHeights: random.chance(25) ? 1 + random.below(20) : 0,
  }))
}

export const makePlan = (
  random: Random,
  seed: number,
  blocks: number,
  sabotage: Sabotage | undefined,
  ordersFrom: Random | undefined,
): Plan => {
  const nodes = makeNodes(random, ordersFrom !== undefined)
  const hasLiars = nodes.some(({ isLiar }) => isLiar)
  return {
    seed,
    blocks,
    nodes,
    blockGas: random.pick([3_000_000, 3_000_000, 1_000_000, 400_000]),
    extensionsFrom: ordersFrom?.pick([1, 1, 1, 2, 5]) ?? random.pick([1, 1, 1, 2, 5, 0]),
    network: {
      delayMinMs: random.below(10),
      delayMeanMs: 1 + random.below(80),
      lossPercent: some(random, 30),
      duplicatePercent: some(random, 30),
      clogPercent: some(random, 10),
      partitionPercent: some(random, 6),
      healPercent: 10 + random.below(60),
    },
    crashes: {
      killPercent: some(random, 4),
      powerPercent: some(random, 4),
      stepPercent: some(random, 8),
      diskPercent: random.chance(15) ? 1 : 0,
      restartPercent: 10 + random.below(80),
    },
    lies: {
      proposalPercent: some(random, 90),
      votePercent: some(random, 60),
      extensionPercent: some(random, 80),
      equivocationPercent: random.chance(40) ? 1 + random.below(10) : 0,
      transactionPercent: some(random, 40),
    },
    trafficPercent: 2 + random.below(40),
    sabotage,
    orders: ordersFrom && makeOrderPlan(ordersFrom),
    timeoutCommitMs: random.pick([10, 50, 200, 950]),
    // Honest validators in jail would leave a liar more than a third of the power.
    signedBlocksWindow: hasLiars || random.chance(60) ? 100_000 : 20 + random.below(100),
  }
}
