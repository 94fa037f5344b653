/** Attacks on what came with the order book: its questions, history and charts, its streams, and the pages of bridge and erc20. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'
import { type Assault, type Attack, isOver, scaled, untilEnd } from '../attack.ts'
import { CANCEL, END_HEADERS, END_STREAM, FRAME, frame, grpcFields, grpcMessage, hello, SETTING } from '../http2.ts'
import { countMessages, endAll, openCounted } from '../sockets.ts'
import { batchText, connectTo, flood, floodPaths, rpcText } from '../wire.ts'

const LARGEST = '18446744073709551615'
/** The first account of every development tool. */
const OWNER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** Each with a request that asks for as much as there may be, or for what is not there. */
const QUESTIONS: readonly (readonly [method: string, request: Readonly<Record<string, unknown>>])[] = [
  ['Depth', { market: 1, levels: 4_294_967_295 }],
  ['Depth', { market: 1 }],
  ['Markets', { pagination: { limit: LARGEST } }],
  ['OpenOrders', { owner: OWNER, pagination: { limit: LARGEST } }],
  ['Trades', { market: 1, limit: 500 }],
  ['Trades', { market: 1, limit: 4_294_967_295, before: 'ff'.repeat(1_000) }],
  ['Fills', { owner: OWNER, market: 4_294_967_295, limit: 1 }],
  ['OrderHistory', { owner: OWNER, market: 4_294_967_295, ended: true, limit: 1 }],
  ['OrderStatus', { market: 1, orderSeq: LARGEST }],
  ['OrderByClientId', { owner: OWNER, clientId: '00'.repeat(16) }],
  ['Candles', { market: 1, resolutionS: 60, toS: LARGEST, limit: 500 }],
  ['Candles', { market: 1, resolutionS: 61 }],
  ['Ticker', { market: 1 }],
  ['Batch', {}],
  ['Batch', { height: LARGEST }],
  ['Proposers', { pagination: { limit: LARGEST } }],
]

const question = (index: number): string => {
  const [method, request] = QUESTIONS[index % QUESTIONS.length] ?? ['Depth', {}]
  return rpcText(`clob_get${method}`, [request], index)
}

const PATHS: readonly string[] = [
  '/udf/history?symbol=1&resolution=1&countback=5000&to=99999999999',
  '/udf/history?symbol=NAT/TUSD&resolution=1&from=0&to=99999999999',
  `/udf/history?symbol=${'x'.repeat(6_000)}&resolution=1&countback=${LARGEST}`,
  '/udf/search?query=&limit=999999999999',
  `/udf/search?query=${'%C3%9F'.repeat(1_000)}`,
  '/udf/symbols?symbol=1',
  '/udf/config',
  '/udf/__proto__',
  `/nat/clob/v1/markets?pagination.limit=${LARGEST}`,
  `/nat/bridge/v1/events?pagination.limit=${LARGEST}`,
  `/nat/bridge/v1/acknowledgements/${'a'.repeat(8_000)}`,
  `/nat/erc20/v1/tokens?pagination.limit=${LARGEST}`,
  `/nat/erc20/v1/tokens?pagination.key=${'A'.repeat(8_000)}`,
  `/nat/erc20/v1/views/${'ibc/'.repeat(2_000)}`,
]

const SUBSCRIPTIONS: readonly (readonly [channel: string, request: unknown])[] = [
  ['book', { market: 1 }],
  ['orders', { market: 1 }],
  ['trades', { market: 1, fromHeight: '1' }],
  ['bestPrices', { market: 4_294_967_295 }],
  ['ownOrders', { owner: OWNER }],
  ['orders', { market: 1, fromHeight: LARGEST }],
]

/** Subscribes until it is refused, and reads nothing more. */
const neverRead = async (assault: Assault): Promise<void> => {
  const sockets: WebSocket[] = []
  for (let opened = 0; opened < Math.max(2, scaled(assault, 40)) && !isOver(assault); opened++) {
    const socket = await openCounted(assault)
    if (socket === undefined) continue
    sockets.push(socket)
    countMessages(socket, assault)
    for (let sent = 0; sent < 11; sent++) {
      socket.send(
        batchText(100, (index) => rpcText('clob_subscribe', SUBSCRIPTIONS[index % SUBSCRIPTIONS.length], index)),
      )
    }
    // The first half shows what is said; the others take nothing.
    if (opened % 2 === 1) socket.pause()
  }
  await untilEnd(assault)
  endAll(sockets)
}

/** Channels of which each snapshot would be made anew, were it not kept. */
const CHANNELS = ['book', 'orders', 'optimistic', 'trades', 'bestPrices'] as const
const SUBSCRIPTION_ID = /"id":\d+,"result":"(0x[0-9a-f]+)"/g
const IN_FLIGHT = 50

/** Ends each subscription as soon as it is told its id, and begins another. */
const churn = async (assault: Assault): Promise<void> => {
  const sockets: WebSocket[] = []
  for (let opened = 0; opened < Math.max(2, scaled(assault, 20)) && !isOver(assault); opened++) {
    const socket = await openCounted(assault)
    if (socket === undefined) continue
    sockets.push(socket)
    countMessages(socket, assault)
    let next = 0
    const subscribe = (): void => {
      const channel = CHANNELS[next % CHANNELS.length]
      socket.send(rpcText('clob_subscribe', [channel, { market: 1 }], next++))
    }
    socket.on('message', (data: Buffer) => {
      for (const [, id] of data.toString('latin1').matchAll(SUBSCRIPTION_ID)) {
        if (isOver(assault)) return
        socket.send(rpcText('clob_unsubscribe', [id], 1_000_000_000))
        subscribe()
      }
    })
    for (let sent = 0; sent < IN_FLIGHT; sent++) subscribe()
  }
  await untilEnd(assault)
  endAll(sockets)
}

const STREAMS = ['WatchBook', 'WatchOrders', 'WatchTrades', 'WatchBestPrices', 'WatchOptimistic'] as const
/** Field 1 of their requests: market 1. */
const MARKET_1 = Buffer.from([8, 1])
const CALLS_OF_CONNECTION = 99

const streamCall = (index: number, stream: number): Buffer => {
  const path = `/nat.clob.v1.Stream/${STREAMS[index % STREAMS.length] ?? ''}`
  return Buffer.concat([
    frame({ type: FRAME.headers, flags: END_HEADERS, stream }, grpcFields(path)),
    frame({ type: FRAME.data, flags: END_STREAM, stream }, grpcMessage(MARKET_1)),
  ])
}

/** Each connection opens as many streams as it may have with a window of one byte, and reads nothing. */
const openStreams = async (assault: Assault): Promise<void> => {
  const calls = Array.from({ length: CALLS_OF_CONNECTION }, (_, at) => streamCall(at, 1 + 2 * at))
  const text = Buffer.concat([hello([[SETTING.initialWindowSize, 1]]), ...calls])
  const count = Math.max(2, scaled(assault, 40))
  const sockets = await Promise.all(Array.from({ length: count }, () => connectTo(assault.target.grpc)))
  for (const socket of sockets) {
    assault.tally.add(socket === undefined ? 'not connected' : 'connected')
    socket?.once('close', () => assault.tally.add('closed by server'))
    socket?.pause().write(text)
  }
  await untilEnd(assault)
  for (const socket of sockets) socket?.removeAllListeners('close').destroy()
}

/** Twenty streams are opened and cancelled, again and again: fewer resets than end a connection. */
const cancelStreams = async (assault: Assault): Promise<void> => {
  const count = Math.max(2, scaled(assault, 8))
  const work = async (): Promise<void> => {
    const socket = await connectTo(assault.target.grpc)
    assault.tally.add(socket === undefined ? 'not connected' : 'connected')
    if (socket === undefined) return
    let isClosed = false
    socket.once('close', () => {
      isClosed = true
      assault.tally.add('closed by server')
    })
    socket.resume().write(hello())
    for (let stream = 1; !isClosed && !isOver(assault); ) {
      const frames: Buffer[] = []
      for (let opened = 0; opened < 20; opened++, stream += 2) {
        frames.push(streamCall(opened, stream), frame({ type: FRAME.reset, stream }, CANCEL))
      }
      socket.write(Buffer.concat(frames))
      assault.tally.add('written')
      await sleep(600)
    }
    socket.removeAllListeners('close').destroy()
  }
  await Promise.all(Array.from({ length: count }, work))
}

const ANSWERS =
  /^(ok|HTTP (200|400|404|429|431|500|501|503)|-326?\d+ .*|-32\d+ .*|no answer in time|ECONNRESET|socket hang up)$/

export const ORDER_BOOK_ATTACKS: readonly Attack[] = [
  {
    name: 'order book: questions of book, history and batches, 64',
    seconds: 12,
    bounded: 'entries of a page, places that are looked at, slices of a worker',
    outcomes: ANSWERS,
    refusal: /^-32000 an answer has at most/,
    run: (assault) => flood(assault, Math.max(3, scaled(assault, 64)), question),
  },
  {
    name: 'order book: 1,000 questions of the history in a batch',
    seconds: 12,
    bounded: 'a window of a batch, and the turns of connections',
    outcomes: ANSWERS,
    run: (assault) => flood(assault, Math.max(2, scaled(assault, 16)), () => batchText(1_000, question)),
  },
  {
    name: 'charts and pages of bridge and erc20, 64',
    seconds: 10,
    bounded: 'bars of an answer, entries of a page, bytes of a target',
    outcomes: ANSWERS,
    refusal: /^HTTP 400$/,
    run: (assault) => floodPaths(assault, assault.target.rest, Math.max(3, scaled(assault, 64)), PATHS),
  },
  {
    name: 'order book: streams that nobody reads, 40 x 1,100',
    seconds: 15,
    bounded: 'subscriptions of a connection, bytes that it leaves unread',
    outcomes: /^(connected|not connected|ok|notification|-32\d+ .*|closed (1008|1013|1006|1009).*)$/,
    run: neverRead,
  },
  {
    name: 'order book: subscriptions begun and ended, 20 x 50',
    seconds: 10,
    bounded: 'an opening is made once a block, and snapshots are sent in turns',
    outcomes: /^(connected|not connected|ok|notification|-32\d+ .*|closed (1008|1013|1006|1009).*)$/,
    run: churn,
  },
  {
    name: 'order book: gRPC streams opened at once and not read, 40 x 99',
    seconds: 10,
    bounded: 'openings of a connection, bytes that wait for a call',
    outcomes: /^(connected|not connected|closed by server)$/,
    run: openStreams,
  },
  {
    name: 'order book: gRPC streams opened and cancelled, 8 x 20',
    seconds: 10,
    bounded: 'what nobody waits for is not made',
    outcomes: /^(connected|not connected|closed by server|written)$/,
    run: cancelStreams,
  },
]
