import { describe, expect, it } from 'vitest'
import { bytesToUnprefixedHex, keyToBytes, utf8ToBytes } from '../../../core/bytes.ts'
import { Overlay } from '../../../store/overlay.ts'
import { Random } from '../../../test/sim/random.ts'
import { Books } from '../book/books.ts'
import type { Market } from '../domain/market.ts'
import type { Action, ClobTx, Place } from '../orders/clob-tx.ts'
import { runClobStep } from './index.ts'
import { buy, sell, type Sent, testLedger, World } from './testing/world.ts'
import { FEE_COLLECTOR_ADDRESS } from '../../../core/address.ts'

const OWNERS = ['alice', 'bob', 'carol']
/** Bytes that keys in memory are made with, and names of prototypes. */
const IDS = ['', '/', 'a/', '0/1//', '1/0/buy/', '*', '__proto__', 'constructor', '\u0000']

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random.below(items.length)] as Item

const anyPlace = (random: Random, world: World): Extract<Action, { kind: 'place' }> => {
  const trigger = random.below(6) === 0
  const tif = pick<Place['tif']>(random, ['gtc', 'gtc', 'gtc', 'ioc', 'fok', 'post_only'])
  const expires = (tif === 'gtc' || tif === 'post_only') && random.below(4) === 0
  return (random.below(2) === 0 ? buy : sell)(1 + random.below(20), 90 + random.below(20), {
    tif,
    market: 1 + random.below(2),
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
  const id = pick(random, IDS.slice(1))
  const target =
    random.below(2) === 0
      ? ({ kind: 'client', clientId: utf8ToBytes(id) } as const)
      : ({ kind: 'seq', orderSeq: 1 + random.below(Math.max(1, world.nextSeq())) } as const)
  switch (random.below(10)) {
    case 0:
    case 1:
      return { kind: 'cancel', market: 1 + random.below(2), target }
    case 2:
      return { kind: 'cancelAll', market: random.below(3), side: pick(random, ['buy', 'sell', undefined]) }
    case 3:
    case 4: {
      const { place } = anyPlace(random, world)
      return { kind: 'replace', target, place, keepPriority: random.below(2) === 0 }
    }
    case 5:
      return { kind: 'scheduleCancel', atMs: random.below(3) === 0 ? 0 : world.timeMs + random.below(20_000) }
    default:
      return anyPlace(random, world)
  }
}

const anyBlock = (random: Random, world: World): Sent[] =>
  Array.from({ length: random.below(6) }, () => {
    const changes: Partial<ClobTx> = { subaccount: random.below(3), goodTilBlock: world.height + random.below(41) }
    // Some carry a nonce that is older than cancels which came before them.
    const late = random.below(3) === 0 ? { nonceMs: world.timeMs - random.below(60_000) } : {}
    return {
      from: pick(random, OWNERS),
      actions: Array.from({ length: 1 + random.below(4) }, () => anyAction(random, world)),
      changes: { ...changes, ...late },
    }
  })

const worldOf = (mode: Market['mode']): World => {
  const fees = [{ volume: 0n, makerPpm: -2_000, takerPpm: 5_000 }]
  const world = new World([
    { mode, fees, factor: 3n },
    { id: 2, mode, lotSize: 7n, bandPpm: 100_000 },
  ])
  world.setParameters({ maxRemovals: 3, maxTriggers: 2, maxOpenOrders: 20 })
  for (const name of OWNERS) world.fund(name, { base: 100_000n, quote: 300_000n })
  return world
}

/** All that a step writes and answers. */
const outcomeOn = (books: Books, world: World, sent: readonly Sent[], items: ReturnType<World['item']>[]) => {
  const state = new Overlay(world.state)
  const { height, timeMs } = world
  const events: unknown[] = []
  const context = {
    ...{ state, height, timeMs, ledger: testLedger, feeCollector: FEE_COLLECTOR_ADDRESS },
    emit: (event: unknown) => void events.push(event),
  }
  const { results } = runClobStep(books, context, items)
  const values: string[] = []
  for (const [system, written] of state.changes().values) {
    for (const [key, value] of written) {
      const text = value === undefined ? 'gone' : bytesToUnprefixedHex(value)
      values.push(
        [system, key]
          .map((part) => bytesToUnprefixedHex(keyToBytes(part)))
          .concat(text)
          .join(' '),
      )
    }
  }
  return { results, events, values: values.toSorted(), sent: sent.length }
}

describe.each(['continuous', 'uniform'] as const)('a node of %s markets that was restarted', (mode) => {
  it.each([1, 2, 3])('decides each block as one that ran (seed %i)', (seed) => {
    const random = new Random(seed)
    const world = worldOf(mode)
    for (let block = 0; block < 120; block++) {
      const sent = anyBlock(random, world)
      const items = sent.map((each) => world.item(each))
      const running = outcomeOn(world.books, world, sent, items)
      expect(outcomeOn(Books.load(world.state), world, sent, items)).toEqual(running)
      world.commit(items)
    }
  })
})
