/**
 * Runs with liars of less than a third of the power, proposers that leave out what they may, sets that change, and contents and ids
 * that are false: what is credited is what was deposited, each once. SEED repeats a run.
 */
import { expect, it } from 'vitest'
import type { BridgeEvent } from '../../core/bridge-event.ts'
import { bytesToHex } from '../../core/hex.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { readOpen, readProgress } from './keeper/index.ts'
import { OPEN_WINDOW } from './record.ts'
import { readSayable } from './section.ts'
import { attest, depositOf, type Member, memberOf, type Said, World } from './testing/world.ts'

const RUNS = 40
const BLOCKS = 120
const DEPOSITS = 50
const PEOPLE = 9

const trueDeposit = (id: number): BridgeEvent =>
  depositOf(id, id % 13 === 5 ? { recipient: new Uint8Array(id % 19) } : id % 17 === 3 ? { amount: 0n } : {})
const isCredited = ({ recipient, amount }: BridgeEvent): boolean => recipient.length === 20 && amount > 0n

const falseDeposit = (random: Random, id: number): BridgeEvent =>
  random.pick([
    depositOf(id, { amount: 10n ** 30n }),
    depositOf(id, { amount: 1n }),
    depositOf(id, { recipient: new Uint8Array(20).fill(0xee) }),
    depositOf(id, { externalHeight: 7n }),
  ])

const totalOf = (set: readonly Member[]): bigint => set.reduce((sum, { power }) => sum + power, 0n)

/** A part of the people with powers by chance, of which the liars have less than a third. */
const chooseSet = (random: Random, isLiar: (member: Member) => boolean): readonly Member[] => {
  for (;;) {
    const set = Array.from({ length: PEOPLE }, (_, index) => memberOf(index, BigInt(1 + random.below(40)))).filter(() =>
      random.chance(75),
    )
    if (set.length > 0 && totalOf(set.filter(isLiar)) * 3n < totalOf(set)) return set
  }
}

/** Those that a proposer leaves out: what is left has more than two thirds. It prefers to silence the honest. */
const censored = (random: Random, set: readonly Member[], isLiar: (member: Member) => boolean): ReadonlySet<Member> => {
  const out = new Set<Member>()
  let left = totalOf(set)
  if (random.chance(30)) return out
  for (const member of [...set].sort((a, b) => Number(isLiar(a)) - Number(isLiar(b)) || random.below(3) - 1)) {
    if ((left - member.power) * 3n <= totalOf(set) * 2n) continue
    left -= member.power
    out.add(member)
  }
  return out
}

const honest = (world: World, random: Random, known: number): Said => {
  const sayable = readSayable(world.state, (_, from, max) =>
    Array.from({ length: Math.max(0, Math.min(known - from, max)) }, (__, index) => trueDeposit(from + index)),
  ).slice(0, 1 + random.below(24))
  return {
    bridge: sayable.map(({ event, hash }) => ({ id: event.id, hash })),
    bridgeContents: sayable.filter(({ isWanted }) => isWanted).map(({ event }) => event),
  }
}

const lying = (world: World, random: Random, known: number): Said => {
  const { openId } = readProgress(world.state)
  const ids = Array.from({ length: 12 }, () => Math.max(0, openId - 3 + random.below(OPEN_WINDOW + 10)))
  const ascending = [...new Set(ids)].sort((a, b) => a - b)
  const told = ascending.map((id) =>
    // They help at times, and acknowledge what is true with contents that are false.
    random.chance(30) && id < known ? trueDeposit(id) : falseDeposit(random, id),
  )
  return { bridge: attest(...told), bridgeContents: ascending.map((id) => falseDeposit(random, id)) }
}

const run = (random: Random): number => {
  const liars = new Set(Array.from({ length: PEOPLE }, (_, index) => index).filter(() => random.chance(30)))
  const isLiar = ({ address }: Member): boolean => liars.has((address[0] ?? 0) - 1)
  const world = new World(chooseSet(random, isLiar))
  /** How much of the external chain its daemon has read, by person. */
  const known = Array.from({ length: PEOPLE }, () => 0)
  for (let step = 0; step < BLOCKS; step++) {
    if (random.chance(15)) world.set = chooseSet(random, isLiar)
    const out = censored(random, world.set, isLiar)
    for (let person = 0; person < PEOPLE; person++) {
      known[person] = Math.min(DEPOSITS, (known[person] ?? 0) + random.below(4))
    }
    const said = world.set.map((member) => {
      if (out.has(member)) return undefined
      const read = known[(member.address[0] ?? 0) - 1] ?? 0
      return isLiar(member) ? lying(world, random, read) : honest(world, random, read)
    })
    const before = readProgress(world.state)
    const events = world.block(said)
    const { nextId, openId } = readProgress(world.state)
    expect(nextId - before.nextId).toBeLessThanOrEqual(10)
    expect(openId).toBeGreaterThanOrEqual(before.openId)
    const due = Array.from({ length: nextId - before.nextId }, (_, index) => trueDeposit(before.nextId + index))
    const settled = events.filter(({ type }) => type === 'bridge_credit' || type === 'bridge_refuse')
    expect(settled.map(({ type, attributes }) => [type, attributes[0]?.value])).toEqual(
      due.map((event) => [isCredited(event) ? 'bridge_credit' : 'bridge_refuse', String(event.id)]),
    )
    const credited = Array.from({ length: nextId }, (_, id) => trueDeposit(id)).filter(isCredited)
    expect(world.balance()).toBe(credited.reduce((sum, { amount }) => sum + amount, 0n))
    expect(world.balance(new Uint8Array(20).fill(0xee))).toBe(0n)
    // No false content is ever in state: nobody but liars has acknowledged its hash.
    for (let id = openId; id < openId + OPEN_WINDOW; id++) {
      for (const { event } of readOpen(world.state, id)) {
        if (event !== undefined) expect(bytesToHex(attest(event)[0]?.hash ?? event.from)).toBe(hex(trueDeposit(id)))
      }
    }
  }
  return readProgress(world.state).nextId
}

const hex = (event: BridgeEvent): string => bytesToHex(attest(event)[0]?.hash ?? event.from)

it(
  `credits what was deposited and nothing else, in ${RUNS} runs`,
  seeded(0xdeb0517, (random) => {
    let settled = 0
    for (let index = 0; index < RUNS; index++) settled += run(random)
    // They got somewhere, though everything was done to hold them up.
    expect(settled).toBeGreaterThan((RUNS * DEPOSITS) / 2)
    console.log(`${settled} of ${RUNS * DEPOSITS} deposits were settled`)
  }),
)
