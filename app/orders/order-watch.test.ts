/** What those are told who follow orders before a block holds them. */
import { describe, expect, it } from 'vitest'
import { uint32ToBytes } from '../../core/bytes.ts'
import { type Hash, sha256 } from '../../core/hash.ts'
import { consensusAddress } from '../../core/signature.ts'
import type { Phase } from '../../modules/clob/orders/index.ts'
import { encodeAttestations, idOf, type ListedId } from '../../modules/clob/plan/index.ts'
import { EMPTY_EXTENSION, encodeExtension } from '../attestations/envelope.ts'
import { commit, makeTrader, openWorld, place, START_HEIGHT, type Trader, type World } from './testing/world.ts'

/** Hash of the block of a height, as the world makes it. */
const blockHash = (height: number): Hash => sha256(uint32ToBytes(height))
const validator = (index: number): Uint8Array => consensusAddress(sha256(uint32ToBytes(index)))

const begin = (validators = 4) => {
  const world = openWorld({ validators })
  const trader = makeTrader(1)
  world.fund(trader.address, 10n ** 9n)
  const { watch } = world.orders
  let place = watch.follow()
  /** What has happened since this was asked last: the stage of each order, by its place among those that were sent. */
  const told = (): readonly (readonly [number, string])[] => {
    const out: (readonly [number, string])[] = []
    for (let isMore = true; isMore; ) {
      const page = watch.read(place)
      if (page === undefined) throw new RangeError('the place is lost')
      for (const { order, stage } of page.news) out.push([sent.indexOf(String(order.hash)), stage])
      ;({ next: place, isMore } = page)
    }
    return out
  }
  const sent: string[] = []
  const send = (raw: Uint8Array): Hash => {
    expect(world.orders.check(raw, false)).toMatchObject({ code: 0 })
    const hash = sha256(raw)
    sent.push(String(hash))
    return hash
  }
  return { world, trader, watch, told, send }
}

/** Validator `index` names these orders in its vote for the next block. */
const vote = (world: World, index: number, hashes: readonly Hash[], phase: Phase = 2): void => {
  const { height } = world
  const salt = blockHash(height)
  const attestations = encodeAttestations(hashes.map((hash) => ({ phase, id: idOf(salt, hash), dtMs: 0 })))
  const extension = encodeExtension({ ...EMPTY_EXTENSION, attestations })
  world.orders.watch.noteVote(height, salt, index < 0 ? undefined : validator(index), extension)
}

const carriedId = (height: number, hash: Hash): ListedId => ({
  ...{ id: idOf(blockHash(height), hash), phase: 2, salt: blockHash(height), age: 1, isWidelyAttested: true },
})

describe('orders that no block holds yet', () => {
  it('keep no votes of those who are no validators: CometBFT asks before it knows whose a vote is', () => {
    const { world, trader, told, send } = begin()
    const hash = send(trader.sign())
    const { height, orders } = world
    const salt = blockHash(height)
    const attestations = encodeAttestations([{ phase: 2, id: idOf(salt, hash), dtMs: 0 }])
    const extension = encodeExtension({ ...EMPTY_EXTENSION, attestations })
    for (let index = 100; index < 1_100; index++) orders.watch.noteVote(height, salt, validator(index), extension)
    expect(orders.watch.heardVotes).toBe(0)
    vote(world, 0, [hash])
    vote(world, 1, [hash])
    expect(orders.watch.heardVotes).toBe(2)
    expect(told().at(-1)).toEqual([0, 'attested'])
  })

  it('are pending, attested by more than a third, and included', () => {
    const { world, trader, watch, told, send } = begin()
    const hash = send(trader.sign())
    expect(told()).toEqual([[0, 'pending']])
    vote(world, 0, [hash])
    expect(told()).toEqual([])
    vote(world, 1, [hash])
    expect(told()).toEqual([[0, 'attested']])
    commit(world)
    expect(told()).toEqual([])
    const order = world.orders.pool.get(hash)
    expect(order && watch.stageOf(order)).toBe('attested')
    commit(world, [hash])
    expect(told()).toEqual([[0, 'included']])
    expect(world.orders.includedHeight(hash)).toBe(world.height - 1)
  })

  it('are pending again where the next block neither takes nor carries them, and carried where it does', () => {
    const { world, trader, told, send } = begin()
    const hashes = [send(trader.sign()), send(trader.sign())]
    for (const index of [0, 1]) vote(world, index, hashes)
    expect(
      told()
        .slice(2)
        .toSorted(([a], [b]) => a - b),
    ).toEqual([
      [0, 'attested'],
      [1, 'attested'],
    ])
    const salted = world.height
    commit(world)
    commit(world, [], [carriedId(salted, hashes[1] as Hash)])
    expect(told().toSorted(([a], [b]) => a - b)).toEqual([
      [0, 'pending'],
      [1, 'carried'],
    ])
    commit(world, [hashes[1] as Hash])
    expect(told()).toEqual([[1, 'included']])
  })

  it('are not attested by votes for a block that was not decided, nor by votes for other heights', () => {
    const { world, trader, told, send } = begin()
    const hash = send(trader.sign())
    for (const index of [0, 1, 2]) vote(world, index, [hash])
    expect(told().at(-1)).toEqual([0, 'attested'])
    world.orders.settle({ height: world.height++, hash: sha256(uint32ToBytes(9_999)), included: [], carried: [] })
    expect(told()).toEqual([[0, 'pending']])
    const extension = encodeExtension({
      ...EMPTY_EXTENSION,
      attestations: encodeAttestations([{ phase: 2, id: idOf(blockHash(3), hash), dtMs: 0 }]),
    })
    for (const index of [0, 1, 2]) world.orders.watch.noteVote(3, blockHash(3), validator(index), extension)
    expect(told()).toEqual([])
  })

  it('become attested also where the body comes behind the votes, and by the one validator itself', () => {
    const { world, trader, told, send } = begin(1)
    const raw = trader.sign()
    vote(world, -1, [sha256(raw)])
    expect(told()).toEqual([])
    send(raw)
    expect(told()).toEqual([
      [0, 'pending'],
      [0, 'attested'],
    ])
  })

  it('are dropped as soon as no block may run them, once', () => {
    const { world, trader, told, send } = begin()
    send(trader.sign({ goodTilBlock: START_HEIGHT }))
    expect(told()).toEqual([[0, 'pending']])
    commit(world)
    expect(told()).toEqual([[0, 'dropped']])
    for (let blocks = 0; blocks < 5; blocks++) commit(world)
    expect(told()).toEqual([])
    expect(world.orders.pool.size).toBe(0)
  })

  it('are shown page by page, with what happened meanwhile behind', () => {
    const { world, trader, watch, told, send } = begin()
    const other = makeTrader(2)
    world.fund(other.address, 10n ** 9n)
    const raws = Array.from({ length: 1_100 }, () => trader.sign())
    for (const raw of raws) send(raw)
    send(other.sign({ actions: [place()] }))
    const watched = (who?: Trader) => ({ market: 1, owner: who?.address })
    const below = world.orders.pool.arrivals
    const first = watch.page(watched(), 0, below)
    expect(first.orders.length).toBe(500)
    send(trader.sign())
    const second = watch.page(watched(), first.next ?? -1, below)
    const third = watch.page(watched(), second.next ?? -1, below)
    expect([second.orders.length, third.orders.length, third.next]).toEqual([500, 101, undefined])
    expect(watch.page(watched(other), 0, below).orders.length).toBe(1)
    expect(watch.page({ market: 2, owner: undefined }, 0, below).orders).toEqual([])
    expect(told().length).toBe(1_102)
  })

  it('cost nothing while nobody follows, and a reader that is gone loses its place', () => {
    const { world, trader, watch, told, send } = begin()
    const place = watch.follow()
    for (let blocks = 0; blocks < 11; blocks++) commit(world)
    expect(watch.read(place)).toBeUndefined()
    const hash = send(trader.sign())
    for (const index of [0, 1]) vote(world, index, [hash])
    const order = world.orders.pool.get(hash)
    // Asked for alone, it is looked for in the votes.
    expect(order && watch.stageOf(order)).toBe('attested')
    expect(told).toThrow('the place is lost')
    expect(watch.page({ market: 1, owner: undefined }, 0, world.orders.pool.arrivals).orders.length).toBe(1)
  })

  it('keep a bounded past', () => {
    const { trader, watch, send } = begin()
    const place = watch.follow()
    const hash = send(trader.sign())
    const order = watch.page({ market: 1, owner: undefined }, 0, 9).orders[0]
    expect(order?.hash).toEqual(hash)
    for (let count = 0; count < 70_000 && order !== undefined; count++) watch.left(order, 'displaced')
    expect(watch.read(place)).toBeUndefined()
    const last = watch.follow()
    expect(watch.read(last - 60_000)?.news.length).toBe(500)
  })
})
