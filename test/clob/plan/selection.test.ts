/** What is attested under overload: property 12 of docs/clob-spec.md, and the rule once more, written from the document. */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeAttestations, encodeAttestations } from '../../../modules/clob/plan/attestation-bytes.ts'
import { idOf } from '../../../modules/clob/plan/ids.ts'
import { type Candidate, selectAttestations, selectCandidates } from '../../../modules/clob/plan/select.ts'
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
  timeOfHMs: 1_000_100,
  limits: {
    attestations: random.pick([0, 1, 3, 10, 25, 1_000]),
    bytes: random.pick([-5, 0, 400, 5_000, 20_000, 2_000_000]),
    weight: random.pick([0, 60, 400, 2_000, 40_000]),
  },
})

/** Selects as the document says, with one look at everything for each step. */
const slowSelection = (
  pool: readonly Candidate[],
  { salt, limits }: ReturnType<typeof randomContext>,
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
  const wire = (length: number): number => length + (length < 128 ? 2 : 3)
  const use = (taken: readonly Candidate[]) => ({
    attestations: taken.length,
    bytes: taken.reduce((sum, { bytes }) => sum + wire(bytes), 0),
    weight: taken.reduce((sum, { weight }) => sum + weight, 0),
  })
  const resources = ['attestations', 'bytes', 'weight'] as const
  const taken = queues.map(() => 0)
  const all = (): readonly Candidate[] => queues.flatMap((queue, phase) => queue.slice(0, taken[phase]))
  for (const phase of [0, 1, 2]) {
    const queue = queues[phase] ?? []
    const fits = (count: number): boolean =>
      resources.every((r) => use(queue.slice(0, count))[r] <= Math.floor(limits[r] / (phase === 0 ? 2 : 4)))
    while ((taken[phase] ?? 0) < queue.length && fits((taken[phase] ?? 0) + 1)) taken[phase] = (taken[phase] ?? 0) + 1
  }
  for (const phase of [0, 1, 2]) {
    for (;;) {
      const next = queues[phase]?.[taken[phase] ?? 0]
      if (next === undefined || !resources.every((r) => use([...all(), next])[r] <= limits[r])) break
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
