import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { InvariantError } from '../../core/errors.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'
import * as keeper from './keeper/index.ts'
import { fillState, ORDER } from './testing/full-state.ts'
import { ALICE, BOB, CAROL, makeWorld, MARKET, queries, refusal } from './testing/world.ts'

describe('queries of the order book', () => {
  const world = makeWorld()
  fillState(world.state)
  const { ask } = world

  it('answer from state', () => {
    expect(ask(queries.params, {}).params).toMatchObject({ minAgeMs: 77, blockWeight: 40_000 })
    expect(ask(queries.record, { market: 1 }).record).toMatchObject({
      sequence: 3n,
      openOrders: 2,
      priceMs: (10n ** 30n).toString(),
    })
    expect(ask(queries.order, { market: 1, orderSeq: 9n }).order).toMatchObject({
      ...{
        owner: encodeBech32(BOB),
        side: 2,
        tif: 2,
        triggerKind: 1,
        triggerTicks: 90,
        lotsLeft: 40n,
        postOnlyMode: 1,
        stp: 3,
      },
    })
    expect(ask(queries.orders, { market: 1 }).orders.map(({ orderSeq }) => orderSeq)).toEqual([3n, 9n])
    expect(ask(queries.openOrders, { owner: encodeBech32(BOB) }).orders.map(({ orderSeq }) => orderSeq)).toEqual([9n])
    expect(ask(queries.openOrders, { owner: encodeBech32(CAROL) }).orders).toEqual([])
    expect(ask(queries.account, { owner: encodeBech32(ALICE) }).account?.floors).toMatchObject([
      { market: 0, side: 2, nextSeq: 2n },
      { subaccount: 0, market: 1, side: 0, nextSeq: 1n },
    ])
    expect(ask(queries.carried, {}).carried.map(({ age, ids }) => [age, ids.length])).toEqual([
      [2, 1],
      [1, 1],
    ])
    expect(ask(queries.caps, {}).caps.map(({ height, capBytes }) => [height, capBytes])).toEqual([
      [4n, 9_999],
      [5n, 8_888],
    ])
    expect(ask(queries.proposer, { address: formatConsensusAddress(CAROL) }).record).toMatchObject({ stops: 3n })
    const queue = ask(queries.queue, {}).actions
    expect(queue.map(({ owner, action }) => [owner, action?.action.case])).toEqual([
      [encodeBech32(CAROL), 'place'],
      [encodeBech32(ALICE), 'cancelAll'],
      [encodeBech32(CAROL), 'cancel'],
    ])
    const page = ask(queries.queue, { pagination: { limit: 2n } })
    const key = page.pagination?.nextKey ?? Uint8Array.of()
    const behind = ask(queries.queue, { pagination: { key } })
    expect([...page.actions, ...behind.actions]).toEqual(queue)
    expect([page.actions.length, behind.pagination?.nextKey.length]).toEqual([2, 0])
    const all = ask(queries.proposers, {}).proposers
    expect(all).toMatchObject([{ address: formatConsensusAddress(CAROL), record: { stops: 3n } }])
  })

  it('page through the orders of a market and of an owner', () => {
    const { state, ask: asks } = makeWorld()
    for (let id = 1; id <= 3; id++) {
      keeper.writeMarket(state, { ...MARKET, id })
      for (let seq = id; seq <= 60; seq += 3) {
        keeper.writeOrder(state, id, seq, keeper.encodeOrder({ ...ORDER, owner: seq % 2 === 0 ? ALICE : BOB }))
      }
    }
    keeper.writeAccount(state, ALICE, { openOrders: 30, switchMs: 0, floors: [] })
    const pages = (
      next: (key: Uint8Array) => {
        readonly orders: readonly { readonly orderSeq: bigint }[]
        readonly pagination?: { readonly nextKey: Uint8Array } | undefined
      },
    ) => {
      const seqs: number[] = []
      for (let key = new Uint8Array(0); ; ) {
        const { orders, pagination } = next(key)
        seqs.push(...orders.map(({ orderSeq }) => Number(orderSeq)))
        key = new Uint8Array(pagination?.nextKey ?? [])
        if (key.length === 0) return seqs
      }
    }
    const inMarket = (id: number) => Array.from({ length: 20 }, (_, at) => id + 3 * at)
    expect(pages((key) => asks(queries.orders, { market: 2, pagination: { key, limit: 7n } }))).toEqual(inMarket(2))
    expect(
      pages((key) => asks(queries.openOrders, { owner: encodeBech32(ALICE), pagination: { key, limit: 7n } })),
    ).toEqual([1, 2, 3].flatMap(inMarket).filter((seq) => seq % 2 === 0))
    // However many lie between them: a look at seven, of which some are the owner's.
    const bounds = { limit: 5, most: 7 }
    const found: number[] = []
    for (let next: keeper.OrderPlace | undefined = { market: 1, seq: 1 }; next !== undefined; ) {
      const page: ReturnType<typeof keeper.findOrdersOf> = keeper.findOrdersOf(state, ALICE, [1, 2, 3], next, bounds)
      expect(page.orders.length).toBeLessThanOrEqual(4)
      found.push(...page.orders.map(({ seq }) => seq))
      next = page.next
    }
    expect(found).toEqual([1, 2, 3].flatMap(inMarket).filter((seq) => seq % 2 === 0))
    const counted = asks(queries.openOrders, {
      owner: encodeBech32(ALICE),
      pagination: { countTotal: true, limit: 30n },
    })
    expect([counted.orders.length, counted.pagination?.total, counted.pagination?.nextKey.length]).toEqual([30, 30n, 0])
  })

  it.each<readonly [string, () => unknown, string]>([
    ['an unknown market', () => ask(queries.orders, { market: 9 }), 'grpc/5'],
    ['an unknown record', () => ask(queries.record, { market: 9 }), 'grpc/5'],
    ['an order that is not open', () => ask(queries.order, { market: 1, orderSeq: 4n }), 'grpc/5'],
    ['an order beyond all numbers', () => ask(queries.order, { market: 1, orderSeq: 2n ** 64n - 1n }), 'grpc/5'],
    ['no address', () => ask(queries.account, { owner: 'x' }), 'grpc/3'],
    ['a page key of another length', () => ask(queries.proposers, { pagination: { key: ALICE.slice(1) } }), 'grpc/3'],
    ['a page key of another list', () => ask(queries.queue, { pagination: { key: Uint8Array.of(1) } }), 'grpc/3'],
    ['no address of a proposer', () => ask(queries.proposer, { address: encodeBech32(ALICE) }), 'grpc/3'],
    [
      'a page key of another list',
      () => ask(queries.orders, { market: 1, pagination: { key: Uint8Array.of(1) } }),
      'grpc/3',
    ],
    [
      'a page key beyond all numbers, which would begin again',
      () => ask(queries.orders, { market: 1, pagination: { key: new Uint8Array(8).fill(255) } }),
      'grpc/3',
    ],
    [
      'a page key beyond all numbers',
      () => ask(queries.openOrders, { owner: encodeBech32(BOB), pagination: { key: new Uint8Array(12).fill(255) } }),
      'grpc/3',
    ],
    ['a page key of another list', () => ask(queries.markets, { pagination: { key: Uint8Array.of(1) } }), 'grpc/3'],
    [
      'a page key of another list',
      () => ask(queries.openOrders, { owner: encodeBech32(BOB), pagination: { key: Uint8Array.of(1) } }),
      'grpc/3',
    ],
    ...[{ offset: 1n }, { reverse: true }].map(
      (pagination) =>
        [
          `a page of an owner's orders with ${Object.keys(pagination).join()}`,
          () => ask(queries.openOrders, { owner: encodeBech32(BOB), pagination }),
          'grpc/3',
        ] as const,
    ),
  ])('refuse %s', (_, act, outcome) => {
    expect(refusal(act)).toContain(outcome)
  })
})

it('a damaged value halts the node, whoever asks', () => {
  const { state, ask } = makeWorld()
  state.setValue(keeper.CLOB_ACCOUNT, Buffer.from('caps'), Uint8Array.of(1))
  expect(() => ask(queries.caps, {})).toThrow(InvariantError)
})
