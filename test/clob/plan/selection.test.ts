/** What is attested under overload: property 12 of docs/clob-spec.md, and the rule once more, written from the document. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeAttestations, encodeAttestations } from '../../../modules/clob/plan/attestation-bytes.ts'
import { idOf } from '../../../modules/clob/plan/ids.ts'
import { type Candidate, selectAttestations, selectCandidates } from '../../../modules/clob/plan/select.ts'
import { chooseBodies } from '../../../modules/clob/plan/run-plan.ts'
import type { Random } from '../../sim/random.ts'
import { runs } from './runs.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const randomPool = (random: Random): readonly Candidate[] => {
  const owners = Array.from({ length: 1 + random.below(5) }, () => ({
    owner: random.bytes(20),
    hasPriority: random.chance(50),
  }))
  return Array.from({ length: random.below(60) }, () => {
    const { owner, hasPriority } = random.pick(owners)
    const phase = random.below(3) as Candidate['phase']
    return {
      hash: random.bytes(32),
      phase,
      weight: random.pick([1, 5, 20, 1 + random.below(300)]),
      bytes: 98 + random.below(random.pick([40, 3_998])),
      owner,
      ownerKey: hex(owner),
      nonceMs: random.below(12),
      hasPriority: phase === 0 && hasPriority && random.chance(80),
      firstSeenMs: 1_000_000 + random.below(400),
    }
  })
}

const randomContext = (random: Random) => ({
  salt: random.bytes(32),
  carried: [0, 1, 2].map(() =>
    random.chance(70)
      ? { bytes: 0, weight: 0 }
      : { bytes: random.below(random.pick([300, 6_000])), weight: random.below(random.pick([40, 1_200])) },
  ),
  timeOfHMs: 1_000_100,
  limits: {
    attestations: random.pick([0, 1, 3, 10, 25, 1_000]),
    bytes: random.pick([-5, 0, 400, 5_000, 20_000, 2_000_000]),
    weight: random.pick([0, 60, 1_000, 1_400, 2_500, 4_000, 40_000]),
  },
})

/** Selects as the document says, with one look at everything for each step. */
const slowSelection = (
  pool: readonly Candidate[],
  { salt, limits: block, carried }: ReturnType<typeof randomContext>,
): readonly string[] => {
  const before = (a: Candidate, b: Candidate): boolean =>
    a.nonceMs < b.nonceMs || (a.nonceMs === b.nonceMs && hex(a.hash) <= hex(b.hash))
  const keyOf = (candidate: Candidate): readonly (string | number)[] => {
    const own = pool.filter(
      (each) => each.phase === candidate.phase && hex(each.owner) === hex(candidate.owner) && before(each, candidate),
    )
    const round = Math.ceil(own.reduce((sum, { weight }) => sum + weight, 0) / 20)
    const owner = createHash('sha256').update(salt).update(candidate.owner).digest('hex')
    return [candidate.hasPriority ? 0 : 1, round, owner, candidate.nonceMs, hex(candidate.hash)]
  }
  const queues = [0, 1, 2].map((phase) =>
    pool
      .filter((each) => each.phase === phase)
      .map((candidate) => ({ candidate, key: keyOf(candidate) }))
      .sort((a, b) => {
        const at = a.key.findIndex((part, index) => part !== b.key[index])
        return at < 0 ? 0 : (a.key[at] as number) < (b.key[at] as number) ? -1 : 1
      })
      .map(({ candidate }) => candidate),
  )
  const limits = { ...block }
  for (const each of carried) for (const r of ['bytes', 'weight'] as const) limits[r] -= each[r]
  const wire = (length: number): number => length + (length < 128 ? 2 : 3)
  const use = (taken: readonly Candidate[]) => ({
    attestations: taken.length,
    bytes: taken.reduce((sum, { bytes }) => sum + wire(bytes), 0),
    weight: taken.reduce((sum, { weight }) => sum + weight, 0),
  })
  const resources = ['attestations', 'bytes', 'weight'] as const
  const taken = queues.map(() => 0)
  const all = (): readonly Candidate[] => queues.flatMap((queue, phase) => queue.slice(0, taken[phase]))
  const most = { bytes: 4_099, weight: 1_000 }
  const quota = (limit: number, phase: number): number => Math.floor(limit / (phase === 0 ? 2 : 4))
  const kept = (r: 'bytes' | 'weight', phase: number): number => {
    const quotaLeft = Math.max(0, quota(block[r], phase) - (carried[phase]?.[r] ?? 0))
    return Math.min(quotaLeft, most[r] * (queues[phase]?.length ?? 0))
  }
  /** Whether the plan takes all of these, whichever of a phase is the last. */
  const isPlanned = (counts: readonly number[]): boolean => {
    const chosen = queues.map((queue, phase) => queue.slice(0, counts[phase]))
    return chosen.every((ofPhase, phase) =>
      ofPhase.every((last) =>
        (['bytes', 'weight'] as const).every((r) => {
          const behind = [0, 1, 2].filter((other) => other > phase).reduce((sum, other) => sum + kept(r, other), 0)
          const before = use(chosen.slice(0, phase + 1).flat())[r] - use([last])[r]
          return before + most[r] + behind <= limits[r]
        }),
      ),
    )
  }
  const oneMore = (phase: number): readonly number[] => taken.map((count, each) => (each === phase ? count + 1 : count))
  for (const phase of [0, 1, 2]) {
    const queue = queues[phase] ?? []
    const fits = (count: number): boolean =>
      resources.every((r) => use(queue.slice(0, count))[r] <= quota(limits[r], phase)) && isPlanned(oneMore(phase))
    while ((taken[phase] ?? 0) < queue.length && fits((taken[phase] ?? 0) + 1)) taken[phase] = (taken[phase] ?? 0) + 1
  }
  for (const phase of [0, 1, 2]) {
    for (;;) {
      const next = queues[phase]?.[taken[phase] ?? 0]
      if (next === undefined || !resources.every((r) => use([...all(), next])[r] <= limits[r])) break
      if (!isPlanned(oneMore(phase))) break
      taken[phase] = (taken[phase] ?? 0) + 1
    }
  }
  return all().map(({ hash }) => hex(hash))
}

describe('12: under overload', () => {
  let cut = 0

  it(
    'the selection is the one that the document describes',
    runs(121, (random) => {
      const pool = randomPool(random)
      const context = randomContext(random)
      const selected = selectCandidates(pool, context).map(({ hash }) => hex(hash))
      expect(selected).toEqual(slowSelection(pool, context))
      if (selected.length > 0 && selected.length < pool.length) cut++
    }),
  )

  it(
    'the plan of the block takes all that equal pools attest, whenever each order came',
    runs(124, (random) => {
      const pool = randomPool(random)
      const context = { ...randomContext(random), carried: [0, 1, 2].map(() => ({ bytes: 0, weight: 0 })) }
      const { limits } = context
      const chosen = selectCandidates(pool, context)
      const list = chosen
        .map(({ hash, phase, bytes, weight }) => ({
          listed: { id: hex(hash), phase, salt: context.salt, age: 0, isWidelyAttested: true },
          body: { raw: new Uint8Array(bytes), hash, body: { phase, weight } as never },
          at: random.below(1_000),
        }))
        .toSorted((a, b) => a.listed.phase - b.listed.phase || a.at - b.at)
      const bodies = new Map(list.map(({ listed, body }) => [listed.id, body]))
      const planned = chooseBodies(
        list.map(({ listed }) => listed),
        ({ id }) => bodies.get(id),
        { shareBytes: limits.bytes, weight: limits.weight },
      )
      expect(planned.length).toBe(chosen.length)
    }),
  )

  it('had less room than orders often', () => {
    expect(cut).toBeGreaterThan(100)
  })

  it(
    'nodes with equal pools attest equal sets, whenever each order came, and in the one encoding',
    runs(122, (random) => {
      const pool = randomPool(random)
      const context = randomContext(random)
      const other = pool
        .map((each) => ({ ...each, firstSeenMs: each.firstSeenMs + random.below(90_000) - 45_000 }))
        .reverse()
      const [one, two] = [selectAttestations(pool, context), selectAttestations(other, context)]
      expect(new Map(two.map(({ id, phase }) => [id, phase]))).toEqual(new Map(one.map(({ id, phase }) => [id, phase])))
      expect(decodeAttestations(encodeAttestations(one))).toEqual(one)
      expect(decodeAttestations(encodeAttestations(two))).toEqual(two)
      for (const { hash, firstSeenMs } of other) {
        const said = two.find(({ id }) => id === idOf(context.salt, hash))
        if (said !== undefined) expect(said.dtMs).toBe(Math.max(-30_000, Math.min(30_000, firstSeenMs - 1_000_100)))
      }
    }),
  )

  it(
    'two owners who both wait for more differ by no more than 20 and one order in weight',
    runs(123, (random) => {
      const pool = randomPool(random).map((each) => ({ ...each, hasPriority: false }))
      const selected = new Set(selectCandidates(pool, randomContext(random)))
      for (const phase of [0, 1, 2]) {
        const byOwner = new Map<string, { weight: number; largest: number; isWaiting: boolean }>()
        for (const each of pool.filter((candidate) => candidate.phase === phase)) {
          const key = hex(each.owner)
          const { weight, largest, isWaiting } = byOwner.get(key) ?? { weight: 0, largest: 0, isWaiting: false }
          byOwner.set(key, {
            weight: weight + (selected.has(each) ? each.weight : 0),
            largest: Math.max(largest, each.weight),
            isWaiting: isWaiting || !selected.has(each),
          })
        }
        const waiting = [...byOwner.values()].filter(({ isWaiting }) => isWaiting)
        const largest = Math.max(0, ...waiting.map((each) => each.largest))
        const weights = waiting.map(({ weight }) => weight)
        expect(Math.max(0, ...weights) - Math.min(...weights, Math.max(0, ...weights))).toBeLessThanOrEqual(
          20 + largest,
        )
      }
    }),
  )
})
