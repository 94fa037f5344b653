import { describe, expect, it } from 'vitest'
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import { Random } from '../../../test/sim/random.ts'
import type { AttestedVote, VoteExtension } from '../../attestations.ts'
import type { ClobBody, Phase } from '../orders/clob-tx.ts'
import { encodeAttestations } from './attestation-bytes.ts'
import { countStop, listOfBlock, planOfBlock, type PlanInput, proposeOrders } from './block.ts'
import { capBytes, shareBytes } from './caps.ts'
import { type Body, idOf } from './ids.ts'
import type { Attestation, ListedId } from './types.ts'

const random = new Random(17)
const SALT = random.bytes(32)
const TIME_OF_H = 1_790_000_000_000
const INJECTED = Uint8Array.of(0x71, 1)
const TRANSFER = Uint8Array.of(2, 1)

const makeRaw = (length = 150): Uint8Array => {
  const raw = random.bytes(length)
  raw[0] = 0x70
  return raw
}
let reads = 0
const readBody = (raw: Uint8Array): Body => {
  reads++
  const hash = sha256(raw)
  // What no order says: its second byte is odd.
  const body = (raw[1] ?? 1) % 2 === 1 ? undefined : ({ raw, hash, phase: 0, weight: 1 } as unknown as ClobBody)
  return { raw, hash, body }
}
const makeOrder = (phase: Phase, dtMs: number) => {
  const raw = makeRaw()
  raw[1] = 2
  return { raw, said: { phase, id: idOf(SALT, sha256(raw)), dtMs } }
}

const vote = (said: readonly Attestation[], bodies: readonly Uint8Array[] = []): AttestedVote =>
  voteOf({ attestations: encodeAttestations(said), bodies, bridge: [], bridgeContents: [], bridgeSignatures: [] })
const voteOf = (extension: VoteExtension | undefined, isSigned = true): AttestedVote => ({
  validatorAddress: new Uint8Array(20),
  power: 10n,
  flag: 'commit',
  isSigned,
  extension,
})

const input = (votes: readonly AttestedVote[], carried: readonly ListedId[] = []): PlanInput => ({
  attestations: { height: 8, votes, totalPower: 40n },
  carried,
  timeOfHMs: TIME_OF_H,
  salt: SALT,
  parameters: { bucketMs: 10, blockWeight: 40_000 },
  capBytes: capBytes(524_288, 4),
  validators: 4,
  readBody,
})

const [cancel, post, taker] = [makeOrder(0, 9), makeOrder(1, 5), makeOrder(2, -5)]
const all = [taker, cancel, post].map(({ said }) => said)
const whole = [INJECTED, cancel.raw, post.raw, taker.raw, TRANSFER]
const three = [vote(all), vote(all), vote(all)]

describe('the plan of a block', () => {
  it('takes every obligation, in canonical order', () => {
    const plan = planOfBlock(input(three), whole)
    expect(plan).toMatchObject({ missing: undefined, carried: [] })
    expect(plan.summary).toEqual({ attested: 3, obligated: 3, skipped: 0, malformed: 0, carried: 0 })
    if ('taken' in plan) expect(plan.taken.map(({ body }) => body.raw)).toEqual([cancel.raw, post.raw, taker.raw])
  })

  it('is what a proposer proposes, from its pool and from the votes', () => {
    const given = input([vote(all, [taker.raw]), vote(all), vote(all)])
    const pool = [cancel, post].map(({ raw }) => readBody(raw))
    const find = ({ id }: ListedId) => pool.find(({ hash }) => idOf(SALT, hash) === id)
    const chosen = proposeOrders(listOfBlock(given), find).map(({ raw }) => raw)
    expect(chosen).toEqual([cancel.raw, post.raw, taker.raw])
    expect(planOfBlock(given, [INJECTED, ...chosen])).toMatchObject({ missing: undefined })
  })

  it('may stop where nobody has shown the body, and carries the rest before what comes next', () => {
    const stopped = planOfBlock(input(three), [INJECTED, cancel.raw, TRANSFER])
    if ('fault' in stopped) expect.unreachable(stopped.fault)
    const ids = [post, taker].map(({ said }) => said.id)
    expect(stopped.missing).toMatchObject({ id: ids[0], isWidelyAttested: true })
    expect(stopped.carried.map(({ id, age }) => [id, age])).toEqual(ids.map((id) => [id, 1]))
    expect(stopped.summary).toMatchObject({ carried: 2 })
    const next = makeOrder(0, 0)
    const later = input([vote([next.said]), vote([next.said])], stopped.carried)
    expect(planOfBlock(later, [INJECTED, post.raw, taker.raw, next.raw])).toMatchObject({ missing: undefined })
    expect(planOfBlock(later, [INJECTED, next.raw, post.raw, taker.raw])).toHaveProperty('fault')
  })

  it('drops what was carried for three blocks', () => {
    let carried: readonly ListedId[] = []
    const ages: (readonly number[])[] = []
    for (const votes of [three, [vote([])], [vote([])], [vote([])]]) {
      const plan = planOfBlock(input(votes, carried), [INJECTED])
      carried = 'fault' in plan ? [] : plan.carried
      ages.push(carried.map(({ age }) => age))
    }
    expect(ages).toEqual([[1, 1, 1], [2, 2, 2], [3, 3, 3], []])
  })

  const faults: Readonly<Record<string, () => ReturnType<typeof planOfBlock>>> = {
    'that leaves out an order whose body its votes hold': () =>
      planOfBlock(input([vote(all, [post.raw]), vote(all)]), [INJECTED, cancel.raw]),
    'that skips an order': () => planOfBlock(input(three), [INJECTED, cancel.raw, taker.raw]),
    'with an order that nobody attests': () => planOfBlock(input(three), [...whole.slice(0, 4), makeOrder(2, 0).raw]),
    'with an order twice': () => planOfBlock(input(three), [...whole.slice(0, 4), taker.raw]),
    'with an order behind another transaction': () =>
      planOfBlock(input(three), [INJECTED, cancel.raw, TRANSFER, post.raw, taker.raw]),
    'with an order before its votes': () => planOfBlock(input(three), [cancel.raw, INJECTED, post.raw, taker.raw]),
    'with orders and no votes': () => planOfBlock({ ...input([]), attestations: undefined }, [cancel.raw]),
    'with an order that is not statically valid': () => {
      const raw = makeRaw()
      raw[1] = 3
      const said = [{ phase: 0 as const, id: idOf(SALT, sha256(raw)), dtMs: 0 }]
      return planOfBlock(input([vote(said), vote(said)]), [INJECTED, raw])
    },
  }
  it.each(Object.entries(faults))('refuses a block %s', (_, judge) => {
    expect(judge()).toHaveProperty('fault')
    expect(judge().summary.carried).toBe(0)
  })

  it('carries nothing where no votes are injected', () => {
    const { carried } = planOfBlock(input(three), [INJECTED]) as { readonly carried: readonly ListedId[] }
    expect(carried).toHaveLength(3)
    const without = { ...input([], carried), attestations: undefined }
    expect(planOfBlock(without, [TRANSFER])).toMatchObject({ taken: [], missing: undefined, carried: [] })
  })

  it('never decodes more than the first order that does not fit', () => {
    const junk = Array.from({ length: 10_000 }, () => Uint8Array.of(0x70))
    reads = 0
    expect(planOfBlock(input(three), [INJECTED, ...junk])).toHaveProperty('fault')
    expect(reads).toBe(1)
  })

  it('does not take a body for there that is not statically valid', () => {
    const raw = makeRaw()
    raw[1] = 3
    const said = [{ phase: 0 as const, id: idOf(SALT, sha256(raw)), dtMs: 0 }]
    expect(planOfBlock(input([vote(said, [raw]), vote(said)]), [INJECTED])).toMatchObject({
      missing: { id: said[0]?.id },
    })
  })
})

describe('votes', () => {
  const malformed: Readonly<Record<string, VoteExtension>> = {
    'three empty phases': {
      attestations: new Uint8Array(3),
      bodies: [post.raw],
      bridge: [],
      bridgeContents: [],
      bridgeSignatures: [],
    },
    'an id in two phases': {
      attestations: encodeAttestations([post.said, { ...post.said, phase: 2 }]),
      bodies: [post.raw],
      bridge: [],
      bridgeContents: [],
      bridgeSignatures: [],
    },
    'an empty body': {
      attestations: encodeAttestations(all),
      bodies: [EMPTY_BYTES, post.raw],
      bridge: [],
      bridgeContents: [],
      bridgeSignatures: [],
    },
    'a body of 4,097 bytes': {
      attestations: encodeAttestations(all),
      bodies: [makeRaw(4_097), post.raw],
      bridge: [],
      bridgeContents: [],
      bridgeSignatures: [],
    },
  }
  it.each(Object.entries(malformed))('with %s say nothing, and their bodies are not there', (_, extension) => {
    const plan = planOfBlock(input([voteOf(extension), vote(all), vote(all)]), [INJECTED, cancel.raw])
    expect(plan).toMatchObject({ missing: { id: post.said.id }, summary: { malformed: 1, obligated: 3 } })
    // Two of four attest it: over a third, not over two thirds.
    expect(plan).toMatchObject({ missing: { isWidelyAttested: false } })
  })

  it('that the proposer has left out are counted', () => {
    const plan = planOfBlock(input([...three, voteOf(undefined, false), voteOf(undefined)]), whole)
    expect(plan.summary).toMatchObject({ skipped: 1, malformed: 0 })
  })

  it('that are missing count in the total', () => {
    expect(listOfBlock(input([vote(all)])).list).toEqual([])
    expect(listOfBlock(input([vote(all), vote(all)])).list).toHaveLength(3)
    expect(listOfBlock(input(three)).limits).toEqual({ shareBytes: shareBytes(4, 131_072), weight: 40_000 })
  })
})

it('stops are counted by proposer', () => {
  const before = { stops: 2, missingButWidelyAttested: 1 }
  const missing: ListedId = { id: '', phase: 0, salt: SALT, age: 0, isWidelyAttested: false }
  expect(countStop(before, undefined)).toEqual(before)
  expect(countStop(before, missing)).toEqual({ stops: 3, missingButWidelyAttested: 1 })
  expect(countStop(before, { ...missing, isWidelyAttested: true })).toEqual({ stops: 3, missingButWidelyAttested: 2 })
})
