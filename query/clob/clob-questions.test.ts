/** Questions of streams against the live book that they are answered from. */
import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { codeOf } from '../../modules/clob/index.ts'
import { addressOf, buy, cancelSeq, MARKET, sell, type Sent, World } from '../../modules/clob/matching/testing/world.ts'
import { clobStream } from '../../proto/index.ts'
import { UpdateRing } from '../../app/orders/update-ring.ts'
import { openWorld } from '../../app/orders/testing/world.ts'
import type { ClobDepth, ClobOrdersPage, ClobStamp, ClobUpdates } from '../../app/ports.ts'
import { ClobQuestions } from './clob-questions.ts'

const begin = () => {
  const world = new World([MARKET])
  for (const name of ['ann', 'bob']) world.fund(name, { base: 10n ** 9n, quote: 10n ** 9n })
  const updates = new UpdateRing()
  updates.begin(0, 0, world.books, world.state)
  const block = (...sent: Sent[]): void => {
    const { height, timeMs } = world
    world.block(...sent)
    updates.add(height, timeMs, { book: world.last?.delta, told: world.last?.told }, world.books, world.state)
  }
  const source = { books: () => world.books, updates, latest: () => world.state }
  const questions = new ClobQuestions(source, openWorld().orders)
  return { world, updates, block, questions }
}

const [ann, bob] = ['ann', 'bob'].map((name) => encodeBech32(addressOf(name)))

const parse = <Type>(text: string): Type => JSON.parse(text) as Type
const bytesOf = (text: string): Uint8Array => Buffer.from(parse<string>(text), 'base64')

describe('questions about the order book', () => {
  it('tell its depth, the best first, with the height that they hold for', () => {
    const { world, block, questions } = begin()
    const { timeMs } = world
    block({ from: 'ann', actions: [buy(5, 90), buy(2, 91), buy(1, 91), sell(4, 95), sell(3, 94)] })
    const [bids, asks] = [
      [
        { priceTicks: 91, lots: '3', orders: 2 },
        { priceTicks: 90, lots: '5', orders: 1 },
      ],
      [
        { priceTicks: 94, lots: '3', orders: 1 },
        { priceTicks: 95, lots: '4', orders: 1 },
      ],
    ]
    const head = { height: 1, timeMs, sequence: 5, blockPriceTicks: 0, bid: bids[0], ask: asks[0] }
    expect(parse<ClobDepth>(questions.depth({ market: 1, levels: 0 }))).toEqual({ ...head, bids, asks, next: null })
    expect(parse<ClobDepth>(questions.depth({ market: 1, levels: 1 }))).toMatchObject({
      bids: bids.slice(0, 1),
      asks: asks.slice(0, 1),
    })
    expect(() => questions.depth({ market: 2, levels: 0 })).toThrow('there is no market 2')
  })

  it('tell open orders, those that wait for their trigger and dead ones too', () => {
    const { world, block, questions } = begin()
    const expireS = Math.floor(world.timeMs / 1_000) + 1
    block({
      from: 'ann',
      actions: [buy(5, 90), buy(2, 80, { expireS }), sell(1, 70, { triggerTicks: 60, triggerKind: 'stop' })],
    })
    world.setParameters({ maxRemovals: 0 })
    block({ from: 'bob', actions: [sell(3, 90)] })
    const page = parse<ClobOrdersPage>(questions.orders({ market: 1 }))
    expect(page).toMatchObject({ height: 2, sequence: 5, next: null })
    const all = fromBinary(clobStream.OrdersUpdateSchema, Buffer.from(page.orders, 'base64'))
    expect(all.died).toEqual([2n])
    expect(() => questions.orders({ market: 1, from: { list: 9, at: 0 } })).toThrow('not known here any more')
    expect(all.orders.map(({ orderSeq, lots, lotsLeft, owner }) => [orderSeq, lots, lotsLeft, owner])).toEqual([
      [1n, 5n, 2n, ann],
      [2n, 2n, 2n, ann],
      [3n, 1n, 1n, ann],
    ])
    const own = fromBinary(clobStream.OwnOrdersUpdateSchema, bytesOf(questions.ownOrders({ owner: ann ?? '' })))
    expect(own).toMatchObject({ owner: ann, height: 2n, previousHeight: 1n, isSnapshot: true, died: [2n] })
    expect(own.orders).toEqual(all.orders)
    const others = fromBinary(clobStream.OwnOrdersUpdateSchema, bytesOf(questions.ownOrders({ owner: bob ?? '' })))
    expect(others).toMatchObject({ orders: [], died: [] })
  })

  it('tell what a block changed, with owners and what is left', () => {
    const { block, questions } = begin()
    block({ from: 'ann', actions: [buy(5, 90)] })
    block(
      { from: 'bob', actions: [sell(3, 90, { tif: 'ioc' }), cancelSeq(77)] },
      { from: 'bob', actions: [cancelSeq(1)], changes: { goodTilBlock: 1 } },
    )
    const { markets, records, rejected, refused } = parse<ClobUpdates>(questions.updates({ height: 2, recordsFrom: 0 }))
    expect(markets).toMatchObject([
      { market: 1, before: { sequence: 1 }, after: { sequence: 3 }, bids: [{ priceTicks: 90, lots: '2' }], asks: [] },
    ])
    expect(records).toMatchObject([
      { kind: 'placed', sequence: 2, orderSeq: 2, owner: bob, side: 2, tif: 2, lots: 3 },
      { kind: 'fill', sequence: 3, maker: ann, taker: bob, takerSide: 2, makerLotsLeft: 2, takerLotsLeft: 0, lots: 3 },
    ])
    expect(rejected).toMatchObject([{ owner: bob, action: 1 }])
    expect(refused).toMatchObject([{ owner: bob, subaccount: 0, code: codeOf('goodTilPassed') }])
    expect(refused[0]?.hash).toMatch(/^0x[0-9a-f]{64}$/)
    expect(parse<ClobUpdates>(questions.updates({ height: 2 }))).toEqual({
      ...parse<ClobUpdates>(questions.updates({ height: 2, recordsFrom: 0 })),
      records: null,
      ...{ rejected: [], refused: [] },
    })
    expect(parse<ClobStamp>(questions.stamp({ market: 1, height: 1 }))).toMatchObject({ height: 1, sequence: 1 })
    expect(() => questions.updates({ height: 3, recordsFrom: 0 })).toThrow('block 3')
    expect(() => questions.stamp({ market: 1, height: 3 })).toThrow('block 3')
  })

  it('say that they do not know a block before the start of the node, with a code, and from where on they do', () => {
    const { world, updates, block, questions } = begin()
    block({ from: 'ann', actions: [buy(5, 90)] })
    expect(parse<ClobUpdates>(questions.updates({ height: 1, recordsFrom: 0 })).records?.length).toBe(1)
    // A node that starts does the same: the book is there, and how it came about is not.
    updates.begin(1, world.timeMs, world.books, world.state)
    questions.forget()
    const refused = expect.objectContaining({ codespace: 'query', code: 10, data: { from_height: 2 } }) as unknown
    expect(() => questions.updates({ height: 1 })).toThrow(refused as Error)
    expect(() => questions.stamp({ market: 1, height: 0 })).toThrow(refused as Error)
    expect(parse<ClobDepth>(questions.depth({ market: 1, levels: 0 }))).toMatchObject({ height: 1, sequence: 1 })
    block({ from: 'ann', actions: [buy(1, 91)] })
    expect(parse<ClobStamp>(questions.stamp({ market: 1, height: 1 })).sequence).toBe(1)
    expect(parse<ClobUpdates>(questions.updates({ height: 2, recordsFrom: 0 })).records?.length).toBe(1)
  })

  it('tell records page by page', () => {
    const { world, block, questions } = begin()
    world.setParameters({ maxActions: 5_000 })
    // Each is placed and removed.
    const actions = Array.from({ length: 50 }, () => buy(1, 90, { tif: 'ioc' }))
    block(...Array.from({ length: 45 }, () => ({ from: 'ann', actions })), {
      from: 'bob',
      actions: [cancelSeq(99_999)],
    })
    const sequences: number[] = []
    const pages: number[] = []
    const markets: number[] = []
    let rejected = 0
    for (let recordsFrom: number | null = 0; recordsFrom !== null; ) {
      const page: ClobUpdates = parse<ClobUpdates>(questions.updates({ height: 1, recordsFrom }))
      for (const { sequence } of page.records ?? []) sequences.push(sequence)
      pages.push(page.records?.length ?? 0)
      markets.push(page.markets.length)
      rejected += page.rejected.length
      recordsFrom = page.next
    }
    expect(pages).toEqual([2_000, 2_000, 500])
    // The levels, of which a full block changes as many, are told once.
    expect(markets).toEqual([1, 0, 0])
    expect(sequences).toEqual(Array.from({ length: 4_500 }, (_, at) => at + 1))
    expect(rejected).toBe(1)
  })
})
