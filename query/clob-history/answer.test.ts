import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { blockOf, event, filled, OWNER, placed, removed, transactionOf } from '../../app/clob-history/testing/blocks.ts'
import { forgetBlocks } from '../../app/clob-history/forget.ts'
import { labelKey } from '../../app/clob-history/keys.ts'
import { HISTORY_COLUMN, readCursor, writeHistory } from '../../app/clob-history/write-history.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { GRPC } from '../../core/grpc-status.ts'
import { bytesToHex } from '../../core/hex.ts'
import { CLOB_ERRORS, codeOf, type Market, type OpenOrder } from '../../modules/clob/index.ts'
import { encodeOrder, writeMarket, writeOrder } from '../../modules/clob/keeper/index.ts'
import { encodeClobTx, type Place } from '../../modules/clob/orders/index.ts'
import { clobHistory } from '../../proto/index.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { LatestState } from '../../store/latest.ts'
import { answerHistory } from './answer.ts'

const { method } = clobHistory.History
const { OrderState } = clobHistory
const owner = encodeBech32(OWNER)
const CLIENT_ID = Uint8Array.of(7)

const open = () => {
  const store = openMemoryStore()
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  const ask = <Input extends DescMessage, Output extends DescMessage>(
    question: DescMethodUnary<Input, Output>,
    request: MessageInitShape<Input>,
    waiting?: clobHistory.HistoricalOrder,
    head = readCursor(store)?.height ?? 0,
  ): MessageShape<Output> => {
    const path = `/${question.parent.typeName}/${question.name}`
    const bytes = toBinary(question.input, create(question.input, request))
    const context = { state, height: head, chainId: 'localnat-1' }
    return fromBinary(question.output, answerHistory(store, context, path, bytes, { waiting }))
  }
  return { store, state, ask }
}

const PLACE: Place = {
  ...{ market: 1, side: 'sell', priceTicks: 300, qtyLots: 40, tif: 'fok', stp: 'cancel_maker', clientId: CLIENT_ID },
  ...{ expireS: 0, triggerTicks: 0, triggerKind: 'none', maxFills: 0, postOnlyMode: 'reject' },
}

/** A transaction of two placements, of which the second fails. */
const failing = (code: number) => {
  const raw = encodeClobTx({
    ...{ owner: OWNER, subaccount: 3, nonceMs: 1, goodTilBlock: 9, sigScheme: 1, agent: undefined },
    actions: [
      { kind: 'place', place: { ...PLACE, clientId: EMPTY_BYTES } },
      { kind: 'place', place: PLACE },
    ],
    signature: new Uint8Array(65).fill(1),
  })
  return transactionOf(raw, [event('order_rejected', { action: 1, owner, code, reason: 'cannotFill' })])
}

const MARKET: Market = {
  ...{ id: 1, baseDenom: 'anat', quoteDenom: 'uusd', lotSize: 10n ** 15n, factor: 10n, minNotional: 1n },
  ...{ fees: [{ volume: 0n, makerPpm: 100, takerPpm: 300 }], bandPpm: 100_000, maxOpenOrders: 200 },
  ...{ triggerNotional: 1n, minEquity: 0n, status: 'active', mode: 'continuous' },
}

const byId = { owner, clientId: '0x07' }

describe('questions of the history', () => {
  it('are unavailable until it has a block', () => {
    const { ask } = open()
    expect(() => ask(method.fills, { owner })).toThrow(expect.objectContaining({ code: GRPC.unavailable }))
  })

  it('tell what came last of an id: an order while it is open, a placement that failed after it ended', () => {
    const { store, ask } = open()
    writeHistory(store, blockOf(1, [], [failing(45)]))
    expect(ask(method.orderByClientId, byId).order).toMatchObject({
      ...{ state: OrderState.REJECTED, code: 45, market: 1, orderSeq: 0n, owner, subaccount: 3, side: 2, tif: 3 },
      ...{ priceTicks: 300, lots: 40n, clientId: CLIENT_ID, height: 1n, timeMs: 1_000n, txHash: failing(45).hash },
    })
    writeHistory(store, blockOf(2, [placed(1, { client_id: '07' })]))
    writeHistory(store, blockOf(3, [], [failing(46)]))
    expect(ask(method.orderByClientId, byId).order).toMatchObject({ state: OrderState.OPEN, orderSeq: 1n, code: 0 })
    writeHistory(store, blockOf(4, [removed(1, 2)]))
    expect(ask(method.orderByClientId, byId).order).toMatchObject({ state: OrderState.CANCELLED, orderSeq: 1n })
    writeHistory(store, blockOf(5, [], [failing(47)]))
    const { height, order } = ask(method.orderByClientId, byId)
    expect(order).toMatchObject({ state: OrderState.REJECTED, code: 47, height: 5n })
    expect(height).toBe(5n)
    const unknown = { owner, clientId: '0x08' }
    expect(() => ask(method.orderByClientId, unknown)).toThrow(expect.objectContaining({ code: GRPC.notFound }))
  })

  it('tell of a placement that failed in the block that ended the older order with its id', () => {
    const { store, ask } = open()
    const stateAt = (block: Parameters<typeof writeHistory>[1]) => {
      writeHistory(store, block)
      return ask(method.orderByClientId, byId).order?.state
    }
    const crosses = failing(codeOf('wouldTake'))
    expect(stateAt(blockOf(1, [placed(1, { client_id: '07' })]))).toBe(OrderState.OPEN)
    // Cancelled and placed anew in one transaction.
    expect(stateAt(blockOf(2, [removed(1, 2)], [crosses]))).toBe(OrderState.REJECTED)
    expect(stateAt(blockOf(3, [placed(2, { client_id: '07' })]))).toBe(OrderState.OPEN)
    // It failed because the order was still there.
    expect(stateAt(blockOf(4, [removed(2, 4)], [failing(codeOf('clientIdTaken'))]))).toBe(OrderState.CANCELLED)
    // Which of both came first is not known: the order is the answer.
    const both = [placed(3, { client_id: '07' }), removed(3, 6)]
    expect(stateAt(blockOf(5, both, [crosses]))).toBe(OrderState.CANCELLED)
  })

  it('tell an id of one market and subaccount from the same id of others', () => {
    const { store, ask } = open()
    const of = (market: number, subaccount = 0) => ask(method.orderByClientId, { ...byId, market, subaccount }).order
    const id = { client_id: '07' }
    writeHistory(
      store,
      blockOf(1, [placed(1, id), placed(2, { ...id, subaccount: 5 }), placed(3, { ...id, market: 2 })]),
    )
    expect([of(1), of(1, 5), of(2)].map((order) => [order?.orderSeq, order?.state])).toEqual([
      [1n, OrderState.OPEN],
      [2n, OrderState.OPEN],
      [3n, OrderState.OPEN],
    ])
    writeHistory(store, blockOf(2, [removed(1, 4)]))
    // Of market 1 and subaccount 3.
    writeHistory(store, blockOf(3, [], [failing(45)]))
    expect([of(1), of(1, 5), of(1, 3), of(2)].map((order) => [order?.orderSeq, order?.state])).toEqual([
      [1n, OrderState.CANCELLED],
      [2n, OrderState.OPEN],
      [0n, OrderState.REJECTED],
      [3n, OrderState.OPEN],
    ])
    expect(ask(method.orderByClientId, byId).order).toMatchObject({ market: 2, orderSeq: 3n })
    expect(() => of(2, 5)).toThrow(expect.objectContaining({ code: GRPC.notFound }))
    expect(() => of(0, 5)).toThrow('name the market too')
    const batch = store.batch()
    batch.delete(HISTORY_COLUMN, labelKey(OWNER, 2, 0, Uint8Array.of(7)))
    store.write(batch, { sync: false })
    expect(of(2)?.orderSeq).toBe(3n)
    while (forgetBlocks(store, 4));
    expect(() => of(1)).toThrow(expect.objectContaining({ code: GRPC.notFound }))
    expect(of(1, 5)?.orderSeq).toBe(2n)
  })

  it('tell of the placements of a transaction that failed as a whole, where its owner has signed it', () => {
    const { store, ask } = open()
    const refused = (code: number) => ({ ...failing(0), result: { ...failing(0).result, code, events: [] } })
    writeHistory(store, blockOf(1, [], [refused(CLOB_ERRORS.codes.signature)]))
    expect(() => ask(method.orderByClientId, byId)).toThrow(expect.objectContaining({ code: GRPC.notFound }))
    writeHistory(store, blockOf(2, [], [refused(codeOf('nonceUsed'))]))
    expect(ask(method.orderByClientId, byId).order).toMatchObject({
      ...{ state: OrderState.REJECTED, code: codeOf('nonceUsed'), height: 2n, orderSeq: 0n, txHash: failing(0).hash },
    })
  })

  it('name a placement that waits, unless an order with its id is open', () => {
    const { store, ask } = open()
    const waiting = create(clobHistory.HistoricalOrderSchema, { state: OrderState.ATTESTED, market: 1 })
    writeHistory(store, blockOf(1, []))
    expect(ask(method.orderByClientId, byId, waiting).order?.state).toBe(OrderState.ATTESTED)
    writeHistory(store, blockOf(2, [placed(1, { client_id: '07' })]))
    expect(ask(method.orderByClientId, byId, waiting).order?.state).toBe(OrderState.OPEN)
    writeHistory(store, blockOf(3, [removed(1, 2)]))
    expect(ask(method.orderByClientId, byId, waiting).order?.state).toBe(OrderState.ATTESTED)
    expect(ask(method.orderByClientId, byId).order?.state).toBe(OrderState.CANCELLED)
  })

  it('count an order that goes by another id by now neither as open nor as newer than what failed after it', () => {
    const { store, ask } = open()
    writeHistory(store, blockOf(1, [], [failing(45)]))
    writeHistory(store, blockOf(2, [placed(1, { client_id: '07' })]))
    // Replaced with its place in the queue and another id.
    writeHistory(store, blockOf(3, [removed(1, 2), placed(1, { client_id: '08', sequence: 3 })]))
    const stateOf = (waiting?: clobHistory.HistoricalOrder) => ask(method.orderByClientId, byId, waiting).order
    expect(stateOf()).toMatchObject({ state: OrderState.OPEN, orderSeq: 1n, clientId: Uint8Array.of(8) })
    const waiting = create(clobHistory.HistoricalOrderSchema, { state: OrderState.ATTESTED, market: 1 })
    expect(stateOf(waiting)).toMatchObject({ state: OrderState.ATTESTED })
    writeHistory(store, blockOf(4, [], [failing(47)]))
    expect(stateOf()).toMatchObject({ state: OrderState.REJECTED, code: 47, height: 4n })
    writeHistory(store, blockOf(5, [removed(1, 4)]))
    expect(stateOf()).toMatchObject({ state: OrderState.REJECTED, code: 47, height: 4n })
    expect(ask(method.orderByClientId, { owner, clientId: '0x08' }).order).toMatchObject({
      state: OrderState.CANCELLED,
    })
  })

  it('name no placement that no block can hold any more where what was sent in its place came later', () => {
    const { store, ask } = open()
    const dropped = (seenMs: number) =>
      create(clobHistory.HistoricalOrderSchema, { state: OrderState.DROPPED, changedMs: BigInt(seenMs) })
    writeHistory(store, blockOf(1, [placed(1, { client_id: '07' }), removed(1, 2)]))
    const placedMs = Number(ask(method.orderByClientId, byId).order?.timeMs)
    const stateOf = (seenMs: number) => ask(method.orderByClientId, byId, dropped(seenMs)).order?.state
    expect([stateOf(placedMs - 1), stateOf(placedMs + 1)]).toEqual([OrderState.CANCELLED, OrderState.DROPPED])
    writeHistory(store, blockOf(2, [], [failing(47)]))
    const rejectedMs = Number(ask(method.orderByClientId, byId).order?.timeMs)
    expect([stateOf(rejectedMs - 1), stateOf(rejectedMs + 1)]).toEqual([OrderState.REJECTED, OrderState.DROPPED])
  })

  it('say of what is not found how far they have come, where that is behind the head', () => {
    const { store, ask } = open()
    writeHistory(store, blockOf(4, []))
    for (const askAt of [
      (head: number) => ask(method.orderByClientId, byId, undefined, head),
      (head: number) => ask(method.orderStatus, { market: 1, orderSeq: 7n }, undefined, head),
    ]) {
      const behind = expect.objectContaining({
        code: GRPC.unavailable,
        message: 'the history has come to block 4 of 5: ask again',
      }) as Error
      expect(() => askAt(5)).toThrow(behind)
      expect(() => askAt(4)).toThrow(expect.objectContaining({ code: GRPC.notFound }))
    }
  })

  it('know the last price also when its fill is pruned', () => {
    const { store, state, ask } = open()
    writeMarket(state, MARKET)
    writeHistory(store, blockOf(1, [placed(1), placed(2, { side: 'sell' }), filled(1, 2, 3)]))
    const before = ask(method.ticker, { market: 1 }).lastTicks
    expect(before).toBeGreaterThan(0)
    writeHistory(store, blockOf(2, []))
    while (forgetBlocks(store, 2));
    expect(ask(method.trades, { market: 1 }).trades).toEqual([])
    expect(ask(method.ticker, { market: 1 }).lastTicks).toBe(before)
  })

  it('answer an open order that is older than the history from state', () => {
    const { store, state, ask } = open()
    writeHistory(store, blockOf(1, []))
    const at = { market: 1, orderSeq: 77n }
    expect(() => ask(method.orderStatus, at)).toThrow(expect.objectContaining({ code: GRPC.notFound }))
    const order: OpenOrder = {
      ...{ market: 1, seq: 77, owner: OWNER, subaccount: 0, side: 'buy', tif: 'gtc', priceTicks: 9, lots: 10, left: 4 },
      ...{ lockedPpm: 0, clientId: EMPTY_BYTES, expireS: 0, triggerTicks: 0, triggerKind: 'none', maxFills: 20 },
      ...{ stp: 'cancel_maker', postOnlyMode: 'reject' },
    }
    writeOrder(state, 1, 77, encodeOrder(order))
    expect(ask(method.orderStatus, at).order).toMatchObject({
      ...{ state: OrderState.OPEN, orderSeq: 77n, owner, lots: 10n, filledLots: 6n, height: 0n },
    })
  })

  it('say the newest block of which everything is known', () => {
    const { store, ask } = open()
    writeHistory(store, blockOf(1, [placed(1), placed(2, { side: 'sell' })]))
    const write = store.write.bind(store)
    let left = 1
    store.write = (batch, options) => {
      if (left-- === 0) throw new RangeError('killed')
      write(batch, options)
    }
    expect(() => writeHistory(store, blockOf(2, [filled(1, 2, 3), placed(3)]), 1)).toThrow('killed')
    const { height, fills } = ask(method.fills, { owner })
    expect(height).toBe(1n)
    expect(fills.map(({ sequence, makerFee, takerFee }) => [sequence, makerFee, takerFee])).toEqual([[3n, '1', '2']])
  })

  it('look at a bounded part of deep pages, and come to the end by them', () => {
    const { store, ask } = open()
    const count = 6_000
    writeHistory(store, blockOf(1, [placed(1), placed(2, { side: 'sell' })]))
    for (let height = 2; height < 8; height++) {
      const fills = Array.from({ length: count / 6 }, (_, at) => filled(1, 2, 2 + (height - 2) * (count / 6) + at))
      writeHistory(store, blockOf(height, fills))
    }
    let scanned = 0
    const scan = store.scan.bind(store)
    store.scan = (column, range) => {
      const entries = scan(column, range)
      scanned += entries.length
      return entries
    }
    // None of them is of the market that is asked for.
    const pages: number[] = []
    let before = ''
    do {
      scanned = 0
      const page = ask(method.fills, { owner, market: 9, before, limit: 500 })
      expect(page.fills).toEqual([])
      pages.push(scanned)
      before = page.next
    } while (before !== '')
    expect(pages.length).toBe(2)
    expect(Math.max(...pages)).toBeLessThanOrEqual(5_001)
    // The deepest page costs what the first does.
    const deep: bigint[] = []
    do {
      scanned = 0
      const page = ask(method.fills, { owner, before, limit: 500 })
      deep.push(...page.fills.map(({ sequence }) => sequence))
      expect(scanned).toBeLessThanOrEqual(501)
      before = page.next
    } while (before !== '')
    expect(deep).toEqual(Array.from({ length: count }, (_, at) => BigInt(count + 1 - at)))
  })

  it('are refused beyond their bounds, and empty where a range is', () => {
    const { store, state, ask } = open()
    writeHistory(store, blockOf(1, [placed(1), placed(2, { side: 'sell' }), filled(1, 2, 3)]))
    writeMarket(state, MARKET)
    const candles = (request: object) => ask(method.candles, { market: 1, resolutionS: 60, ...request }).candles
    expect(candles({}).map(({ startS, trades }) => [startS, trades])).toEqual([[0n, 1n]])
    expect(candles({ fromS: 60n, toS: 1n })).toEqual([])
    expect(candles({ fromS: 2n ** 64n - 1n })).toEqual([])
    expect(candles({ toS: 2n ** 64n - 1n }).length).toBe(1)
    for (const refused of [
      () => candles({ limit: 501 }),
      () => candles({ resolutionS: 61 }),
      () => ask(method.fills, { owner: 'nobody' }),
      () => ask(method.fills, { owner, before: '0x1' }),
      () => ask(method.fills, { owner, before: 'ff'.repeat(21) }),
      () => ask(method.orderByClientId, { owner, clientId: '' }),
    ]) {
      expect(refused).toThrow(expect.objectContaining({ code: GRPC.invalidArgument }))
    }
    // A cursor that no answer gave is a place like any other.
    expect(ask(method.fills, { owner, before: 'ff'.repeat(20) }).fills.length).toBe(1)
    expect(ask(method.fills, { owner, before: '00' }).fills).toEqual([])
    expect(() => ask(method.trades, { market: 2 })).toThrow(expect.objectContaining({ code: GRPC.notFound }))
    const beyond = { market: 1, orderSeq: 2n ** 64n - 1n }
    expect(() => ask(method.orderStatus, beyond)).toThrow(expect.objectContaining({ code: GRPC.notFound }))
    expect(bytesToHex(CLIENT_ID)).toBe(byId.clientId)
  })
})
