/** What obligations and plan promise, on random votes: properties 7 to 11 of docs/reliability.md, The order book. */
import { describe, expect, it } from 'vitest'
import { encodeExtension } from '../../../app/attestations/envelope.ts'
import { bytesToKey } from '../../../core/bytes.ts'
import { proposalBytes } from '../../../core/proposal-bytes.ts'
import { decodeAttestations, encodeAttestations } from '../../../modules/clob/plan/attestation-bytes.ts'
import { attestationsThatFit, bridgeReserveBytes, capBytes, longestClobTx } from '../../../modules/clob/plan/caps.ts'
import { type Body, fits } from '../../../modules/clob/plan/ids.ts'
import { obligations } from '../../../modules/clob/plan/obligations.ts'
import { quotaOf } from '../../../modules/clob/plan/room.ts'
import { chooseBodies, runPlan } from '../../../modules/clob/plan/run-plan.ts'
import type { Attestation, ListedId } from '../../../modules/clob/plan/types.ts'
import type { Phase } from '../../../modules/clob/orders/clob-tx.ts'
import type { Random } from '../../sim/random.ts'
import { randomCase, votesOf } from './cases.ts'
import { fastAnswer, idText, toBody, toListed } from './fast.ts'
import { type NaiveBody, naiveId } from './naive.ts'
import { runs } from './runs.ts'

const shuffled = <Item>(random: Random, items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, at: random.below(2 ** 31) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)

const TIME_OF_H = 1_790_000_000_000

/** A height with honest validators and liars of less than a third of the power; `heard` are the votes that the proposer puts in. */
const randomHeight = (random: Random) => {
  const orders = Array.from({ length: 1 + random.below(6) }, () => ({
    id: bytesToKey(random.bytes(12)),
    phase: random.below(3) as Phase,
  }))
  const made = Array.from({ length: 4 + random.below(9) }, () => BigInt(1 + random.below(40)))
  const total = made.reduce((sum, power) => sum + power, 0n)
  let liars = 0n
  const validators = made.map((power) => {
    const isLiar = random.chance(40) && (liars + power) * 3n < total
    if (isLiar) liars += power
    const said = isLiar ? liesAbout(random, orders) : truthAbout(random, orders)
    return { power, isLiar, attestations: decodeAttestations(encodeAttestations(said)) ?? [] }
  })
  let heardPower = total
  const heard = validators.filter(({ power }) => {
    const isDropped = random.chance(50) && (heardPower - power) * 3n > total * 2n
    if (isDropped) heardPower -= power
    return !isDropped
  })
  const salt = random.bytes(32)
  return { orders, validators, heard, total, context: { totalPower: total, timeOfHMs: TIME_OF_H, bucketMs: 10, salt } }
}

const truthAbout = (random: Random, orders: readonly Pick<Attestation, 'id' | 'phase'>[]): readonly Attestation[] =>
  orders.filter(() => random.chance(85)).map((order) => ({ ...order, dtMs: random.below(300) - 200 }))

const liesAbout = (random: Random, orders: readonly Pick<Attestation, 'id' | 'phase'>[]): readonly Attestation[] =>
  [...orders, { id: bytesToKey(new Uint8Array(12)), phase: 0 as Phase }]
    .filter(() => random.chance(70))
    .map(({ id, phase }) => ({
      id,
      phase: random.chance(50) ? phase : (random.below(3) as Phase),
      dtMs: random.pick([-30_000, 30_000, random.below(60_001) - 30_000]),
    }))

const sum = (list: readonly { readonly power: bigint }[]): bigint => list.reduce((all, { power }) => all + power, 0n)

describe('7: what is obligated', () => {
  it(
    'does not depend on the order in which votes arrive',
    runs(71, (random) => {
      const given = randomCase(random)
      expect(fastAnswer({ ...given, votes: shuffled(random, given.votes) })).toEqual(fastAnswer(given))
    }),
  )

  it(
    'holds every order that all honest hold but few, whatever votes are dropped',
    runs(72, (random) => {
      const { orders, validators, heard, total, context } = randomHeight(random)
      const found = obligations(heard, context)
      for (const { id, phase } of orders) {
        const against = validators.filter((each) => each.isLiar || each.attestations.every((said) => said.id !== id))
        if (sum(against) * 3n >= total) continue
        expect(found.filter((each) => each.id === id)).toMatchObject([{ phase }])
      }
    }),
  )

  it(
    'is never reordered by stops, but for what is dropped',
    runs(73, (random) => {
      let carried: readonly ListedId[] = []
      const listed: string[] = []
      const executed: string[] = []
      const limits = { shareBytes: 2_000_000, weight: 40_000 }
      for (let height = 0; height < 8; height++) {
        const salt = Buffer.from(random.bytes(32)).toString('hex')
        const fresh = Array.from({ length: random.below(5) }, () => {
          const body = { hash: Buffer.from(random.bytes(32)).toString('hex'), length: 150, weight: 1 }
          return { body, id: naiveId(salt, body.hash), phase: random.below(3), salt, age: 0, isWide: true }
        }).sort((a, b) => a.phase - b.phase)
        for (const { id, body } of fresh) known.set(id, body)
        listed.push(...fresh.map(({ id }) => id))
        const list: readonly ListedId[] = [...carried, ...fresh.map(toListed)]
        const stopAt = random.chance(60) ? random.below(list.length + 1) : list.length
        const block = list.slice(0, stopAt).map(({ id }) => toBody(known.get(idText(id)) ?? NO_BODY))
        const plan = runPlan(list, block, () => undefined, limits)
        if ('fault' in plan) throw new Error(plan.fault)
        executed.push(...plan.taken.map((each) => idText(each.listed.id)))
        const left = list.filter(({ id }) => !plan.taken.some((each) => each.listed.id === id))
        // What is gone was listed by four blocks.
        expect(left.filter((each) => each.age < 3).map(({ id }) => id)).toEqual(plan.carried.map(({ id }) => id))
        carried = plan.carried
      }
      const places = executed.map((id) => listed.indexOf(id))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
    }),
  )
})

const known = new Map<string, { readonly hash: string; readonly length: number; readonly weight: number }>()
const NO_BODY = { hash: '00'.repeat(32), length: 1, weight: null }

describe('8: with liars below a third', () => {
  it(
    'no obligation is made up, none has two phases, and no time is outside of the honest ones',
    runs(81, (random) => {
      const { heard, total, context } = randomHeight(random)
      const found = obligations(heard, context)
      expect(new Set(found.map(({ id }) => id)).size).toBe(found.length)
      for (const { id, phase, timeMs } of found) {
        const honest = heard.flatMap(({ power, isLiar, attestations }) =>
          isLiar ? [] : attestations.filter((said) => said.id === id).map((said) => ({ ...said, power })),
        )
        expect(honest.map((said) => said.phase)).toContain(phase)
        const times = honest.map(({ dtMs }) => TIME_OF_H + dtMs)
        expect(timeMs).toBeGreaterThanOrEqual(Math.min(...times))
        if (sum(honest) * 3n > total) expect(timeMs).toBeLessThanOrEqual(Math.max(...times))
      }
    }),
  )
})

const bodiesOf = (bodies: readonly NaiveBody[]) => {
  const made = bodies.map(toBody)
  return (listed: ListedId): Body | undefined => made.find((body) => fits(body, listed))
}

describe('9: what an honest node proposes', () => {
  const met = { stops: 0, whole: 0, byVotes: 0 }

  it(
    'is accepted by every other one, whatever its pool lacks and the votes bring',
    runs(91, (random) => {
      const given = randomCase(random, 20)
      const { obligations: found } = fastAnswer(given)
      const salted = found.map(({ id, phase, isWide }) => toListed({ id, phase, isWide, salt: given.salt, age: 0 }))
      const list = [...given.carried.map(toListed), ...salted]
      const injected = bodiesOf(given.injected)
      const pool = bodiesOf(given.block.filter(() => random.chance(80)))
      const limits = { shareBytes: given.shareBytes, weight: given.weight }
      const proposed = chooseBodies(list, (listed) => pool(listed) ?? injected(listed), limits)
      const plan = runPlan(list, proposed, injected, limits)
      if ('fault' in plan) throw new Error(plan.fault)
      expect(plan.taken.map(({ body }) => body)).toEqual(proposed)
      met[plan.missing === undefined ? 'whole' : 'stops']++
      if (list.some((listed) => pool(listed) === undefined && injected(listed) !== undefined)) met.byVotes++
    }),
  )

  it('stopped, was whole, and took from the votes', () => {
    for (const [what, count] of Object.entries(met)) expect(count, what).toBeGreaterThan(20)
  })
})

describe('10: an extension', () => {
  it(
    'stays within its cap with as many attestations as fit',
    runs(101, (random) => {
      // A large one now and then: most of what can go wrong is at the edges of few.
      const cap = capBytes(512 * 1024, random.chance(1) ? 4 : random.pick([100, 120, 200, 256, 1_000]))
      const lengths = Array.from({ length: random.below(4) }, () => 1 + random.below(longestClobTx(cap)))
      const bodyBytes = lengths.reduce((all, length) => all + proposalBytes(length), 0)
      const most = attestationsThatFit(cap, bodyBytes)
      const spread = random.pick([1, 300, 20_000, 60_001])
      const list = Array.from({ length: most }, (_, at): Attestation => {
        const id = new Uint8Array(12)
        new DataView(id.buffer).setUint32(0, at)
        return {
          phase: random.below(3) as Phase,
          id: bytesToKey(id),
          dtMs: random.chance(1) ? 30_000 : random.below(spread) - Math.floor(spread / 2),
        }
      })
      const bodies = most === 0 ? [] : lengths.map((length) => new Uint8Array(length))
      const extension = encodeExtension({
        attestations: encodeAttestations(list),
        bodies,
        bridge: [],
        bridgeContents: [],
        bridgeSignatures: [],
      })
      expect(extension.length + bridgeReserveBytes(cap)).toBeLessThanOrEqual(cap)
      expect(decodeAttestations(encodeAttestations(list))).toHaveLength(most)
    }),
  )
})

describe('11: a block', () => {
  it(
    'stays within bytes and weight, and a phase with ids enough gets its quota less one largest order',
    runs(111, (random) => {
      const given = randomCase(random, 40)
      const found = obligations(
        votesOf(given).map(({ power, attestations }) => ({
          power,
          attestations: decodeAttestations(attestations) ?? [],
        })),
        { ...given, totalPower: BigInt(given.totalPower), salt: Buffer.from(given.salt, 'hex') },
      )
      const list = [...given.carried.map(toListed), ...found]
      // Everybody has some body for each id: what it says does not matter here, but it must be the one of the id.
      const body = () =>
        toBody({ hash: '00'.repeat(32), length: 1 + random.below(4_096), weight: 1 + random.below(1_000) })
      const bodies = new Map(list.map(({ id }) => [id, body()]))
      const { shareBytes, weight } = given
      const chosen = new Set(chooseBodies(list, ({ id }) => bodies.get(id), { shareBytes, weight }))
      const own = list.map(({ id, phase }) => ({ phase, body: bodies.get(id), bytes: 0, weight: 0 }))
      for (const each of own) {
        each.bytes = proposalBytes(each.body?.raw.length ?? 0)
        each.weight = each.body?.body?.weight ?? 0
      }
      const isTaken = ({ body: each }: (typeof own)[number]): boolean => chosen.has(each as never)
      for (const [limit, most, use] of [
        [shareBytes, 4_099, 'bytes'],
        [weight, 1_000, 'weight'],
      ] as const) {
        const all = own.filter(isTaken).reduce((used, each) => used + each[use], 0)
        expect(all).toBeLessThanOrEqual(limit)
        for (const phase of [0, 1, 2] as const) {
          const ofPhase = own.filter((each) => each.phase === phase)
          const used = ofPhase.filter(isTaken).reduce((so, each) => so + each[use], 0)
          short[use] += used + most <= quotaOf(limit, phase) ? 1 : 0
          if (ofPhase.every(isTaken)) continue
          closed++
          const other = use === 'bytes' ? 'weight' : 'bytes'
          const otherLimit = use === 'bytes' ? weight : shareBytes
          const usedOther = ofPhase.filter(isTaken).reduce((so, each) => so + each[other], 0)
          const otherMost = use === 'bytes' ? 1_000 : 4_099
          // It closed for one of the two.
          expect(used + most > quotaOf(limit, phase) || usedOther + otherMost > quotaOf(otherLimit, phase)).toBe(true)
        }
      }
    }),
  )

  it('closed often', () => {
    expect(closed).toBeGreaterThan(100)
    expect(short.bytes).toBeGreaterThan(0)
  })
})

let closed = 0
const short = { bytes: 0, weight: 0 }
