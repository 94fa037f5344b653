/** What streams begin with: made once a block for all, in turns by client and connection, and only while somebody waits. */
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { Client, type ClientReadableStream, credentials } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import type { ClobDepth } from '../../../app/ports.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { clobStream } from '../../../proto/index.ts'
import { createHeadTracker } from '../../head.ts'
import { SILENT_LOG } from '../../log.ts'
import { createStreamHub, type StreamHubOptions, type StreamReader } from './hub.ts'
import { Kept } from './kept.ts'
import { brief, level, useWorld } from './testing/world.ts'

const world = useWorld()

const { OwnOrdersUpdateSchema, WatchBookRequestSchema, WatchOwnOrdersRequestSchema } = clobStream

const ownerAt = (index: number): string => encodeBech32(new Uint8Array(20).fill(index + 1))
const asked = (name: string) => world.application.asked.filter((each) => each.name === name)

/** Questions of that name wait until the test answers them. */
const holdOwnOrders = () => {
  const held: { readonly owner: string; readonly answer: () => void }[] = []
  world.application.answers.clobOwnOrders = ({ owner }) =>
    new Promise<string>((resolve) => {
      const message = create(OwnOrdersUpdateSchema, { owner, height: BigInt(world.newest), isSnapshot: true })
      const text = JSON.stringify(Buffer.from(toBinary(OwnOrdersUpdateSchema, message)).toString('base64'))
      held.push({ owner, answer: () => resolve(text) })
    })
  return held
}

/** One connection of gRPC. */
const connect = () => {
  const client = new Client(world.grpcAddress, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 })
  const call = (method: string, request: Uint8Array): ClientReadableStream<Buffer> => {
    const made = client.makeServerStreamRequest(
      `/nat.clob.v1.Stream/${method}`,
      (bytes: Uint8Array) => Buffer.from(bytes),
      (bytes: Buffer) => bytes,
      request,
    )
    made.on('error', () => undefined)
    return made
  }
  return {
    watchOwn: (owner: string) =>
      call('WatchOwnOrders', toBinary(WatchOwnOrdersRequestSchema, create(WatchOwnOrdersRequestSchema, { owner }))),
    watchBook: (init: MessageInitShape<typeof WatchBookRequestSchema>) =>
      call('WatchBook', toBinary(WatchBookRequestSchema, create(WatchBookRequestSchema, init))),
    close: () => client.close(),
  }
}

const first = (call: ClientReadableStream<Buffer>): Promise<Buffer> =>
  new Promise((resolve) => call.once('data', resolve))

describe('an opening', () => {
  test('is asked for once a block, however often a client subscribes and leaves, and what follows it is the book', async () => {
    const client = await world.open()
    const subscribe = async () => {
      const { result } = await client.request('clob_subscribe', ['book', { market: 1 }])
      return { id: result, told: await client.told() }
    }
    for (let times = 0; times < 20; times++) {
      const { id, told } = await subscribe()
      expect(brief(told)).toEqual([7, 3, 3, true])
      expect(await client.request('clob_unsubscribe', [id])).toMatchObject({ result: true })
    }
    expect(asked('clobDepth').length).toBe(1)
    await subscribe()
    for (const wanted of [
      [8, 3, 4, false],
      [9, 4, 4, false],
    ]) {
      world.commit()
      expect(brief(await client.told())).toEqual(wanted)
    }
    expect(brief((await subscribe()).told)).toEqual([9, 4, 4, true])
    expect(asked('clobDepth').length).toBe(2)
    world.commit()
    expect([brief(await client.told()), brief(await client.told())]).toEqual([
      [10, 4, 5, false],
      [10, 4, 5, false],
    ])
    client.socket.terminate()
  })

  test('of a block that the head shows no more is made anew', async () => {
    const hub = createStreamHub({ head: createHeadTracker(world.application), ask: askNow(), log: SILENT_LOG })
    const open = async (channel: 'book' | 'trades') => {
      const opening = await hub.open({ channel, market: 1, fromHeight: 0 })
      return 'stamp' in opening ? opening : undefined
    }
    const before = await open('book')
    expect(await open('book')).toBe(before)
    world.commit()
    const after = await open('book')
    expect([before?.next, after?.next]).toEqual([8, 9])
    expect(await open('book')).toBe(after)
    // The application is ahead of the head: its newest block is of use once the head shows it.
    world.newest = 9
    expect((await open('trades'))?.next).toBe(10)
    const ahead = await open('trades')
    world.application.commit()
    expect(await open('trades')).toBe(ahead)
    hub.close()
  })

  test('that others hold up has its turn by connection, and what was cancelled before is not asked for', async () => {
    const held = holdOwnOrders()
    const [greedy, honest] = [connect(), connect()]
    // It is kept from here on, and whoever asks for it is answered at once: what came before on its connection is known then.
    await first(honest.watchBook({ market: 1 }))
    const calls = Array.from({ length: 40 }, (_, index) => greedy.watchOwn(ownerAt(index)))
    await expect.poll(() => held.length).toBe(4)
    const wanted = honest.watchOwn(ownerAt(100))
    const answered = first(wanted)
    await first(honest.watchBook({ market: 1 }))
    // The second free place is its own at the latest.
    for (const at of [0, 1]) {
      held[at]?.answer()
      await expect.poll(() => held.length).toBe(5 + at)
    }
    const place = held.findIndex(({ owner }) => owner === ownerAt(100))
    expect(place).toBeGreaterThanOrEqual(4)
    held[place]?.answer()
    expect(fromBinary(OwnOrdersUpdateSchema, await answered)).toMatchObject({ owner: ownerAt(100), isSnapshot: true })
    await expect.poll(() => held.length).toBe(7)
    const gone = calls.map((call) => new Promise((resolve) => call.once('end', resolve).once('error', resolve)))
    for (const call of calls) call.cancel()
    await Promise.all(gone)
    for (let times = 0; times < 2; times++) await first(greedy.watchBook({ market: 1 }))
    for (const { answer } of held) answer()
    for (let times = 0; times < 2; times++) await first(greedy.watchBook({ market: 1 }))
    expect(held.length).toBe(7)
    for (const connection of [greedy, honest]) connection.close()
  })

  test('in pages is given up when its call is cancelled, and begun anew for whoever asks then', async () => {
    const { clobDepth } = world.application.answers
    const held: (() => void)[] = []
    world.application.answers.clobDepth = async (parameters) => {
      const whole = JSON.parse((await clobDepth?.(parameters)) ?? '') as ClobDepth
      await new Promise<void>((resolve) => held.push(resolve))
      return JSON.stringify({ ...whole, next: { side: 'bid', priceTicks: 1 } as unknown as ClobDepth['next'] })
    }
    const connection = connect()
    const call = connection.watchBook({ market: 1 })
    await expect.poll(() => held.length).toBe(1)
    const ended = new Promise((resolve) => call.once('error', resolve))
    call.cancel()
    await ended
    world.application.answers.clobDepth = (parameters) => clobDepth?.(parameters) ?? ''
    await first(connection.watchBook({ market: 1 }))
    const before = asked('clobDepth').length
    held[0]?.()
    await first(connection.watchBook({ market: 1 }))
    expect(asked('clobDepth').length).toBe(before)
    connection.close()
  })
})

const askNow = (): StreamHubOptions['ask'] => (name, parameters) =>
  world.application.ask(name, parameters, world.newest)

describe('snapshots', () => {
  const readerOf = (client: string, sent: string[]): StreamReader => ({
    ...{ client, form: 'json', drained: () => Promise.resolve(), fail: () => undefined, charge: () => undefined },
    send: ({ json }) => void sent.push(`${client} ${json.length > 1_000}`),
  })

  test('are sent in turns by client, and not to those who have left', async () => {
    const bids = Array.from({ length: 20_000 }, (_, at) => level(1 + at, '1000000'))
    const { clobDepth } = world.application.answers
    world.application.answers.clobDepth = async (parameters) => {
      const depth = JSON.parse((await clobDepth?.(parameters)) ?? '') as ClobDepth
      return JSON.stringify(parameters.levels === 0 ? { ...depth, bids } : depth)
    }
    const hub = createStreamHub({ head: createHeadTracker(world.application), ask: askNow(), log: SILENT_LOG })
    const sent: string[] = []
    const [book, best] = [
      await hub.open({ channel: 'book', market: 1, fromHeight: 0 }),
      await hub.open({ channel: 'bestPrices', market: 1, fromHeight: 0 }),
    ]
    const leave = Array.from({ length: 200 }, () => hub.join(book, readerOf('greedy', sent)))
    hub.join(best, readerOf('honest', sent))
    await expect.poll(() => sent).toContain('honest false')
    // Nobody waits behind the book of another client, which takes longer than a turn.
    expect(sent).toEqual(['honest false'])
    for (const end of leave.slice(1)) end()
    await expect.poll(() => sent).toEqual(['honest false', 'greedy true'])
    hub.join(best, readerOf('greedy', sent))
    await expect.poll(() => sent.length).toBe(3)
    expect(sent.at(-1)).toBe('greedy false')
    hub.close()
  })
})

describe('what is kept', () => {
  test('is bounded by entries and bytes, and the oldest goes first', () => {
    const kept = new Kept<number>({ entries: 3, bytes: 100 })
    for (const key of [1, 2, 3, 4]) kept.set(`${key}`, key, 20)
    expect([1, 2, 3, 4].map((key) => kept.get(`${key}`))).toEqual([undefined, 2, 3, 4])
    kept.set('5', 5, 75)
    expect([3, 4, 5].map((key) => kept.get(`${key}`))).toEqual([undefined, 4, 5])
    kept.set('6', 6, 101)
    kept.set('4', 7, 25)
    expect([kept.get('4'), kept.get('5'), kept.get('6'), kept.bytes]).toEqual([7, 5, undefined, 100])
  })
})
