/** Streams of the order book over WebSocket, in front of a double of the application. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Client, type ClientReadableStream, credentials, type ServiceError } from '@grpc/grpc-js'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import WebSocket from 'ws'
import type {
  ClobDepth,
  ClobNews,
  ClobOrdersPage,
  ClobPool,
  ClobUpdates,
  ClobWaitingOrder,
} from '../../../app/ports.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { CodedError } from '../../../core/errors.ts'
import { clobStream, clobTx } from '../../../proto/index.ts'
import { type Gateway, startGateway } from '../../gateway.ts'
import { createHeadTracker } from '../../head.ts'
import { SILENT_LOG } from '../../log.ts'
import { GATEWAY_DEFAULTS } from '../../settings.ts'
import { createMemoryApplication, type MemoryApplication } from '../../testing/memory-application.ts'
import { createStreamHub, type StreamHubOptions, type StreamReader } from './hub.ts'
import { BlockMessages } from './messages.ts'
import { createOptimisticStreams } from './optimistic.ts'

const [MAKER, TAKER] = [1, 2].map((byte) => encodeBech32(new Uint8Array(20).fill(byte))) as [string, string]

const level = (priceTicks: number, lots: string) => ({ priceTicks, lots, orders: 1 })

/** What block `height` did: at even heights one more record, and a new lot at price 100. */
const stampAt = (height: number) => ({
  sequence: Math.floor(height / 2),
  blockPriceTicks: 0,
  bid: level(100, String(height - (height % 2))),
  ask: null,
})
const updatesAt = (height: number): ClobUpdates => ({
  height,
  timeMs: height * 1_000,
  markets:
    height % 2 === 1
      ? []
      : [
          {
            market: 1,
            before: stampAt(height - 1),
            after: stampAt(height),
            bids: [level(100, String(height))],
            asks: [],
            died: [],
          },
        ],
  records:
    height % 2 === 1
      ? []
      : [
          {
            kind: 'fill',
            market: 1,
            sequence: height / 2,
            ...{ makerSeq: 1, takerSeq: 2, priceTicks: 100, lots: 5, makerFee: '0', makerRebate: '0', takerFee: '1' },
            ...{ maker: MAKER, taker: TAKER, takerSide: 1, makerLotsLeft: 3, takerLotsLeft: 0 },
          },
        ],
  rejected: [],
  refused: [],
  next: null,
})

/** The oldest block that the ring has. */
let oldest = 1
/** Newest height of the application, which may be above the gateway's head. */
let newest = 7
let application: MemoryApplication
let gateway: Gateway

const unknown = (): CodedError => new CodedError('query', 10, 'not known here any more', { from_height: oldest })

/** The warnings of the gateway's log. */
let warnings: Readonly<Record<string, unknown>>[]
beforeEach(async () => {
  warnings = []
  oldest = 1
  newest = 7
  application = createMemoryApplication(newest)
  const depth = (): ClobDepth => {
    const stamp = stampAt(newest)
    return { height: newest, timeMs: newest * 1_000, ...stamp, bids: [stamp.bid], asks: [], next: null }
  }
  application.answers = {
    clobDepth: ({ market }) => {
      if (market !== 1) throw new CodedError('grpc', 5, `there is no market ${market}`)
      return JSON.stringify(depth())
    },
    clobOrders: ({ market }) => {
      throw new CodedError('grpc', 5, `there is no market ${market}`)
    },
    clobPool: ({ market }) => {
      throw new CodedError('grpc', 5, `there is no market ${market}`)
    },
    clobStamp: ({ height }) => {
      if (height < oldest - 1) throw unknown()
      return JSON.stringify({ height, timeMs: 0, ...stampAt(height) })
    },
    clobUpdates: async ({ height, recordsFrom }) => {
      if (height < oldest || height > newest) throw unknown()
      const updates = updatesAt(height)
      return Promise.resolve(JSON.stringify(recordsFrom === undefined ? { ...updates, records: null } : updates))
    },
  }
  gateway = await startGateway(
    {
      ...GATEWAY_DEFAULTS,
      grpcAddress: '127.0.0.1:0',
      address: undefined,
      restAddress: undefined,
      wsAddress: '127.0.0.1:0',
      wsBufferLimit: 1024 * 1024,
    },
    application,
    { ...SILENT_LOG, warn: (_, fields) => void warnings.push(fields ?? {}) },
  )
})
afterEach(() => gateway.close())

interface Told {
  readonly height: string
  readonly sequence: string
  readonly previous_sequence: string
  readonly is_snapshot: boolean
  readonly bids?: readonly { readonly price_ticks: number; readonly lots: string }[]
  readonly trades?: readonly { readonly lots: string }[]
}

interface Message {
  readonly result?: string
  readonly error?: { readonly code: number; readonly message: string }
  readonly method?: string
  readonly params?: { readonly subscription: string; readonly channel: string; readonly result: Told }
}

const open = async () => {
  const socket = new WebSocket(`ws://${gateway.wsAddress}`)
  const messages: Message[] = []
  const waiters: ((message: Message) => void)[] = []
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message
    const waiter = waiters.shift()
    if (waiter === undefined) messages.push(message)
    else waiter(message)
  })
  const closed = new Promise<string>((resolve) => socket.once('close', (_, reason) => resolve(reason.toString())))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const next = (): Promise<Message> => {
    const message = messages.shift()
    return message === undefined ? new Promise((resolve) => waiters.push(resolve)) : Promise.resolve(message)
  }
  const told = async (): Promise<Told> => {
    const { params } = await next()
    if (params === undefined) throw new Error('no notification')
    return params.result
  }
  const request = (method: string, params: unknown): Promise<Message> => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return next()
  }
  return { socket, next, told, request, closed }
}

const commit = (): void => {
  newest++
  application.commit()
}

const brief = ({ height, sequence, previous_sequence, is_snapshot }: Told) => [
  Number(height),
  Number(previous_sequence),
  Number(sequence),
  is_snapshot,
]

describe('clob_subscribe', () => {
  test('begins with a snapshot, and then has every block, also without a change', async () => {
    const client = await open()
    const { result } = await client.request('clob_subscribe', ['book', { market: 1 }])
    expect(result).toMatch(/^0x/)
    const first = await client.next()
    expect(first).toMatchObject({ method: 'clob_subscription', params: { subscription: result, channel: 'book' } })
    expect(first.params?.result).toEqual({
      ...{ market: 1, height: '7', time_ms: '7000', sequence: '3', previous_sequence: '3', is_snapshot: true },
      ...{ bids: [{ price_ticks: 100, lots: '6', orders: 1 }], asks: [] },
    })
    for (let height = 8; height <= 12; height++) {
      commit()
      const told = await client.told()
      expect(brief(told)).toEqual([height, Math.floor((height - 1) / 2), Math.floor(height / 2), false])
      expect(told.bids?.map(({ lots }) => lots)).toEqual(height % 2 === 0 ? [String(height)] : [])
    }
    client.socket.terminate()
  })

  test('joins above the head of the gateway without a gap, and is not told twice', async () => {
    const client = await open()
    newest = 9
    await client.request('clob_subscribe', ['trades', { market: 1 }])
    expect(brief(await client.told())).toEqual([9, 4, 4, true])
    application.commit()
    application.commit()
    commit()
    const told = await client.told()
    expect(brief(told)).toEqual([10, 4, 5, false])
    expect(told.trades).toEqual([
      { sequence: '5', price_ticks: 100, lots: '5', taker_side: 'SIDE_BUY', maker_seq: '1', taker_seq: '2' },
    ])
    client.socket.terminate()
  })

  test('resumes at a height of the ring, and refuses one below it or above the next block', async () => {
    oldest = 5
    const client = await open()
    await client.request('clob_subscribe', ['bestPrices', { market: 1, from_height: '5' }])
    for (const height of [5, 6, 7]) expect(Number((await client.told()).height)).toBe(height)
    commit()
    expect(brief(await client.told())).toEqual([8, 3, 4, false])
    expect(await client.request('clob_subscribe', ['book', { market: 1, from_height: '4' }])).toMatchObject({
      error: { code: 4444, message: 'not known here any more', data: { from_height: 5 } },
    })
    expect(await client.request('clob_subscribe', ['book', { market: 1, from_height: '10' }])).toMatchObject({
      error: { message: 'from_height 10 is above that of the next block, 9' },
    })
    client.socket.terminate()
  })

  test('tells orders record by record, of a market and of an owner', async () => {
    const encoded = (bytes: Uint8Array): string => JSON.stringify(Buffer.from(bytes).toString('base64'))
    const { OrdersUpdateSchema, OwnOrdersUpdateSchema } = clobStream
    const orders = [{ market: 1, orderSeq: 1n, owner: MAKER, lots: 9n, lotsLeft: 8n }]
    const head = { height: 7n, timeMs: 7_000n, isSnapshot: true, orders, died: [1n] }
    application.answers.clobOrders = () => {
      const page = toBinary(OrdersUpdateSchema, create(OrdersUpdateSchema, { orders, died: [1n] }))
      const text = Buffer.from(page).toString('base64')
      return JSON.stringify({
        height: 7,
        timeMs: 7_000,
        sequence: 3,
        orders: text,
        listHeight: 7,
        next: null,
      } satisfies ClobOrdersPage)
    }
    application.answers.clobOwnOrders = ({ owner }) =>
      encoded(toBinary(OwnOrdersUpdateSchema, create(OwnOrdersUpdateSchema, { ...head, owner, previousHeight: 6n })))
    const ask = application.answers.clobUpdates
    application.answers.clobUpdates = async (parameters) => {
      const updates = JSON.parse((await ask?.(parameters)) ?? '') as ClobUpdates
      const rejected = [{ owner: TAKER, action: 2, code: 57, reason: 'no', hash: '0x0101' }] as const
      const refused = [{ owner: TAKER, hash: '0x0202', code: 33, reason: 'late', subaccount: 1, nonceMs: 9 }] as const
      return JSON.stringify({ ...updates, rejected, refused } satisfies ClobUpdates)
    }
    const [ofMarket, ofTaker, ofMaker] = await Promise.all([open(), open(), open()])
    await ofMarket.request('clob_subscribe', ['orders', { market: 1 }])
    expect(await ofMarket.told()).toMatchObject({
      height: '7',
      sequence: '3',
      orders: [{ lots_left: '8' }],
      died: ['1'],
    })
    await ofTaker.request('clob_subscribe', ['ownOrders', { owner: TAKER }])
    expect(await ofTaker.told()).toMatchObject({ owner: TAKER, height: '7', is_snapshot: true })
    await ofMaker.request('clob_subscribe', ['ownOrders', { owner: `0x${'01'.repeat(20)}`, from_height: '8' }])
    commit()
    const fill = {
      ...{
        maker_seq: '1',
        taker_seq: '2',
        price_ticks: 100,
        lots: '5',
        maker_fee: '0',
        maker_rebate: '0',
        taker_fee: '1',
      },
      ...{ maker: MAKER, taker: TAKER, taker_side: 'SIDE_BUY', maker_lots_left: '3', taker_lots_left: '0' },
    }
    const records = [{ market: 1, sequence: '4', fill }]
    expect(await ofMarket.told()).toMatchObject({
      height: '8',
      previous_sequence: '3',
      sequence: '4',
      orders: [],
      records,
    })
    const rejected = [{ action: 2, code: 57, reason: 'no', tx_hash: 'AQE=' }]
    expect(await ofTaker.told()).toMatchObject({
      height: '8',
      previous_height: '7',
      is_snapshot: false,
      records,
      rejected,
      refused: [{ tx_hash: 'AgI=', code: 33, reason: 'late', subaccount: 1, nonce_ms: '9' }],
    })
    expect(await ofMaker.told()).toMatchObject({ owner: MAKER, height: '8', records, rejected: [] })
    for (const { socket } of [ofMarket, ofTaker, ofMaker]) socket.terminate()
  })

  test('has a block of tens of thousands of records in one message, made while others are served', async () => {
    const count = 30_000
    const { clobUpdates } = application.answers
    application.answers.clobUpdates = async (parameters) => {
      const updates = JSON.parse((await clobUpdates?.(parameters)) ?? '') as ClobUpdates
      const [record] = updates.records ?? []
      const from = parameters.recordsFrom
      if (record === undefined || from === undefined) return JSON.stringify(updates)
      const records = Array.from({ length: Math.min(2_000, count - from) }, (_, at) => ({ ...record, lots: from + at }))
      return JSON.stringify({ ...updates, records, next: from + 2_000 < count ? from + 2_000 : null })
    }
    application.answers.clobOrders = () =>
      JSON.stringify({
        height: 7,
        timeMs: 7_000,
        sequence: 3,
        orders: '',
        listHeight: 7,
        next: null,
      } satisfies ClobOrdersPage)
    const [ofOrders, ofBook] = await Promise.all([open(), open()])
    await ofOrders.request('clob_subscribe', ['orders', { market: 1 }])
    await ofBook.request('clob_subscribe', ['book', { market: 1 }])
    for (const client of [ofOrders, ofBook]) expect((await client.told()).is_snapshot).toBe(true)
    let turns = 0
    let isOver = false
    const step = (): void => {
      turns++
      if (!isOver) setImmediate(step)
    }
    step()
    commit()
    const whole = (await ofOrders.told()) as unknown as { records: readonly { fill: { lots: string } }[] }
    isOver = true
    expect(whole.records.map(({ fill }) => Number(fill.lots))).toEqual(Array.from({ length: count }, (_, at) => at))
    expect(turns).toBeGreaterThan(15)
    expect(brief(await ofBook.told())).toEqual([8, 3, 4, false])
    for (const { socket } of [ofOrders, ofBook]) socket.terminate()
  })

  test('refuses a market that is not there, an unknown channel and malformed requests', async () => {
    const client = await open()
    const refused = async (params: unknown) => (await client.request('clob_subscribe', params)).error?.message
    expect(await refused(['book', { market: 2 }])).toBe('there is no market 2')
    expect(await refused(['books', { market: 1 }])).toBe('no "books" subscription in clob namespace')
    expect(await refused(['book', { market: 'x' }])).toContain('invalid argument 1')
    expect(await refused(['book', { marked: 1 }])).toContain('invalid argument 1')
    expect(await refused(['ownOrders', { owner: 'nobody' }])).toContain('invalid owner address')
    expect(await refused({})).toBe('non-array args')
    client.socket.terminate()
  })

  test('asks once a block for all, and not at all without a reader', async () => {
    const clients = await Promise.all([open(), open(), open()])
    const asked = () => application.asked.filter(({ name }) => name === 'clobUpdates').length
    commit()
    expect(asked()).toBe(0)
    const ids: (string | undefined)[] = []
    for (const client of clients) {
      ids.push((await client.request('clob_subscribe', ['book', { market: 1 }])).result)
      await client.told()
    }
    const before = asked()
    commit()
    const texts = await Promise.all(clients.map(async (client) => JSON.stringify(await client.told())))
    expect(new Set(texts).size).toBe(1)
    expect(asked()).toBe(before + 1)
    for (const [index, client] of clients.entries()) {
      expect(await client.request('clob_unsubscribe', [ids[index]])).toMatchObject({ result: true })
      client.socket.terminate()
    }
    commit()
    expect(asked()).toBe(before + 1)
  })

  test('ends with a reason where a block cannot be told', async () => {
    const client = await open()
    await client.request('clob_subscribe', ['book', { market: 1 }])
    await client.told()
    newest = 8
    oldest = 9
    application.commit()
    expect(await client.closed).toBe('a subscription ended: block 8: not known here any more')
  })

  test('ends where the sequences do not follow each other', async () => {
    const client = await open()
    await client.request('clob_subscribe', ['book', { market: 1 }])
    await client.told()
    newest = 10
    application.answers.clobUpdates = ({ height }) => JSON.stringify({ ...updatesAt(10), height })
    application.commit()
    expect(await client.closed).toContain('block 8 does not follow what was told')
  })
})

describe('a greedy client', () => {
  test('that subscribes to unknown markets by the thousand is refused each time, and leaves nothing behind', async () => {
    const client = await open()
    const count = 3_000
    const ids = Array.from({ length: count }, (_, id) => id)
    for (const id of ids) {
      const channel = ['book', 'orders', 'trades', 'bestPrices', 'optimistic'][id % 5]
      client.socket.send(
        JSON.stringify({ jsonrpc: '2.0', id, method: 'clob_subscribe', params: [channel, { market: 2 + id }] }),
      )
    }
    for (const _ of ids) expect((await client.next()).error?.message).toMatch(/^there is no market \d+$/)
    const before = application.asked.length
    commit()
    // Nobody reads: the block is not even asked for.
    expect(application.asked.length).toBe(before)
    await client.request('clob_subscribe', ['book', { market: 1 }])
    expect((await client.told()).is_snapshot).toBe(true)
    client.socket.terminate()
  })

  test('has at most a thousand streams on a connection, and four thousand at all', async () => {
    const subscribe = async (count: number) => {
      const client = await open()
      const refused: string[] = []
      for (let id = 0; id < count; id++) {
        client.socket.send(
          JSON.stringify({ jsonrpc: '2.0', id, method: 'clob_subscribe', params: ['trades', { market: 1 }] }),
        )
      }
      for (let answered = 0; answered < count; ) {
        const { result, error } = await client.next()
        if (result !== undefined || error !== undefined) answered++
        if (error !== undefined) refused.push(error.message)
      }
      return { client, refused }
    }
    const most = GATEWAY_DEFAULTS.wsSubscriptionLimit
    const first = await subscribe(most + 10)
    expect(first.refused).toEqual(
      Array.from({ length: 10 }, () => `too many subscriptions, at most ${most} are allowed`),
    )
    const others = []
    for (let opened = 0; opened < 4; opened++) others.push(await subscribe(most))
    const refused = others.flatMap((each) => each.refused)
    expect(refused.length).toBe(5 * most - 4_096)
    expect(new Set(refused)).toEqual(new Set(['too many subscriptions: those of a client may take 4194304 bytes']))
    for (const { client } of [first, ...others]) client.socket.terminate()
  })

  test('a batch makes nobody hold the snapshots that wait for its reply', async () => {
    const bids = Array.from({ length: 20_000 }, (_, at) => level(1 + at, '1000000'))
    const { clobDepth } = application.answers
    application.answers.clobDepth = async (parameters) =>
      JSON.stringify({ ...(JSON.parse((await clobDepth?.(parameters)) ?? '') as ClobDepth), bids })
    // The reply of the batch waits for an answer that never comes.
    application.answers.native = () => new Promise<string>(() => undefined)
    const client = await open()
    const calls = Array.from({ length: 300 }, (_, id) => ({
      method: 'clob_subscribe',
      params: ['book', { market: 1 }],
      id,
    }))
    const batch = [...calls, { method: 'clob_getParams', params: [], id: 300 }]
    client.socket.send(JSON.stringify(batch.map((call) => ({ jsonrpc: '2.0', ...call }))))
    expect(await client.closed).toBe('too slow: messages were left unread')
  })

  test('that never reads is cut off with a reason, and an honest one beside it misses nothing', async () => {
    const bids = Array.from({ length: 30_000 }, (_, at) => level(1 + at, '1000000'))
    const { clobUpdates } = application.answers
    application.answers.clobUpdates = async (parameters) => {
      const updates = JSON.parse((await clobUpdates?.(parameters)) ?? '') as ClobUpdates
      return JSON.stringify({ ...updates, markets: updates.markets.map((each) => ({ ...each, bids })) })
    }
    const [deaf, honest] = await Promise.all([open(), open()])
    await deaf.request('clob_subscribe', ['book', { market: 1 }])
    await deaf.told()
    await honest.request('clob_subscribe', ['bestPrices', { market: 1 }])
    await honest.told()
    deaf.socket.pause()
    while (!warnings.some(({ reason }) => reason === 'too slow: messages were left unread')) {
      expect(newest).toBeLessThan(200)
      commit()
      expect(Number((await honest.told()).height)).toBe(newest)
    }
    // It reads no reason, for it reads nothing.
    deaf.socket.resume()
    await deaf.closed
    honest.socket.terminate()
  })
})

describe('the optimistic channel', () => {
  const { OrderStage } = clobStream
  const tx = toBinary(clobTx.ClobTxSchema, create(clobTx.ClobTxSchema, { version: 1, nonceMs: 5n, goodTilBlock: 9 }))
  const raw = Buffer.concat([Uint8Array.of(0x70), tx]).toString('base64')
  const waiting = (index: number, changes: Partial<ClobWaitingOrder> = {}): ClobWaitingOrder => ({
    ...{ hash: `0x${String(index).padStart(64, '0')}`, stage: OrderStage.PENDING, owner: MAKER, markets: [1] },
    ...{ seenMs: 1_000 + index, height: 7, raw, ...changes },
  })
  const changed = (index: number, stage: clobStream.OrderStage, changes: Partial<ClobWaitingOrder> = {}) =>
    waiting(index, { stage, raw: null, ...changes })
  /** What has happened in the application. */
  let news: ClobWaitingOrder[]
  let pages: readonly (readonly ClobWaitingOrder[])[]

  beforeEach(() => {
    news = []
    pages = [[]]
    application.answers.clobPool = ({ from }) => {
      const at = from?.arrival ?? 0
      const next = at + 1 < pages.length ? { arrival: at + 1, below: 9, place: from?.place ?? news.length } : null
      const place = from?.place ?? news.length
      return JSON.stringify({ height: 7, timeMs: 7_000, place, orders: pages[at] ?? [], next } satisfies ClobPool)
    }
    application.answers.clobNews = ({ since }) => {
      if (since < oldest - 1) throw unknown()
      const orders = news.slice(since)
      return JSON.stringify({ height: 7, timeMs: 7_000, next: news.length, isMore: false, orders } satisfies ClobNews)
    }
  })

  interface Optimistic {
    readonly is_snapshot: boolean
    readonly is_continued: boolean
    readonly orders: readonly {
      readonly tx_hash: string
      readonly stage: string
      readonly tx: unknown
      readonly height: string
    }[]
  }
  const brief = ({ is_snapshot, is_continued, orders }: Optimistic) => [
    is_snapshot,
    is_continued,
    orders.map(({ tx_hash, stage }) => [Number(Buffer.from(tx_hash, 'base64').toString('hex')), stage.slice(12)]),
  ]
  const subscribe = async (request: unknown) => {
    const client = await open()
    const { result, error } = await client.request('clob_subscribe', ['optimistic', request])
    const told = async (): Promise<Optimistic> => (await client.told()) as unknown as Optimistic
    return { ...client, id: result, error, told }
  }

  test('begins with what waits, in pages, and goes on with what happens, by market and owner', async () => {
    pages = [[waiting(1)], [waiting(2, { stage: OrderStage.CARRIED })]]
    const ofMarket = await subscribe({ market: 1 })
    expect(brief(await ofMarket.told())).toEqual([true, true, [[1, 'PENDING']]])
    expect(brief(await ofMarket.told())).toEqual([false, false, [[2, 'CARRIED']]])
    pages = [[]]
    const ofTaker = await subscribe({ owner: TAKER })
    expect(brief(await ofTaker.told())).toEqual([true, false, []])
    news.push(waiting(3, { markets: [2] }), waiting(4, { markets: [0], owner: TAKER }), changed(1, OrderStage.ATTESTED))
    const told = await ofMarket.told()
    expect(brief(told)).toEqual([
      false,
      false,
      [
        [4, 'PENDING'],
        [1, 'ATTESTED'],
      ],
    ])
    expect(told.orders.map((order) => order.tx === null)).toEqual([false, true])
    expect(brief(await ofTaker.told())).toEqual([false, false, [[4, 'PENDING']]])
    news.push(changed(4, OrderStage.INCLUDED, { owner: TAKER, height: 8 }))
    expect(await ofTaker.told()).toMatchObject({ orders: [{ stage: 'ORDER_STAGE_INCLUDED', height: '8', tx: null }] })
    for (const { socket } of [ofMarket, ofTaker]) socket.terminate()
  })

  test('tells who joins all that came since its snapshot, and the others nothing twice', async () => {
    const first = await subscribe({ market: 1 })
    await first.told()
    news.push(waiting(1))
    expect(brief(await first.told())).toEqual([false, false, [[1, 'PENDING']]])
    // Its snapshot is of before that.
    const { clobPool } = application.answers
    application.answers.clobPool = async (parameters) => {
      const page = JSON.parse((await clobPool?.(parameters)) ?? '') as ClobPool
      return JSON.stringify({ ...page, place: 0 })
    }
    const second = await subscribe({ market: 1 })
    expect(brief(await second.told())).toEqual([true, false, []])
    expect(brief(await second.told())).toEqual([false, false, [[1, 'PENDING']]])
    news.push(changed(1, OrderStage.DROPPED))
    for (const client of [first, second]) {
      expect(brief(await client.told())).toEqual([false, false, [[1, 'DROPPED']]])
      client.socket.terminate()
    }
  })

  test('ends that of a reader who has fallen behind, and leaves the others', async () => {
    const first = await subscribe({ market: 1 })
    await first.told()
    const { clobPool } = application.answers
    application.answers.clobPool = async (parameters) => {
      const page = JSON.parse((await clobPool?.(parameters)) ?? '') as ClobPool
      return JSON.stringify({ ...page, place: -5 })
    }
    const second = await subscribe({ market: 1 })
    await second.told()
    expect(await second.closed).toBe('a subscription ended: not known here any more')
    news.push(waiting(1))
    expect(brief(await first.told())).toEqual([false, false, [[1, 'PENDING']]])
    first.socket.terminate()
  })

  test('waits with each page of a snapshot until the client has taken the one before, and then tells what came', async () => {
    pages = [[waiting(1)], [waiting(2)], [waiting(3)]]
    const optimistic = createOptimisticStreams({
      ask: (name, parameters) => application.ask(name, parameters, newest),
      log: SILENT_LOG,
    })
    const begin = async (drained: () => Promise<void>) => {
      const sent: string[] = []
      const send: StreamReader['send'] = ({ json }) => {
        const told = JSON.parse(json.toString()) as Optimistic
        sent.push(
          ...told.orders.map(({ tx_hash }) => Buffer.from(tx_hash, 'base64').toString('hex').replace(/^0+/, '')),
        )
      }
      const opening = await optimistic.open({ channel: 'optimistic', market: 1, owner: undefined })
      const reader = { client: 'somebody', form: 'json', fail: () => undefined, charge: () => undefined } as const
      optimistic.join(opening, { ...reader, send, drained })
      return sent
    }
    let taken: () => void = () => undefined
    const slow = await begin(() => new Promise((resolve) => (taken = resolve)))
    const quick = await begin(() => Promise.resolve())
    news.push(waiting(4))
    await vi.waitFor(() => expect(quick).toEqual(['1', '2', '3', '4']))
    expect(slow).toEqual(['1'])
    for (const wanted of [
      ['1', '2'],
      ['1', '2', '3', '4'],
    ]) {
      taken()
      await vi.waitFor(() => expect(slow).toEqual(wanted))
    }
    expect(quick).toEqual(['1', '2', '3', '4'])
    optimistic.close()
  })

  test('ends with a reason where it has fallen behind, asks nothing without a reader, and wants a market or an owner', async () => {
    const client = await subscribe({ market: 1 })
    await client.told()
    oldest = 99
    expect(await client.closed).toBe('a subscription ended: not known here any more')
    const asked = application.asked.filter(({ name }) => name === 'clobNews').length
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(application.asked.filter(({ name }) => name === 'clobNews').length).toBe(asked)
    for (const request of [{}, { market: 0 }, { owner: '' }]) {
      expect((await subscribe(request)).error?.message).toBe('name a market, or an owner, or both')
    }
    expect((await subscribe({ owner: 'nobody' })).error?.message).toContain('invalid owner address')
    expect((await subscribe({ market: 1, from_height: '4' })).error?.message).toContain('invalid argument 1')
  })
})

describe('a block in which very many orders die', () => {
  test('looks at each of them once, however many owners are told', () => {
    let looked = 0
    const died = Array.from({ length: 1_000 }, (_, at) => ({
      orderSeq: at,
      get owner() {
        looked++
        return at % 2 === 0 ? MAKER : TAKER
      },
    }))
    const [changes] = updatesAt(8).markets
    const block = new BlockMessages({ ...updatesAt(8), markets: changes === undefined ? [] : [{ ...changes, died }] })
    const owners = [MAKER, TAKER, ...Array.from({ length: 100 }, (_, at) => `nobody ${at}`)]
    const counts = owners.map((owner) => {
      const message = block.messageOf({ channel: 'ownOrders', owner, fromHeight: 0 }, undefined, undefined)
      return (JSON.parse(message.json.toString()) as { readonly died: readonly string[] }).died.length
    })
    expect(counts.slice(0, 3)).toEqual([500, 500, 0])
    expect(looked).toBe(died.length)
  })
})

describe('the hub', () => {
  const readerOf = (changes: Partial<StreamReader> = {}) => {
    const sent: string[] = []
    let charged = 0
    const reader: StreamReader = {
      ...{ client: 'somebody', form: 'json', drained: () => Promise.resolve(), fail: () => undefined },
      send: ({ json }) => void sent.push(json.toString()),
      charge: (length) => void (charged += length),
      ...changes,
    }
    return { reader, sent, charged: () => charged }
  }
  const startHub = () => {
    const head = createHeadTracker(application)
    const ask: StreamHubOptions['ask'] = (name, parameters) =>
      application.ask(name, parameters, head.current().head.height)
    return createStreamHub({ head, ask, log: SILENT_LOG })
  }

  test('keeps no levels of a snapshot for as long as its market is quiet', async () => {
    const hub = startHub()
    const opening = await hub.open({ channel: 'book', market: 1, fromHeight: 0 })
    expect('stamp' in opening && Object.keys(opening.stamp ?? {}).toSorted()).toEqual([
      ...['ask', 'bid', 'blockPriceTicks', 'sequence'],
    ])
    hub.close()
  })

  test('charges those who resume for the blocks that are asked for them, and nobody for what all are told', async () => {
    const hub = startHub()
    const text = async (height: number): Promise<string> =>
      (await application.answers.clobUpdates?.({ height, recordsFrom: 0 })) ?? ''
    const all = await Promise.all([5, 6, 7].map(text))
    const [resumed, fresh] = [readerOf(), readerOf()]
    hub.join(await hub.open({ channel: 'trades', market: 1, fromHeight: 5 }), resumed.reader)
    hub.join(await hub.open({ channel: 'trades', market: 1, fromHeight: 0 }), fresh.reader)
    await vi.waitFor(() => expect(resumed.sent.length).toBe(3))
    const past = all.reduce((sum, { length }) => sum + length, 0)
    expect(resumed.charged()).toBe(past)
    commit()
    await vi.waitFor(() => expect(resumed.sent.length).toBe(4))
    expect([resumed.charged(), fresh.charged()]).toEqual([past, 0])
    hub.close()
  })
})

describe('nat.clob.v1.Stream', () => {
  const { WatchBookRequestSchema, BookUpdateSchema } = clobStream

  const watch = (market: number) => {
    const client = new Client(gateway.grpcAddress ?? '', credentials.createInsecure())
    const request = toBinary(WatchBookRequestSchema, create(WatchBookRequestSchema, { market }))
    const call: ClientReadableStream<clobStream.BookUpdate> = client.makeServerStreamRequest(
      '/nat.clob.v1.Stream/WatchBook',
      (bytes: Uint8Array) => Buffer.from(bytes),
      (bytes: Buffer) => fromBinary(BookUpdateSchema, bytes),
      request,
    )
    const ended = new Promise<ServiceError>((resolve) => call.once('error', (error) => resolve(error as ServiceError)))
    return { client, call, ended, updates: call[Symbol.asyncIterator]() as AsyncIterator<clobStream.BookUpdate> }
  }

  test('streams the same messages, and ends with a status where a block cannot be told', async () => {
    const { client, ended, updates } = watch(1)
    const next = async () => (await updates.next()).value as clobStream.BookUpdate
    expect(await next()).toMatchObject({ height: 7n, sequence: 3n, isSnapshot: true, bids: [{ lots: '6' }] })
    for (let height = 8; height <= 11; height++) {
      commit()
      const update = await next()
      expect(update).toMatchObject({
        height: BigInt(height),
        sequence: BigInt(Math.floor(height / 2)),
        isSnapshot: false,
      })
    }
    newest = 12
    oldest = 13
    application.commit()
    await expect(updates.next()).rejects.toThrow('block 12: not known here any more')
    expect((await ended).code).toBe(14)
    client.close()
  })

  test('ends the call of a client that reads too slowly, and leaves nothing out before', async () => {
    const bids = Array.from({ length: 30_000 }, (_, at) => level(1 + at, '1000000'))
    const { clobUpdates } = application.answers
    application.answers.clobUpdates = async (parameters) => {
      const updates = JSON.parse((await clobUpdates?.(parameters)) ?? '') as ClobUpdates
      return JSON.stringify({ ...updates, markets: updates.markets.map((each) => ({ ...each, bids })) })
    }
    const { client, call, ended, updates } = watch(1)
    expect((await updates.next()).value).toMatchObject({ height: 7n })
    call.pause()
    const last = 7 + 60
    while (newest < last) {
      commit()
      await new Promise((resolve) => setImmediate(resolve))
    }
    const heights: bigint[] = []
    call.on('data', ({ height }: clobStream.BookUpdate) => heights.push(height))
    call.resume()
    expect(await ended).toMatchObject({ code: 8, details: 'too slow: messages were left unread' })
    expect(heights.length).toBeLessThan(60)
    expect(heights).toEqual(heights.map((_, at) => BigInt(8 + at)))
    client.close()
  })

  test('refuses a market that is not there', async () => {
    const { client, call, ended } = watch(2)
    call.resume()
    expect(await ended).toMatchObject({ code: 5, details: 'there is no market 2' })
    client.close()
  })
})
