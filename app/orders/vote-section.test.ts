/** What votes say of orders: docs/clob-spec.md, Selection. */
import { describe, expect, it } from 'vitest'
import { bytesToKey } from '../../core/bytes.ts'
import { proposalBytes } from '../../core/proposal-bytes.ts'
import { sha256, ZERO_HASH } from '../../core/hash.ts'
import type { VoteExtension } from '../../modules/attestations.ts'
import type { Market } from '../../modules/clob/index.ts'
import {
  readMarket,
  readParameters,
  readRecord,
  writeMarket,
  writeParameters,
  writeRecord,
} from '../../modules/clob/keeper/index.ts'
import { type Action, decodeClobBody } from '../../modules/clob/orders/index.ts'
import { type Attestation, capBytes, decodeAttestations, idOf, type ListedId } from '../../modules/clob/plan/index.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { decodeExtension, EMPTY_EXTENSION, encodeExtension } from '../attestations/envelope.ts'
import { Standings } from './standing.ts'
import {
  cancelAll,
  makeTrader,
  nonceKey,
  openWorld,
  place,
  post,
  START_HEIGHT,
  START_MS,
  type Trader,
  type World,
  type WorldOptions,
} from './testing/world.ts'

const CAP = 131_072
const SALT = new Uint8Array(32).fill(3)

interface Said {
  readonly extension: VoteExtension
  readonly attested: readonly Attestation[]
  attests(raw: Uint8Array): boolean
}

const vote = (world: World, cap = CAP, transactions: readonly Uint8Array[] = []): Said => {
  const block = world.block({ transactions })
  const extension = { ...EMPTY_EXTENSION, ...world.orders.section.attest(block, world.chain, 0, cap) }
  const attested = decodeAttestations(extension.attestations) ?? []
  const ids = new Set(attested.map(({ id }) => id))
  return { extension, attested, attests: (raw) => ids.has(idOf(block.hash, sha256(raw))) }
}

const open = (options: WorldOptions = {}): { readonly world: World; readonly trader: Trader } => {
  const world = openWorld(options)
  const trader = makeTrader(1)
  world.fund(trader.address, 1_000_000n)
  return { world, trader }
}

const send = (world: World, ...raws: readonly Uint8Array[]): void => {
  for (const raw of raws) expect(world.orders.check(raw, false)).toMatchObject({ code: 0 })
}

const listed = (raw: Uint8Array, age = 1): ListedId => ({
  id: idOf(SALT, sha256(raw)),
  phase: decodeClobBody(raw).phase,
  salt: SALT,
  age,
  isWidelyAttested: true,
})

describe('a vote', () => {
  it('attests what the node has seen, with the time at which it did, by phase', () => {
    const { world, trader } = open()
    const raws = [trader.sign(), trader.sign({ actions: [post()] }), trader.sign({ actions: [cancelAll()] })]
    for (const [index, raw] of raws.entries()) {
      world.wallMs = START_MS + 100 * index - 50
      send(world, raw)
    }
    world.wallMs = START_MS + 1_000
    const { hash } = world.block()
    expect(vote(world).attested).toEqual([
      { phase: 0, id: idOf(hash, sha256(raws[2] as Uint8Array)), dtMs: 150 },
      { phase: 1, id: idOf(hash, sha256(raws[1] as Uint8Array)), dtMs: 50 },
      { phase: 2, id: idOf(hash, sha256(raws[0] as Uint8Array)), dtMs: -50 },
    ])
  })

  it('attests times of at most 30 s before and after that of the block', () => {
    const { world, trader } = open()
    send(world, trader.sign())
    world.timeMs += 50_000
    world.wallMs += 100
    expect(vote(world).attested.map(({ dtMs }) => dtMs)).toEqual([-30_000])
    world.timeMs -= 150_000
    world.height++
    expect(vote(world).attested.map(({ dtMs }) => dtMs)).toEqual([30_000])
  })

  it('leaves out a nonce that every later block refuses: it would be in one block after another', () => {
    const { world, trader } = open()
    send(world, trader.sign({ nonceMs: START_MS + 1_000 }), trader.sign({ nonceMs: START_MS + 1_001 }))
    world.wallMs += 100
    world.timeMs += 61_000
    expect(vote(world).attested).toHaveLength(2)
    world.timeMs += 1
    world.height++
    expect(vote(world).attested).toHaveLength(1)
  })

  it('says nothing of a block that is not the plan’s', () => {
    const { world, trader } = open()
    send(world, trader.sign())
    world.wallMs += 1_000
    world.carried = undefined
    expect(vote(world).extension).toEqual(EMPTY_EXTENSION)
  })

  it('leaves out what the block holds or carries, and what cannot be in a later one', () => {
    const { world, trader } = open()
    const [held, carried, ended, used, waits] = [
      trader.sign(),
      trader.sign(),
      trader.sign({ goodTilBlock: START_HEIGHT }),
      trader.sign({ nonceMs: START_MS + 500 }),
      trader.sign({ goodTilBlock: START_HEIGHT + 1 }),
    ] as const
    const long = trader.sign({
      actions: Array.from({ length: 50 }, () => post({ clientId: new Uint8Array(16).fill(1) })),
    })
    send(world, held, carried, ended, used, waits, long)
    world.usedNonces.add(nonceKey(trader.address, START_MS + 500))
    world.carried = [listed(carried)]
    world.wallMs += 1_000
    const all = [held, carried, ended, used, waits, long]
    const { attests } = vote(world, CAP, [Uint8Array.of(0x71), held, Uint8Array.of(1, 2)])
    expect(all.map(attests)).toEqual([false, false, false, false, true, true])
    expect(all.map(vote(world, 2 * long.length - 2, [held]).attests).at(-1)).toBe(false)
  })

  it('attests what is older than min_age when somebody first speaks of the block, however late it is asked', () => {
    const { world, trader } = open()
    const [old, young] = [trader.sign(), trader.sign()]
    writeParameters(world.state, { ...readParameters(world.state), minAgeMs: 50 })
    send(world, old)
    world.wallMs += 1
    send(world, young)
    world.wallMs = START_MS + 50
    world.orders.noteProposal(world.block().hash)
    world.wallMs = START_MS + 5_000
    world.orders.noteProposal(world.block().hash)
    const { attests } = vote(world)
    expect([attests(old), attests(young)]).toEqual([true, false])
    // Another block of the height, of which nobody spoke before.
    const other = world.block({ hash: SALT })
    const { attestations } = world.orders.section.attest(other, world.chain, 0, CAP)
    expect(decodeAttestations(attestations ?? SALT)).toHaveLength(2)
  })

  it('attests orders of those alone who have what a market asks for, or an open order', () => {
    const world = openWorld({ market: { minEquity: 1_000n } })
    const actions = [cancelAll(0), place()]
    const traders = [1, 2, 3, 4, 5].map(makeTrader)
    const [rich, poor, base, open, nobody] = traders as [Trader, Trader, Trader, Trader, Trader]
    world.fund(rich.address, 1_000n)
    world.fund(poor.address, 999n)
    // 2,500 units are 250 lots, each worth 4 ticks: the block price.
    world.fund(base.address, 2_500n, 'base')
    world.open.set(bytesToKey(open.address), [7])
    const raws = traders.map((trader) => trader.sign({ actions }))
    send(world, ...raws)
    world.wallMs += 1_000
    expect(raws.map(vote(world).attests)).toEqual([true, false, true, true, false])
    world.height++
    world.orders.settle({ height: START_HEIGHT, hash: ZERO_HASH, included: [], carried: [] })
    world.fund(base.address, 1n, 'base')
    world.fund(nobody.address, 5_000n)
    expect(raws.map(vote(world).attests)).toEqual([true, false, true, true, true])
  })

  it('looks for funds in four markets of a transaction, whatever it names', () => {
    const world = openWorld({ market: { minEquity: 1_000n } })
    const { state } = world
    for (let id = 2; id <= 100; id++) {
      writeMarket(state, { ...(readMarket(state, 1) as Market), id, quoteDenom: `quote${id}` })
    }
    let reads = 0
    const counting = new Proxy(state, {
      get: (target, name) => {
        if (name === 'value') reads++
        const member: unknown = Reflect.get(target, name, target)
        return typeof member === 'function' ? member.bind(target) : member
      },
    })
    const nothing = { hasOpenOrder: () => false, isNonceUsed: () => false, openOrderCount: () => 0 }
    const standings = new Standings(counting, nothing)
    const body = (...actions: readonly Action[]) => decodeClobBody(makeTrader(1).sign({ actions })).tx
    expect(standings.hasMinEquity(body(cancelAll(0)))).toBe(false)
    reads = 0
    const { address } = makeTrader(1)
    world.fund(address, 5_000n, 'quote5')
    const of = (owner: Uint8Array, ...actions: readonly Action[]) => ({ ...body(...actions), owner })
    const [one, two] = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)]
    const cancels = Array.from({ length: 50 }, (_, at) => cancelAll(at + 1))
    expect([standings.hasMinEquity(of(one, ...cancels)), standings.rankOf(of(two, cancelAll(0)))]).toEqual([false, 0])
    expect(reads).toBe(16)
    // It stands among the first that are named, or not.
    const funded = new Standings(state, nothing)
    expect(funded.hasMinEquity(body(cancelAll(1), cancelAll(1), cancelAll(2), cancelAll(3), cancelAll(5)))).toBe(true)
    expect(funded.hasMinEquity(body(cancelAll(0), cancelAll(5)))).toBe(false)
  })

  it('takes any base for funds before there is a price', () => {
    const world = openWorld({ market: { minEquity: 1_000n } })
    const record = readRecord(world.state, 1)
    if (record === undefined) throw new RangeError('the market has a record')
    writeRecord(world.state, 1, { ...record, blockPriceTicks: 0 })
    const [seller, nobody] = [makeTrader(1), makeTrader(2)]
    world.fund(seller.address, 10n, 'base')
    const raws = [seller, nobody].map((trader) =>
      trader.sign({ actions: [place({ side: 'sell', qtyLots: 1 }), cancelAll()] }),
    )
    send(world, ...raws)
    world.wallMs += 1_000
    expect(raws.map(vote(world).attests)).toEqual([true, false])
  })

  it('hears cancels first of those who have something to cancel', () => {
    const world = openWorld()
    // Each weighs 20: three have room beside the carried order, the largest transaction, and what is kept for the one that waits in TAKER.
    writeParameters(world.state, { ...readParameters(world.state), blockWeight: 1_400 })
    const traders = Array.from({ length: 12 }, (_, index) => makeTrader(index))
    const cancels = traders.map((trader, index) => trader.sign({ actions: [cancelAll(index === 3 ? 0 : 1)] }))
    send(world, ...cancels)
    const at = (index: number): Trader => traders[index] as Trader
    world.open.set(bytesToKey(at(2).address), [1])
    world.open.set(bytesToKey(at(4).address), [2])
    for (const index of [3, 5, 6]) world.fund(at(index).address, 100n)
    // One waits in the pool, which costs nothing; one stands in the block, unknown to this node; one is carried.
    const [waits, inBlock, carried] = [at(3).sign(), at(5).sign(), at(6).sign()] as const
    send(world, waits, carried)
    world.carried = [listed(carried)]
    world.wallMs += 1_000
    const { attests } = vote(world, CAP, [Uint8Array.of(0x71), inBlock])
    expect(cancels.flatMap((cancel, index) => (attests(cancel) ? [index] : []))).toEqual([2, 5, 6])
  })
})

describe('the bodies in a vote', () => {
  const lengthOf = (count: number): Action[] =>
    Array.from({ length: count }, () => post({ clientId: new Uint8Array(16) }))

  it('are those of the carried list, in its order, up to a quarter of the cap', () => {
    const { world, trader } = open()
    const raws = Array.from({ length: 9 }, () => trader.sign({ actions: lengthOf(20) }))
    send(world, ...raws)
    const list = raws.toReversed()
    world.carried = list.map((raw) => listed(raw))
    const one = proposalBytes((raws[0] as Uint8Array).length)
    expect(vote(world, 4 * 5 * one).extension.bodies).toEqual(list.slice(0, 5))
    world.height++
    expect(vote(world, 4 * 5 * one - 1).extension.bodies).toEqual(list.slice(0, 4))
  })

  it('hold that of the head wherever it fits, and none that nobody gave to this node', () => {
    const { world, trader } = open()
    const [head, second, missing] = [trader.sign({ actions: lengthOf(20) }), trader.sign(), trader.sign()] as const
    send(world, head, second)
    world.carried = [listed(head), listed(missing), listed(second)]
    const room = proposalBytes(head.length) + 2
    expect(vote(world, room).extension.bodies).toEqual([head])
    world.height++
    expect(vote(world, room - 1).extension.bodies).toEqual([])
    world.height++
    world.carried = [listed(missing), listed(second)]
    expect(vote(world).extension.bodies).toEqual([second])
  })

  it('and their weight are kept free in what is attested', () => {
    const { world, trader } = open()
    writeParameters(world.state, { ...readParameters(world.state), blockWeight: 4_000 })
    const heavy = Array.from({ length: 3 }, () =>
      trader.sign({ actions: Array.from({ length: 5 }, () => place({ maxFills: 200 })) }),
    )
    const fresh = Array.from({ length: 4 }, () =>
      trader.sign({ actions: Array.from({ length: 5 }, () => place({ maxFills: 200 })) }),
    )
    send(world, ...heavy, ...fresh)
    world.wallMs += 1_000
    expect(vote(world).attested).toHaveLength(4)
    world.height++
    world.carried = heavy.map((raw) => listed(raw))
    expect(vote(world).attested).toHaveLength(1)
  })
})

/** Orders of all kinds, of many owners, some of whom send much. */
const randomOrders = (random: Random, traders: readonly Trader[], count: number): readonly Uint8Array[] =>
  Array.from({ length: count }, () => {
    const trader = random.chance(40) ? (traders[0] as Trader) : random.pick(traders)
    const action = (): Action =>
      random.pick([cancelAll(), post(), place({ maxFills: 1 + random.below(40) }), cancelAll(0), post()])
    return trader.sign({ actions: Array.from({ length: 1 + random.below(random.chance(10) ? 20 : 3) }, action) })
  })

const shuffled = <Item>(random: Random, items: readonly Item[]): readonly Item[] => {
  const left = [...items]
  return items.map(() => left.splice(random.below(left.length), 1)[0] as Item)
}

describe('honest nodes under overload', () => {
  it(
    'with equal pools attest equal sets, whatever the order and the times of arrival; in one extension owners weigh the same',
    seeded(12, (random: Random) => {
      for (let run = 0; run < 6; run++) {
        const validators = random.pick([4, 100, 256, 401])
        const cap = capBytes(512 * 1024, validators)
        const traders = Array.from({ length: 12 }, (_, index) => makeTrader(run * 100 + index))
        const raws = randomOrders(random, traders, 350)
        const nodes = [0, 1, 2].map(() => {
          const world = openWorld({ validators })
          for (const trader of traders) world.fund(trader.address, 10n ** 9n)
          writeParameters(world.state, { ...readParameters(world.state), blockWeight: 4_000 })
          for (const raw of shuffled(random, raws)) {
            world.wallMs = START_MS + random.below(400)
            send(world, raw)
          }
          world.wallMs = START_MS + 1_000
          return world
        })
        const said = nodes.map((world) => vote(world, cap))
        const sets = said.map(({ attested }) => attested.map(({ id, phase }) => `${phase} ${id}`).toSorted())
        expect(sets[1]).toEqual(sets[0])
        expect(sets[2]).toEqual(sets[0])
        const [first] = said as [Said, Said, Said]
        expect(first.attested.length).toBeGreaterThan(0)
        // All of it fits, and comes back.
        for (const { extension } of said) {
          const bytes = encodeExtension(extension)
          expect(bytes.length).toBeLessThanOrEqual(cap)
          expect(decodeExtension(bytes)?.attestations).toEqual(extension.attestations)
        }
        expectFairness(raws, first)
      }
    }),
  )
})

/** Fairness holds in every phase but CANCEL, where those who have something to cancel come first. */
const expectFairness = (raws: readonly Uint8Array[], { attests }: Said): void => {
  const bodies = raws.map(decodeClobBody)
  for (const phase of [1, 2]) {
    const owners = new Map<string, { attested: number; waiting: number }>()
    let most = 0
    for (const body of bodies.filter((each) => each.phase === phase)) {
      const key = bytesToKey(body.tx.owner)
      const owner = owners.get(key) ?? { attested: 0, waiting: 0 }
      owners.set(key, owner)
      most = Math.max(most, body.weight)
      if (attests(body.raw)) owner.attested += body.weight
      else owner.waiting++
    }
    const weights = [...owners.values()].filter(({ waiting }) => waiting > 0).map(({ attested }) => attested)
    if (weights.length > 1) expect(Math.max(...weights) - Math.min(...weights)).toBeLessThanOrEqual(20 + most)
  }
}
