/** What readers of streams may cost: their number, what is held and charged for them, and the work of a block for all. */
import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, test, vi } from 'vitest'
import type { ClobDepth, ClobOrdersPage, ClobUpdates } from '../../../app/ports.ts'
import { clobStream } from '../../../proto/index.ts'
import { createHeadTracker } from '../../head.ts'
import { SILENT_LOG } from '../../log.ts'
import { GATEWAY_DEFAULTS } from '../../settings.ts'
import { createStreamHub, type StreamHubOptions, type StreamReader } from './hub.ts'
import { BlockMessages } from './messages.ts'
import { level, MAKER, TAKER, updatesAt, useWorld } from './testing/world.ts'

/** Tens of thousands of orders are encoded meanwhile. */
const LONG = { timeout: 600_000 }

const world = useWorld()

describe('a greedy client', () => {
  test('that subscribes to unknown markets by the thousand is refused each time, and leaves nothing behind', async () => {
    const client = await world.open()
    const count = 3_000
    const ids = Array.from({ length: count }, (_, id) => id)
    for (const id of ids) {
      const channel = ['book', 'orders', 'trades', 'bestPrices', 'optimistic'][id % 5]
      client.socket.send(
        JSON.stringify({ jsonrpc: '2.0', id, method: 'clob_subscribe', params: [channel, { market: 2 + id }] }),
      )
    }
    for (const _ of ids) expect((await client.next()).error?.message).toMatch(/^there is no market \d+$/)
    const before = world.application.asked.length
    world.commit()
    // Nobody reads: the block is not even asked for.
    expect(world.application.asked.length).toBe(before)
    await client.request('clob_subscribe', ['book', { market: 1 }])
    expect((await client.told()).is_snapshot).toBe(true)
    client.socket.terminate()
  })

  test('has at most a thousand streams on a connection, and four thousand at all', async () => {
    const subscribe = async (count: number) => {
      const client = await world.open()
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
    const { clobDepth } = world.application.answers
    world.application.answers.clobDepth = async (parameters) =>
      JSON.stringify({ ...(JSON.parse((await clobDepth?.(parameters)) ?? '') as ClobDepth), bids })
    // The reply of the batch waits for an answer that never comes.
    world.application.answers.native = () => new Promise<string>(() => undefined)
    const client = await world.open()
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
    const { clobUpdates } = world.application.answers
    world.application.answers.clobUpdates = async (parameters) => {
      const updates = JSON.parse((await clobUpdates?.(parameters)) ?? '') as ClobUpdates
      return JSON.stringify({ ...updates, markets: updates.markets.map((each) => ({ ...each, bids })) })
    }
    const [deaf, honest] = await Promise.all([world.open(), world.open()])
    await deaf.request('clob_subscribe', ['book', { market: 1 }])
    await deaf.told()
    await honest.request('clob_subscribe', ['bestPrices', { market: 1 }])
    await honest.told()
    deaf.socket.pause()
    while (!world.warnings.some(({ reason }) => reason === 'too slow: messages were left unread')) {
      expect(world.newest).toBeLessThan(200)
      world.commit()
      expect(Number((await honest.told()).height)).toBe(world.newest)
    }
    // It reads no reason, for it reads nothing.
    deaf.socket.resume()
    await deaf.closed
    honest.socket.terminate()
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
  const startHub = (waitingSnapshots?: StreamHubOptions['waitingSnapshots']) => {
    const head = createHeadTracker(world.application)
    const ask: StreamHubOptions['ask'] = (name, parameters) =>
      world.application.ask(name, parameters, head.current().head.height)
    return createStreamHub({ head, ask, log: SILENT_LOG, ...(waitingSnapshots && { waitingSnapshots }) })
  }

  test('keeps no levels of a snapshot for as long as its market is quiet', async () => {
    const hub = startHub()
    const opening = await hub.open({ channel: 'book', market: 1, fromHeight: 0 })
    expect('stamp' in opening && Object.keys(opening.stamp ?? {}).toSorted()).toEqual([
      ...['ask', 'bid', 'blockPriceTicks', 'sequence'],
    ])
    hub.close()
  })

  test('holds one book of orders for a client that does not read on, and the next once it does', async () => {
    const orders = Array.from({ length: 20_001 }, (_, at) => ({ market: 1, orderSeq: BigInt(at + 1), lots: 1n }))
    const { OrdersUpdateSchema } = clobStream
    const page = Buffer.from(toBinary(OrdersUpdateSchema, create(OrdersUpdateSchema, { orders }))).toString('base64')
    world.application.answers.clobOrders = () =>
      JSON.stringify({
        ...{ height: 7, timeMs: 7_000, sequence: 3, listHeight: 7, next: null },
        orders: page,
      } satisfies ClobOrdersPage)
    const bytes = 1.5 * page.length
    const hub = startHub({ bytes, bytesOfClient: bytes })
    let taken: () => void = () => undefined
    const opening = await hub.open({ channel: 'orders', market: 1, fromHeight: 0 })
    const slow = readerOf({ drained: () => new Promise((resolve) => (taken = resolve)) })
    hub.join(opening, slow.reader)
    await expect.poll(() => slow.sent.length).toBe(1)
    expect(() => hub.join(opening, readerOf().reader)).toThrow('those of a client may take')
    taken()
    await expect.poll(() => slow.sent.length).toBe(2)
    const quick = readerOf()
    await vi.waitFor(() => hub.join(opening, quick.reader), LONG)
    await expect.poll(() => quick.sent.length).toBe(2)
    hub.close()
  })

  test('charges those who resume for the blocks that are asked for them, and nobody for what all are told', async () => {
    const hub = startHub()
    const text = async (height: number): Promise<string> =>
      (await world.application.answers.clobUpdates?.({ height, recordsFrom: 0 })) ?? ''
    const all = await Promise.all([5, 6, 7].map(text))
    const [resumed, fresh] = [readerOf(), readerOf()]
    hub.join(await hub.open({ channel: 'trades', market: 1, fromHeight: 5 }), resumed.reader)
    hub.join(await hub.open({ channel: 'trades', market: 1, fromHeight: 0 }), fresh.reader)
    await expect.poll(() => resumed.sent.length).toBe(3)
    const past = all.reduce((sum, { length }) => sum + length, 0)
    expect(resumed.charged()).toBe(past)
    world.commit()
    await expect.poll(() => resumed.sent.length).toBe(4)
    expect([resumed.charged(), fresh.charged()]).toEqual([past, 0])
    hub.close()
  })
})
