/** The history of the order book against CometBFT's record of each block: its events are the witness. */
import { createHash } from 'node:crypto'
import { createPublicClient, http } from 'viem'
import { expect } from 'vitest'
import { parseAccountAddress } from '../../core/bech32.ts'
import { bytesToHex } from '../../core/hex.ts'
import { clobActions } from '../../packages/clob/index.ts'
import { askJsonRpc, CHAIN_ID, type TestNode, until } from './harness.ts'

interface TendermintEvent {
  readonly type: string
  readonly attributes: readonly { readonly key: string; readonly value: string }[]
}

interface BlockResults {
  readonly txs_results: readonly { readonly events: readonly TendermintEvent[] }[] | null
  readonly finalize_block_events: readonly TendermintEvent[] | null
}

interface Fill {
  readonly market: number
  readonly sequence: string
  readonly height: string
  readonly time_ms: string
  readonly maker_seq: string
  readonly taker_seq: string
  readonly maker: string
  readonly taker: string
  readonly price_ticks: number
  readonly lots: string
  readonly maker_fee: string
  readonly maker_rebate: string
  readonly taker_fee: string
}

interface HistoricalOrder {
  readonly market: number
  readonly order_seq: string
  readonly owner: string
  readonly lots: string
  readonly state: string
  readonly filled_lots: string
  readonly cancelled_lots: string
  readonly reason: string
}

interface Candle {
  readonly start_s: string
  readonly open_ticks: number
  readonly high_ticks: number
  readonly low_ticks: number
  readonly close_ticks: number
  readonly lots: string
  readonly ticks: string
  readonly trades: string
}

type Attributes = Readonly<Record<string, string>>

const RESOLUTIONS_S = [60, 300, 900, 3_600, 14_400, 86_400]
const PAGE = 3

const ask = async <T>({ urls }: TestNode, path: string): Promise<T> => {
  const response = await fetch(`${urls.rest}/nat/clob/v1/${path}`)
  const body = (await response.json()) as T
  expect(response.status, JSON.stringify(body)).toBe(200)
  return body
}

/** What the chain's events say, in their order, with the time of their block. */
const readEvents = async ({ urls }: TestNode, to: number) => {
  const found: { readonly type: string; readonly height: number; readonly timeMs: number; readonly of: Attributes }[] =
    []
  for (let height = 1; height <= to; height++) {
    const get = async <T>(route: string): Promise<T> =>
      ((await (await fetch(`${urls.comet}/${route}?height=${height}`)).json()) as { result: T }).result
    const results = await get<BlockResults>('block_results')
    const { header } = await get<{ header: { time: string } }>('header')
    const events = [
      ...(results.txs_results ?? []).flatMap((result) => result.events),
      ...(results.finalize_block_events ?? []),
    ]
    for (const { type, attributes } of events) {
      if (!['order_placed', 'fill', 'order_removed'].includes(type)) continue
      const of = Object.fromEntries(attributes.map(({ key, value }) => [key, value]))
      found.push({ type, height, timeMs: Date.parse(header.time), of })
    }
  }
  return found
}

/** All pages of an answer. */
const readAll = async <Name extends string, T>(node: TestNode, path: string, name: Name): Promise<readonly T[]> => {
  const all: T[] = []
  for (let before = ''; ; ) {
    const separator = path.includes('?') ? '&' : '?'
    const page = await ask<Record<Name, readonly T[]> & { next: string }>(
      node,
      `${path}${separator}limit=${PAGE}&before=${before}`,
    )
    expect(page[name].length).toBeLessThanOrEqual(PAGE)
    all.push(...page[name])
    if (page.next === '') return all
    before = page.next
  }
}

const expectTrades = async (node: TestNode, events: Awaited<ReturnType<typeof readEvents>>, market: number) => {
  const fills = events.filter(({ type, of }) => type === 'fill' && of['market'] === String(market))
  const trades = await readAll<'trades', Fill>(node, `markets/${market}/trades`, 'trades')
  const shown = trades
    .toReversed()
    .map((trade) => [
      ...[trade.sequence, trade.height, trade.time_ms, trade.maker_seq, trade.taker_seq],
      ...[String(trade.price_ticks), trade.lots, trade.maker_fee, trade.maker_rebate, trade.taker_fee],
    ])
  expect(shown).toEqual(
    fills.map(({ height, timeMs, of }) => [
      ...[of['sequence'], String(height), String(timeMs), of['maker_seq'], of['taker_seq']],
      ...[of['price_ticks'], of['lots'], of['maker_fee'], of['maker_rebate'], of['taker_fee']],
    ]),
  )
  for (const resolution of RESOLUTIONS_S) {
    const spans = new Map<number, { prices: number[]; lots: bigint; ticks: bigint }>()
    for (const { timeMs, of } of fills) {
      const start = Math.floor(timeMs / 1_000 / resolution) * resolution
      const span = spans.get(start) ?? { prices: [], lots: 0n, ticks: 0n }
      span.prices.push(Number(of['price_ticks']))
      span.lots += BigInt(of['lots'] ?? '')
      span.ticks += BigInt(of['lots'] ?? '') * BigInt(of['price_ticks'] ?? '')
      spans.set(start, span)
    }
    const { candles } = await ask<{ candles: readonly Candle[] }>(node, `markets/${market}/candles/${resolution}`)
    expect(candles).toEqual(
      [...spans].map(([start, { prices, lots, ticks }]) => ({
        start_s: String(start),
        open_ticks: prices[0],
        high_ticks: Math.max(...prices),
        low_ticks: Math.min(...prices),
        close_ticks: prices.at(-1),
        lots: String(lots),
        ticks: String(ticks),
        trades: String(prices.length),
      })),
    )
  }
  return fills
}

const expectOrders = async (node: TestNode, events: Awaited<ReturnType<typeof readEvents>>) => {
  const sum = (type: string, market: string, names: readonly string[], seq: string): bigint =>
    events
      .filter((event) => event.type === type && event.of['market'] === market)
      .filter(({ of }) => names.some((name) => of[name] === seq))
      .reduce((total, { of }) => total + BigInt(of['lots'] ?? ''), 0n)
  const placed = events.filter(({ type }) => type === 'order_placed').map(({ of }) => of)
  const owners = [...new Set(placed.map(({ owner = '' }) => owner))]
  for (const owner of owners) {
    const own = placed.filter((of) => of['owner'] === owner).toReversed()
    const orders = await readAll<'orders', HistoricalOrder>(node, `owners/${owner}/history`, 'orders')
    // The orders come by number, the newest first; the numbers are given out as orders are accepted.
    expect(orders.map(({ order_seq }) => order_seq)).toEqual(own.map((of) => of['order_seq']))
    for (const order of orders) {
      const market = String(order.market)
      const filled = sum('fill', market, ['maker_seq', 'taker_seq'], order.order_seq)
      const cancelled = sum('order_removed', market, ['order_seq'], order.order_seq)
      expect([order.filled_lots, order.cancelled_lots], `order ${order.order_seq}`).toEqual([
        String(filled),
        String(cancelled),
      ])
      const isOpen = filled + cancelled < BigInt(order.lots)
      const ended = cancelled > 0n ? 'ORDER_STATE_CANCELLED' : 'ORDER_STATE_FILLED'
      expect(order.state).toBe(isOpen ? 'ORDER_STATE_OPEN' : ended)
      const one = await ask<{ order: HistoricalOrder }>(node, `markets/${market}/orders/${order.order_seq}/status`)
      expect(one.order).toEqual(order)
    }
    const fills = await readAll<'fills', Fill>(node, `owners/${owner}/fills`, 'fills')
    const seqs = new Set(own.map((of) => of['order_seq']))
    const expected = events.filter(
      ({ type, of }) => type === 'fill' && (seqs.has(of['maker_seq'] ?? '') || seqs.has(of['taker_seq'] ?? '')),
    )
    expect(fills.length).toBe(expected.length)
    // The same over JSON-RPC, by either form of the address.
    const hex = bytesToHex(parseAccountAddress(owner))
    const rpc = await askJsonRpc<{ fills: readonly Fill[] }>(node.urls.http, 'clob_getFills', {
      owner: hex,
      limit: 500,
    })
    expect(rpc.fills).toEqual(fills)
  }
}

/** Everything that the history says, against the events of all blocks so far. Returns how many fills there were. */
export const expectHistory = async (node: TestNode, market: number): Promise<number> => {
  const { result } = (await (await fetch(`${node.urls.comet}/status`)).json()) as {
    result: { sync_info: { latest_block_height: string } }
  }
  const to = Number(result.sync_info.latest_block_height)
  await until('the history of the block', async () => {
    const { height } = await ask<{ height: string }>(node, `markets/${market}/trades`)
    return Number(height) >= to ? true : undefined
  })
  const events = await readEvents(node, to)
  const fills = await expectTrades(node, events, market)
  await expectOrders(node, events)
  const { day, last_ticks: last } = await ask<{ day: Candle; last_ticks: number }>(node, `markets/${market}/ticker`)
  expect([day.trades, last]).toEqual([String(fills.length), Number(fills.at(-1)?.of['price_ticks'] ?? 0)])
  return fills.length
}

interface Bars {
  readonly s: string
  readonly t: readonly number[]
  readonly o: readonly number[]
  readonly c: readonly number[]
  readonly v: readonly number[]
}

/** What TradingView's charts ask, as its documentation of UDF has it. Market 1 is NAT/TUSD: lots of 0.001 NAT, ticks of 0.001 TUSD. */
export const expectCharts = async (node: TestNode): Promise<void> => {
  const udf = async <T>(page: string): Promise<T> => {
    const response = await fetch(`${node.urls.rest}/udf/${page}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    return (await response.json()) as T
  }
  const config = await udf<{ supported_resolutions: readonly string[] }>('config')
  expect(config).toMatchObject({ supports_search: true, supports_group_request: false, supports_time: true })
  expect(config.supported_resolutions).toEqual(['1', '5', '15', '60', '240', '1D'])
  expect(Math.abs((await udf<number>('time')) - Date.now() / 1_000)).toBeLessThan(600)
  const symbol = await udf('symbols?symbol=NAT/TUSD')
  expect(symbol).toMatchObject({ name: 'NAT/TUSD', ticker: '1', minmov: 1, pricescale: 1_000, session: '24x7' })
  expect(await udf('symbols?symbol=1')).toEqual(symbol)
  expect(await udf('search?query=tbtc&limit=5')).toMatchObject([{ symbol: 'TBTC/TUSD', ticker: '2' }])
  const { candles } = await ask<{ candles: readonly Candle[] }>(node, 'markets/1/candles/60')
  const [first, last] = [Number(candles[0]?.start_s), Number(candles.at(-1)?.start_s)]
  const shown = {
    s: 'ok',
    t: candles.map(({ start_s }) => Number(start_s)),
    o: candles.map(({ open_ticks }) => open_ticks / 1_000),
    h: candles.map(({ high_ticks }) => high_ticks / 1_000),
    l: candles.map(({ low_ticks }) => low_ticks / 1_000),
    c: candles.map(({ close_ticks }) => close_ticks / 1_000),
    v: candles.map(({ lots }) => Number(lots) / 1_000),
  }
  expect(await udf<Bars>(`history?symbol=1&resolution=1&from=${first}&to=${last}`)).toEqual(shown)
  const one = await udf<Bars>(`history?symbol=NAT/TUSD&resolution=1&from=0&to=${last}&countback=1`)
  expect([one.t, one.c]).toEqual([[last], shown.c.slice(-1)])
  const none = await udf(`history?symbol=1&resolution=1&from=${last + 60}&to=${last + 120}`)
  expect(none).toEqual({ s: 'no_data', nextTime: last })
  expect(await udf('history?symbol=1&resolution=7&from=0&to=1')).toEqual({ s: 'error', errmsg: 'unknown_resolution' })
  expect(await udf('symbols?symbol=NOPE')).toEqual({ s: 'error', errmsg: 'unknown_symbol' })
  expect(await udf('history?symbol=1&resolution=1&from=x&to=1')).toEqual({ s: 'error', errmsg: 'from is no number' })
  expect((await fetch(`${node.urls.rest}/udf/nothing`)).status).toBe(501)
}

/** The reads of the published package say what REST says. */
export const expectPackageReads = async (node: TestNode, owner: string): Promise<void> => {
  const transport = http(node.urls.http)
  const client = createPublicClient({ transport }).extend(clobActions({ nativeChainId: CHAIN_ID }))
  const first = await client.getTrades({ market: 1, limit: 1 })
  const second = await client.getTrades({ market: 1, limit: 1, before: first.next })
  const { trades } = await ask<{ trades: readonly Fill[] }>(node, 'markets/1/trades?limit=2')
  expect([...first.items, ...second.items].map(({ sequence }) => `${sequence}`)).toEqual(
    trades.map(({ sequence }) => sequence),
  )
  const fills = await client.getFills({ owner, market: 1 })
  expect(fills.items.length).toBeGreaterThan(0)
  expect(fills.items[0]).toMatchObject({ market: 1, lots: Number(trades[0]?.lots), height: Number(trades[0]?.height) })
  const orders = await client.getOrderHistory({ owner, ended: true, limit: 500 })
  const [order] = orders.items
  if (order === undefined) throw new TypeError('the owner has traded')
  expect(['filled', 'cancelled']).toContain(order.state)
  expect(await client.getOrderStatus(order)).toEqual(order)
  const named = orders.items.find(({ clientId }) => clientId !== '0x')
  if (named === undefined) throw new TypeError('one of the orders had an id of its owner')
  const { clientId } = named
  const newest = orders.items.find((each) => each.clientId === clientId)
  expect(await client.getOrderByClientId({ owner, clientId })).toEqual(newest)
  const candles = await client.getCandles({ market: 1, resolutionS: 86_400 })
  const { day, lastTicks } = await client.getTicker({ market: 1 })
  expect([day.trades, lastTicks]).toEqual([candles.reduce((sum, each) => sum + each.trades, 0), trades[0]?.price_ticks])
}

/** The book in memory and what an owner may do there, over JSON-RPC; REST and abci_query answer the same. */
export const expectLive = async (node: TestNode, owner: string): Promise<void> => {
  const live = async (name: string, request: object): Promise<Record<string, unknown>> =>
    await askJsonRpc(node.urls.http, `clob_get${name}`, request)
  const depth = await live('Depth', { market: 1 })
  const best = await live('BestPrices', { market: 1 })
  const [bids, asks] = [depth['bids'], depth['asks']] as [readonly unknown[], readonly unknown[]]
  expect([best['bid'] ?? null, best['ask'] ?? null]).toEqual([bids[0] ?? null, asks[0] ?? null])
  expect(best['block_price_ticks']).toBe(depth['block_price_ticks'])
  const standing = await live('Standing', { market: 1, owner })
  const { account } = (await live('Account', { owner })) as { account: { open_orders: number } }
  // What was traded today does not count yet.
  expect(standing).toMatchObject({
    ...{ volume: '0', tier: { volume: '0', maker_ppm: 100, taker_ppm: 300 }, next_tier: { maker_ppm: -50 } },
    ...{ open_orders: account.open_orders, market_open_orders: account.open_orders, market_max_open_orders: 200 },
  })
  expect(standing['max_open_orders']).toBeGreaterThan(0)
  const time = await ask<{ time_ms: string; wall_ms: string }>(node, 'time')
  expect(Math.abs(Number(time.wall_ms) - Date.now())).toBeLessThan(60_000)
  expect(Math.abs(Number(time.wall_ms) - Number(time.time_ms))).toBeLessThan(60_000)
  for (const [path, status] of [
    ['markets/77/depth', 404],
    ['markets/77/best_prices', 404],
    ['markets/1/depth?levels=1001', 400],
    ['owners/nobody/standing/1', 400],
    [`owners/${owner}/standing/77`, 404],
  ] as const) {
    expect((await fetch(`${node.urls.rest}/nat/clob/v1/${path}`)).status, path).toBe(status)
  }
  const old = await fetch(`${node.urls.rest}/nat/clob/v1/markets/1/depth`, {
    headers: { 'x-cosmos-block-height': '2' },
  })
  expect(((await old.json()) as { message: string }).message).toContain('that of the newest block')
}

interface Batch {
  readonly total_power: string
  readonly proposer: string
  readonly votes: readonly {
    readonly power: string
    readonly is_signed: boolean
    readonly attestations: readonly { readonly id: string; readonly time_ms: string }[]
  }[]
  readonly plan: readonly {
    readonly id: string
    readonly time_ms: string
    readonly outcome: string
    readonly tx_hash: string
    readonly is_widely_attested: boolean
  }[]
}

/** Votes and plan of every block with orders: its transactions, by CometBFT, are the witness. Returns how many orders there were. */
export const expectBatches = async (node: TestNode): Promise<number> => {
  const to = await node.height()
  const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()
  let orders = 0
  for (let height = 2; height <= to; height++) {
    const { block } = await node.comet<{
      block: { header: { last_block_id: { hash: string } }; data: { txs: readonly string[] } }
    }>(`block?height=${height}`)
    const raws = block.data.txs.map((tx) => Buffer.from(tx, 'base64')).filter((raw) => raw[0] === 0x70)
    const batch = await ask<Batch>(node, `batches/${height}`)
    const salt = Buffer.from(block.header.last_block_id.hash, 'hex')
    const expected = raws.map((raw) => [
      sha256(salt, sha256(raw)).subarray(0, 12).toString('base64'),
      sha256(raw).toString('base64'),
    ])
    const taken = batch.plan.filter(({ outcome }) => outcome === 'PLAN_OUTCOME_TAKEN')
    expect(taken.map((each) => [each.id, each.tx_hash])).toEqual(expected)
    // One validator: it attested all of them, in whose vote they are found with the time of the plan.
    const attested = batch.votes.flatMap(({ attestations }) => attestations)
    for (const { id, time_ms, is_widely_attested } of taken) {
      expect(is_widely_attested).toBe(true)
      expect(attested.find((each) => each.id === id)?.time_ms).toBe(time_ms)
    }
    expect(batch.votes.map(({ power, is_signed }) => [power, is_signed])).toEqual([[batch.total_power, true]])
    orders += raws.length
  }
  expect((await fetch(`${node.urls.rest}/nat/clob/v1/batches/${to + 1_000}`)).status).toBe(404)
  return orders
}
