/** Random inputs of obligations and plan, in a form that fits into JSON: for tests against the slow model, and for the vectors. */
import { bytesToUnprefixedHex as hex } from '../../../core/bytes.ts'
import type { Random } from '../../sim/random.ts'
import { type NaiveBody, type NaiveId, naiveEncode, naiveId, naiveObligations, naivePlan } from './naive.ts'

export interface PlanCase {
  readonly votes: readonly { readonly power: string; readonly attestations: string }[]
  readonly totalPower: string
  readonly timeOfHMs: number
  readonly bucketMs: number
  /** Hash of block H. */
  readonly salt: string
  /** The carried ids before the block, oldest first. */
  readonly carried: readonly NaiveId[]
  readonly shareBytes: number
  readonly weight: number
  /** Orders of the block. */
  readonly block: readonly NaiveBody[]
  /** Bodies in its vote extensions. */
  readonly injected: readonly NaiveBody[]
}

export interface PlanAnswer {
  readonly obligations: readonly {
    readonly id: string
    readonly phase: number
    readonly timeMs: number
    readonly isWide: boolean
  }[]
  readonly isValid: boolean
  readonly taken: readonly string[]
  readonly missing: string | null
  readonly carried: readonly NaiveId[]
}

/** What the slow model makes of a case. */
export const answer = (given: PlanCase): PlanAnswer => {
  const obligations = naiveObligations(votesOf(given), {
    total: BigInt(given.totalPower),
    timeOfH: given.timeOfHMs,
    bucket: given.bucketMs,
    salt: given.salt,
  })
  const plan = naivePlan([...given.carried, ...obligations], given.block, given.injected, {
    bytes: given.shareBytes,
    weight: given.weight,
  })
  return {
    obligations: obligations.map(({ id, phase, time, isWide }) => ({ id, phase, timeMs: time, isWide })),
    isValid: plan !== undefined,
    taken: plan?.taken ?? [],
    missing: plan?.missing?.id ?? null,
    carried: (plan?.carried ?? []).map(({ id, phase, salt, age, isWide }) => ({ id, phase, salt, age, isWide })),
  }
}

export const votesOf = ({ votes }: Pick<PlanCase, 'votes'>) =>
  votes.map(({ power, attestations }) => ({ power: BigInt(power), attestations: Buffer.from(attestations, 'hex') }))

interface Order extends NaiveBody {
  readonly phase: number
}

const POWERS = [(): bigint => 1n, (random: Random) => BigInt(1 + random.below(20)), hugePower]

function hugePower(random: Random): bigint {
  return 2n ** 52n + BigInt(random.below(5)) + 2n ** BigInt(random.below(54))
}

const randomOrder = (random: Random): Order => ({
  hash: hex(random.bytes(32)),
  length: random.pick([98, 99, 127, 128, 300, 4_096, 1 + random.below(4_096)]),
  weight: random.chance(4) ? null : random.pick([1, 20, 999, 1_000, 1 + random.below(1_000)]),
  phase: random.below(3),
})

const orders = (random: Random, most: number): readonly Order[] =>
  Array.from({ length: random.below(most + 1) }, () => randomOrder(random))

/** Mostly what an honest validator says of the orders, and now and then what a liar says. */
const randomVote = (random: Random, known: readonly Order[], salt: string): Uint8Array => {
  const isLiar = random.chance(25)
  const spreadMs = random.pick([1, 30, 400, 60_001])
  const said = known
    .filter(() => random.chance(80))
    .map(({ hash, phase }) => ({
      id: naiveId(salt, hash),
      phase: isLiar && random.chance(30) ? random.below(3) : phase,
      dt: Math.max(-30_000, Math.min(30_000, random.below(spreadMs) - random.below(spreadMs))),
    }))
  if (isLiar)
    for (let made = random.below(4); made > 0; made--)
      said.push({ id: hex(random.bytes(12)), phase: random.below(3), dt: 0 })
  const bytes = naiveEncode(said)
  if (!random.chance(6) || bytes.length === 0) return bytes
  bytes[random.below(bytes.length)] = random.below(256)
  return bytes
}

/** Carried for one to three blocks, each under a salt of its own. */
const randomCarried = (random: Random): { readonly ids: readonly NaiveId[]; readonly orders: readonly Order[] } => {
  const ids: NaiveId[] = []
  const all: Order[] = []
  for (const age of [3, 2, 1]) {
    if (!random.chance(40)) continue
    const salt = hex(random.bytes(32))
    for (const order of [...orders(random, 8)].sort((a, b) => a.phase - b.phase)) {
      ids.push({ id: naiveId(salt, order.hash), phase: order.phase, salt, age, isWide: random.chance(60) })
      all.push(order)
    }
  }
  return { ids, orders: all }
}

/** The orders of a proposer that has nearly all of them; now and then of one that cheats. */
const randomBlock = (
  random: Random,
  list: readonly NaiveId[],
  known: readonly Order[],
  given: PlanCase,
): NaiveBody[] => {
  const has = random.pick([100, 100, 98, 90, 50])
  const block: NaiveBody[] = []
  const limits = { bytes: given.shareBytes, weight: given.weight }
  for (;;) {
    const plan = naivePlan(list, block, [], limits)
    const missing = plan?.missing
    const body =
      missing && known.find((order) => order.weight !== null && naiveId(missing.salt, order.hash) === missing.id)
    if (body === undefined || (!random.chance(has) && !given.injected.includes(body))) break
    block.push(body)
  }
  if (!random.chance(15)) return block
  const place = random.below(block.length + 1)
  const cheats: readonly (() => unknown)[] = [
    () => block.splice(place, 1),
    () => block.splice(place, 0, randomOrder(random)),
    () => block.push(random.pick([...known, randomOrder(random)])),
    () => block.reverse(),
    () => block.splice(place, 1, ...block.slice(place, place + 1).map((body) => ({ ...body, weight: null }))),
  ]
  random.pick(cheats)()
  return block
}

/** `most` orders of the height and a few carried ones; its limits are mostly so small that phases close. */
export const randomCase = (random: Random, most = 14): PlanCase => {
  const salt = hex(random.bytes(32))
  const known = orders(random, most)
  const carried = randomCarried(random)
  const all = [...known, ...carried.orders]
  const powerOf = random.pick(POWERS)
  const validators = Array.from({ length: 1 + random.below(7) }, () => powerOf(random))
  const votes = validators.map((power) => ({
    power: `${power}`,
    attestations: random.chance(12) ? '' : hex(randomVote(random, known, salt)),
  }))
  const given: PlanCase = {
    votes,
    totalPower: `${validators.reduce((sum, power) => sum + power, random.chance(20) ? powerOf(random) : 0n)}`,
    timeOfHMs: 1_790_000_000_000 + random.below(1_000),
    bucketMs: random.pick([1, 10, 250]),
    salt,
    carried: carried.ids,
    shareBytes: random.pick([0, 4_098, 4_099, 8_200, 20_000, 30_000, 60_000, 2_097_152]),
    weight: random.pick([4_000, 5_000, 10_000, 40_000]),
    block: [],
    injected: all.filter(() => random.chance(15)),
  }
  const obligations = naiveObligations(votesOf(given), {
    total: BigInt(given.totalPower),
    timeOfH: given.timeOfHMs,
    bucket: given.bucketMs,
    salt,
  })
  const plain = ({ hash, length, weight }: NaiveBody): NaiveBody => ({ hash, length, weight })
  const block = randomBlock(random, [...given.carried, ...obligations], all, given).map(plain)
  return { ...given, injected: given.injected.map(plain), block }
}
