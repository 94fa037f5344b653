/** Streams of the order book over WebSocket: what a subscription begins with, is told, and ends with. */
import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import type { ClobOrdersPage, ClobUpdates } from '../../../app/ports.ts'
import { clobStream } from '../../../proto/index.ts'
import { brief, MAKER, TAKER, updatesAt, useWorld } from './testing/world.ts'

const world = useWorld()

describe('clob_subscribe', () => {
  test('begins with a snapshot, and then has every block, also without a change', async () => {
    const client = await world.open()
    const { result } = await client.request('clob_subscribe', ['book', { market: 1 }])
    expect(result).toMatch(/^0x/)
    const first = await client.next()
    expect(first).toMatchObject({ method: 'clob_subscription', params: { subscription: result, channel: 'book' } })
    expect(first.params?.result).toEqual({
      ...{ market: 1, height: '7', time_ms: '7000', sequence: '3', previous_sequence: '3', is_snapshot: true },
      ...{ bids: [{ price_ticks: 100, lots: '6', orders: 1 }], asks: [] },
    })
    for (let height = 8; height <= 12; height++) {
      world.commit()
      const told = await client.told()
      expect(brief(told)).toEqual([height, Math.floor((height - 1) / 2), Math.floor(height / 2), false])
      expect(told.bids?.map(({ lots }) => lots)).toEqual(height % 2 === 0 ? [String(height)] : [])
    }
    client.socket.terminate()
  })

  test('joins above the head of the gateway without a gap, and is not told twice', async () => {
    const client = await world.open()
    world.newest = 9
    await client.request('clob_subscribe', ['trades', { market: 1 }])
    expect(brief(await client.told())).toEqual([9, 4, 4, true])
    world.application.commit()
    world.application.commit()
    world.commit()
    const told = await client.told()
    expect(brief(told)).toEqual([10, 4, 5, false])
    expect(told.trades).toEqual([
      { sequence: '5', price_ticks: 100, lots: '5', taker_side: 'SIDE_BUY', maker_seq: '1', taker_seq: '2' },
    ])
    client.socket.terminate()
  })

  test('resumes at a height of the ring, and refuses one below it or above the next block', async () => {
    world.oldest = 5
    const client = await world.open()
    await client.request('clob_subscribe', ['bestPrices', { market: 1, from_height: '5' }])
    for (const height of [5, 6, 7]) expect(Number((await client.told()).height)).toBe(height)
    world.commit()
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
    world.application.answers.clobOrders = () => {
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
    world.application.answers.clobOwnOrders = ({ owner }) =>
      encoded(toBinary(OwnOrdersUpdateSchema, create(OwnOrdersUpdateSchema, { ...head, owner, previousHeight: 6n })))
    const ask = world.application.answers.clobUpdates
    world.application.answers.clobUpdates = async (parameters) => {
      const updates = JSON.parse((await ask?.(parameters)) ?? '') as ClobUpdates
      const rejected = [{ owner: TAKER, action: 2, code: 57, reason: 'no', hash: '0x0101' }] as const
      const refused = [{ owner: TAKER, hash: '0x0202', code: 33, reason: 'late', subaccount: 1, nonceMs: 9 }] as const
      return JSON.stringify({ ...updates, rejected, refused } satisfies ClobUpdates)
    }
    const [ofMarket, ofTaker, ofMaker] = await Promise.all([world.open(), world.open(), world.open()])
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
    world.commit()
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
    const { clobUpdates } = world.application.answers
    world.application.answers.clobUpdates = async (parameters) => {
      const updates = JSON.parse((await clobUpdates?.(parameters)) ?? '') as ClobUpdates
      const [record] = updates.records ?? []
      const from = parameters.recordsFrom
      if (record === undefined || from === undefined) return JSON.stringify(updates)
      const records = Array.from({ length: Math.min(2_000, count - from) }, (_, at) => ({ ...record, lots: from + at }))
      return JSON.stringify({ ...updates, records, next: from + 2_000 < count ? from + 2_000 : null })
    }
    world.application.answers.clobOrders = () =>
      JSON.stringify({
        height: 7,
        timeMs: 7_000,
        sequence: 3,
        orders: '',
        listHeight: 7,
        next: null,
      } satisfies ClobOrdersPage)
    const [ofOrders, ofBook] = await Promise.all([world.open(), world.open()])
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
    world.commit()
    const whole = (await ofOrders.told()) as unknown as { records: readonly { fill: { lots: string } }[] }
    isOver = true
    expect(whole.records.map(({ fill }) => Number(fill.lots))).toEqual(Array.from({ length: count }, (_, at) => at))
    expect(turns).toBeGreaterThan(15)
    expect(brief(await ofBook.told())).toEqual([8, 3, 4, false])
    for (const { socket } of [ofOrders, ofBook]) socket.terminate()
  })

  test('refuses a market that is not there, an unknown channel and malformed requests', async () => {
    const client = await world.open()
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
    const clients = await Promise.all([world.open(), world.open(), world.open()])
    const asked = () => world.application.asked.filter(({ name }) => name === 'clobUpdates').length
    world.commit()
    expect(asked()).toBe(0)
    const ids: (string | undefined)[] = []
    for (const client of clients) {
      ids.push((await client.request('clob_subscribe', ['book', { market: 1 }])).result)
      await client.told()
    }
    const before = asked()
    world.commit()
    const texts = await Promise.all(clients.map(async (client) => JSON.stringify(await client.told())))
    expect(new Set(texts).size).toBe(1)
    expect(asked()).toBe(before + 1)
    for (const [index, client] of clients.entries()) {
      expect(await client.request('clob_unsubscribe', [ids[index]])).toMatchObject({ result: true })
      client.socket.terminate()
    }
    world.commit()
    expect(asked()).toBe(before + 1)
  })

  test('ends with a reason where a block cannot be told', async () => {
    const client = await world.open()
    await client.request('clob_subscribe', ['book', { market: 1 }])
    await client.told()
    world.newest = 8
    world.oldest = 9
    world.application.commit()
    expect(await client.closed).toBe('a subscription ended: block 8: not known here any more')
  })

  test('ends where the sequences do not follow each other', async () => {
    const client = await world.open()
    await client.request('clob_subscribe', ['book', { market: 1 }])
    await client.told()
    world.newest = 10
    world.application.answers.clobUpdates = ({ height }) => JSON.stringify({ ...updatesAt(10), height })
    world.application.commit()
    expect(await client.closed).toContain('block 8 does not follow what was told')
  })
})
