/** Random blocks where room is scarce, contracts ask too, and floors kill more than a block removes. */
import { describe, expect, it } from 'vitest'
import { bytesToUnprefixedHex, keyToBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { FEE_COLLECTOR_ADDRESS } from '../../../core/address.ts'
import { CodedError } from '../../../core/errors.ts'
import { Overlay } from '../../../store/overlay.ts'
import { Random } from '../../../test/sim/random.ts'
import { Books } from '../book/books.ts'
import { collectQueued, readAccount, readRecord } from '../keeper/index.ts'
import type { Market } from '../domain/market.ts'
import type { Action, ClobTx, Place } from '../orders/clob-tx.ts'
import { encodeAction } from '../orders/index.ts'
import { queueAction } from '../queue-action.ts'
import { runClobStep } from './index.ts'
import { describeBooks } from './testing/describe-books.ts'
import { escrowOf } from './testing/escrow-of.ts'
import { addressOf, buy, sell, type Sent, testLedger, World } from './testing/world.ts'

const OWNERS = ['alice', 'bob', 'carol', 'vault']
const IDS = ['', '', '', 'a', 'b', 'c']
const BOUNDS = { side: 14, all: 60 }
const MARKETS = 4

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random.below(items.length)] as Item

const anyPlace = (random: Random, world: World): Extract<Action, { kind: 'place' }> => {
  const trigger = random.below(6) === 0
  const tif = pick<Place['tif']>(random, ['gtc', 'gtc', 'gtc', 'ioc', 'fok', 'post_only'])
  const expires = (tif === 'gtc' || tif === 'post_only') && random.below(4) === 0
  const isBuy = random.below(2) === 0
  // Mostly apart, so that most of them rest.
  const price = random.below(4) === 0 ? 90 + random.below(20) : isBuy ? 50 + random.below(45) : 105 + random.below(45)
  return (isBuy ? buy : sell)(1 + random.below(20), price, {
    tif,
    market: 1 + random.below(MARKETS),
    stp: pick(random, ['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement']),
    clientId: utf8ToBytes(pick(random, IDS)),
    maxFills: random.below(4),
    postOnlyMode: pick(random, ['reject', 'slide']),
    triggerTicks: trigger ? 90 + random.below(20) : 0,
    triggerKind: trigger ? pick(random, ['stop', 'take_profit']) : 'none',
    expireS: expires ? Math.floor(world.timeMs / 1_000) + random.below(30) : 0,
  }) as Extract<Action, { kind: 'place' }>
}

const anyAction = (random: Random, world: World): Action => {
  const target =
    random.below(2) === 0
      ? ({ kind: 'client', clientId: utf8ToBytes(pick(random, IDS.slice(3))) } as const)
      : ({ kind: 'seq', orderSeq: 1 + random.below(Math.max(1, world.nextSeq())) } as const)
  switch (random.below(20)) {
    case 0:
    case 1:
      return { kind: 'cancel', market: 1 + random.below(MARKETS), target }
    case 2:
      return { kind: 'cancelAll', market: random.below(MARKETS + 1), side: pick(random, ['buy', 'sell', undefined]) }
    case 3:
    case 4: {
      const { place } = anyPlace(random, world)
      return { kind: 'replace', target, place, keepPriority: random.below(2) === 0 }
    }
    case 5:
      return random.below(3) === 0
        ? { kind: 'scheduleCancel', atMs: random.below(3) === 0 ? 0 : world.timeMs + random.below(20_000) }
        : { kind: 'cancelAll', market: 0, side: undefined }
    default:
      return anyPlace(random, world)
  }
}

const anyBlock = (random: Random, world: World): Sent[] =>
  Array.from({ length: random.below(6) }, () => {
    const changes: Partial<ClobTx> = { subaccount: random.below(2), goodTilBlock: world.height + random.below(41) }
    const late = random.below(5) === 0 ? { nonceMs: world.timeMs - random.below(60_000) } : {}
    return {
      from: pick(random, OWNERS),
      actions: Array.from({ length: 1 + random.below(6) }, () => anyAction(random, world)),
      changes: { ...changes, ...late },
    }
  })

const worldOf = (mode: Market['mode']): World => {
  const fees = [{ volume: 0n, makerPpm: -2_000, takerPpm: 5_000 }]
  const markets = Array.from({ length: MARKETS }, (_, at) => ({ id: at + 1, mode, fees, factor: BigInt(at + 1) }))
  const world = new World(markets, BOUNDS)
  world.setParameters({ maxRemovals: 2, maxTriggers: 2, maxOpenOrders: 50 })
  for (const name of OWNERS) world.fund(name, { base: 100_000n, quote: 300_000n })
  world.block()
  return world
}

/** Queues what contracts would have asked in the block that was just executed. */
const queueAny = (random: Random, world: World): void => {
  const context = {
    ...{ state: world.state, height: world.height, timeNs: BigInt(world.timeMs) * 1_000_000n, chainId: 'x' },
    ...{ emit: () => undefined, consumeGas: () => undefined },
  }
  for (let count = random.below(8); count > 0; count--) {
    const owner = addressOf(pick(random, ['vault', 'alice']))
    try {
      queueAction(context, { owner, subaccount: random.below(2), action: encodeAction(anyAction(random, world)) })
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
    }
  }
  collectQueued(world.state)
}

/** All that a step writes and answers. */
const outcomeOn = (books: Books, world: World, items: ReturnType<World['item']>[]) => {
  const state = new Overlay(world.state)
  const { height, timeMs } = world
  const events: unknown[] = []
  const context = {
    ...{ state, height, timeMs, ledger: testLedger, feeCollector: FEE_COLLECTOR_ADDRESS },
    emit: (event: unknown) => void events.push(event),
  }
  const { results, after } = runClobStep(books, context, items)
  const values: string[] = []
  for (const [system, written] of state.changes().values) {
    for (const [key, value] of written) {
      const text = value === undefined ? 'gone' : bytesToUnprefixedHex(value)
      values.push([keyToBytes(system), keyToBytes(key)].map(bytesToUnprefixedHex).concat(text).join(' '))
    }
  }
  return { results, after, events, values: values.toSorted() }
}

const expectSound = (world: World): void => {
  for (const [denom, each] of [
    ['base', 100_000n],
    ['quote', 300_000n],
  ] as const) {
    const held = OWNERS.reduce((sum, name) => sum + world.balance(name, denom), world.escrow(denom) + world.fees(denom))
    expect(held).toBe(BigInt(OWNERS.length) * each)
    expect(escrowOf(world, denom)).toBe(world.escrow(denom))
  }
  expect(world.books.size).toBeLessThanOrEqual(BOUNDS.all)
  for (const book of world.books.markets()) {
    for (const side of ['buy', 'sell'] as const) {
      const alive = [...book.orders.values()].filter((order) => order.side === side && !order.isDead)
      expect(book.crowd(side).size).toBe(alive.length)
      expect(alive.length).toBeLessThanOrEqual(BOUNDS.side)
    }
    expect(readRecord(world.state, book.id)?.openOrders ?? 0).toBe(book.orders.size)
  }
  for (const name of OWNERS) {
    expect(readAccount(world.state, addressOf(name)).openOrders).toBe(world.books.openOrderCount(addressOf(name)))
  }
}

const SEEDS = Number(process.env['CROWD_SEEDS'] ?? 3)

describe.each(['continuous', 'uniform'] as const)('a crowded book of %s markets', (mode) => {
  it.each(Array.from({ length: SEEDS }, (_, at) => at + 1))(
    'is the same on a node that was restarted (seed %i)',
    (seed) => {
      const random = new Random(seed)
      const world = worldOf(mode)
      for (let block = 0; block < 120; block++) {
        const items = anyBlock(random, world).map((each) => world.item(each))
        const running = outcomeOn(world.books, world, items)
        expect(outcomeOn(Books.load(world.state, BOUNDS), world, items)).toEqual(running)
        world.commit(items)
        expectSound(world)
        queueAny(random, world)
        if (block % 10 === 0) expect(describeBooks(Books.load(world.state, BOUNDS))).toEqual(describeBooks(world.books))
      }
    },
  )
})

it('tells of markets whose orders died in an order that follows from state', () => {
  const world = new World([{}, { id: 2 }, { id: 3 }])
  world.fund('alice', { base: 1_000n, quote: 1_000n })
  world.setParameters({ maxRemovals: 1 })
  // CancelAll removes twenty, the block one; the floor kills the others.
  world.act('alice', ...Array.from({ length: 21 }, () => buy(1, 10, { market: 3 })))
  world.act('alice', buy(1, 10), buy(1, 10, { market: 2 }), buy(1, 10), {
    kind: 'cancel',
    market: 1,
    target: { kind: 'seq', orderSeq: 22 },
  })
  const items = [world.item({ from: 'alice', actions: [{ kind: 'cancelAll', market: 0, side: undefined }] })]
  const running = outcomeOn(world.books, world, items)
  expect(outcomeOn(Books.load(world.state), world, items)).toEqual(running)
})
