/** The channel of orders that no block holds yet. */
import { create, toBinary } from '@bufbuild/protobuf'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ClobNews, ClobPool, ClobWaitingOrder } from '../../../app/ports.ts'
import { clobStream, clobTx } from '../../../proto/index.ts'
import { SILENT_LOG } from '../../log.ts'
import type { StreamHubOptions, StreamReader } from './hub.ts'
import { createOptimisticStreams } from './optimistic.ts'
import { MAKER, TAKER, useWorld } from './testing/world.ts'

const world = useWorld()

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
    world.application.answers.clobPool = ({ from }) => {
      const at = from?.arrival ?? 0
      const next = at + 1 < pages.length ? { arrival: at + 1, below: 9, place: from?.place ?? news.length } : null
      const place = from?.place ?? news.length
      return JSON.stringify({ height: 7, timeMs: 7_000, place, orders: pages[at] ?? [], next } satisfies ClobPool)
    }
    world.application.answers.clobNews = ({ since }) => {
      if (since < world.oldest - 1) throw world.unknown()
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
    const client = await world.open()
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
    const { clobPool } = world.application.answers
    world.application.answers.clobPool = async (parameters) => {
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
    const { clobPool } = world.application.answers
    world.application.answers.clobPool = async (parameters) => {
      const page = JSON.parse((await clobPool?.(parameters)) ?? '') as ClobPool
      return JSON.stringify({ ...page, place: -5 })
    }
    // An opening is shared until then.
    world.commit()
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
      ask: (name, parameters) => world.application.ask(name, parameters, world.newest),
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
    /** One for each page that waits, or waited, to be taken. */
    const takers: (() => void)[] = []
    const slow = await begin(() => new Promise((resolve) => takers.push(resolve)))
    const quick = await begin(() => Promise.resolve())
    news.push(waiting(4))
    await expect.poll(() => quick).toEqual(['1', '2', '3', '4'])
    expect(slow).toEqual(['1'])
    for (const [at, wanted] of [
      ['1', '2'],
      ['1', '2', '3', '4'],
    ].entries()) {
      await expect.poll(() => takers.length).toBeGreaterThan(at)
      takers[at]?.()
      await expect.poll(() => slow).toEqual(wanted)
    }
    expect(quick).toEqual(['1', '2', '3', '4'])
    optimistic.close()
  })

  test('holds so much of snapshots that nobody reads, and that of the greediest ends', async () => {
    pages = [[waiting(1)], [waiting(2)]]
    const ask: StreamHubOptions['ask'] = (name, parameters) => world.application.ask(name, parameters, world.newest)
    const whole = await createOptimisticStreams({ ask, log: SILENT_LOG }).open({
      ...{ channel: 'optimistic', market: 1, owner: undefined },
    })
    const waitingSnapshots = { bytes: 3 * whole.length, bytesOfClient: 2 * whole.length }
    const optimistic = createOptimisticStreams({ ask, log: SILENT_LOG, waitingSnapshots })
    const ended: string[] = []
    const join = (client: string, drained: () => Promise<void>): (() => void) =>
      optimistic.join(whole, {
        ...{ client, form: 'json', send: () => undefined, charge: () => undefined, drained },
        fail: (reason) => void ended.push(`${client}: ${reason}`),
      })
    const never = () => new Promise<void>(() => undefined)
    const [first] = [join('ann', never), join('ann', never)]
    expect(() => join('ann', never)).toThrow('those of a client may take')
    join('bob', never)
    expect(ended).toEqual([])
    join('bob', never)
    expect(ended).toEqual(['ann: too many snapshots wait for their readers'])
    // It has ended already, which gives nothing back twice.
    first()
    for (let readers = 0; readers < 5; readers++) {
      const before = ended.length
      let isRead = false
      join('cid', () => {
        isRead = true
        return Promise.resolve()
      })
      await expect.poll(() => isRead).toBe(true)
      await new Promise((resolve) => setImmediate(resolve))
      // Whoever reads makes room again: the greediest ends at most once for it.
      expect(ended.length - before).toBeLessThan(readers === 0 ? 2 : 1)
    }
    optimistic.close()
  })

  test('ends with a reason where it has fallen behind, asks nothing without a reader, and wants a market or an owner', async () => {
    const client = await subscribe({ market: 1 })
    await client.told()
    world.oldest = 99
    expect(await client.closed).toBe('a subscription ended: not known here any more')
    const asked = world.application.asked.filter(({ name }) => name === 'clobNews').length
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
    expect(world.application.asked.filter(({ name }) => name === 'clobNews').length).toBe(asked)
    for (const request of [{}, { market: 0 }, { owner: '' }]) {
      expect((await subscribe(request)).error?.message).toBe('name a market, or an owner, or both')
    }
    expect((await subscribe({ owner: 'nobody' })).error?.message).toContain('invalid owner address')
    expect((await subscribe({ market: 1, from_height: '4' })).error?.message).toContain('invalid argument 1')
  })
})
