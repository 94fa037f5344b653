/** What became of orders, as the node tells it: proto/own/nat/clob/v1/history.proto. Every answer names the block that the history has reached. */
import type { Hex } from 'viem'
import { readReason, readSide, readTif } from './messages.ts'
import { type Read, readBigInt, readBytes, readEnum, readList, readMessage, readNumber, readText } from './read-json.ts'

type Told<Reader> = Reader extends Read<infer Type> ? Type : never

const readState = readEnum('ORDER_STATE_', [
  ...(['', 'open', 'filled', 'cancelled', 'rejected', 'pending', 'attested', 'carried', 'dropped'] as const),
])

/** Seconds of a candle. */
export type CandleSeconds = 60 | 300 | 900 | 3_600 | 14_400 | 86_400

export interface HistoricalOrder {
  readonly market: number
  readonly orderSeq: number
  /** nat1... */
  readonly owner: string
  readonly subaccount: number
  readonly side: Told<typeof readSide>
  readonly tif: Told<typeof readTif>
  readonly priceTicks: number
  /** The lots that were placed. */
  readonly lots: number
  readonly clientId: Hex
  /** `0x` of an order that a contract queued or a trigger placed. */
  readonly txHash: Hex
  readonly height: number
  readonly timeMs: number
  /** What was not filled of a cancelled one ended for `reason`. */
  readonly state: Told<typeof readState>
  readonly filledLots: number
  /** Sum of ticks x lots: times the market's factor it is what was paid, in quote. */
  readonly filledTicks: bigint
  readonly cancelledLots: number
  readonly reason: Told<typeof readReason>
  /** Height of the block that changed the order last. */
  readonly changedHeight: number
  readonly changedMs: number
  /** Error code of codespace clob; 0 unless the order was rejected. A rejected one has no orderSeq. */
  readonly code: number
}

export interface HistoricalFill {
  readonly market: number
  readonly sequence: number
  readonly height: number
  readonly timeMs: number
  readonly makerSeq: number
  readonly takerSeq: number
  /** nat1...; empty for an order that was placed before the history begins. */
  readonly maker: string
  readonly taker: string
  readonly takerSide: Told<typeof readSide>
  readonly priceTicks: number
  readonly lots: number
  /** The fee in the smallest unit of quote, as the two below. */
  readonly makerFee: bigint
  readonly makerRebate: bigint
  readonly takerFee: bigint
}

export interface Candle {
  /** Seconds since 1970. */
  readonly startS: number
  readonly openTicks: number
  readonly highTicks: number
  readonly lowTicks: number
  readonly closeTicks: number
  readonly lots: bigint
  /** Sum of ticks x lots. */
  readonly ticks: bigint
  readonly trades: number
}

export interface Ticker {
  readonly height: number
  readonly timeMs: number
  /** The last 24 hours as one candle: zeros without a fill. */
  readonly day: Candle
  /** 0 before the first fill. */
  readonly lastTicks: number
}

/** The newest first. `next` is `before` of the next question; empty at the end. */
export interface HistoryPage<Item> {
  readonly height: number
  readonly items: readonly Item[]
  readonly next: string
}

export interface HistoryPageArguments {
  readonly before?: string
  /** 100 when left out; at most 500. */
  readonly limit?: number
}

const readOrder = readMessage<HistoricalOrder>({
  ...{ market: readNumber, orderSeq: readNumber, owner: readText, subaccount: readNumber, side: readSide },
  ...{ tif: readTif, priceTicks: readNumber, lots: readNumber, clientId: readBytes, txHash: readBytes },
  ...{ height: readNumber, timeMs: readNumber, state: readState, filledLots: readNumber, filledTicks: readBigInt },
  ...{ cancelledLots: readNumber, reason: readReason, changedHeight: readNumber, changedMs: readNumber },
  code: readNumber,
})

const readFill = readMessage<HistoricalFill>({
  ...{ market: readNumber, sequence: readNumber, height: readNumber, timeMs: readNumber, makerSeq: readNumber },
  ...{ takerSeq: readNumber, maker: readText, taker: readText, takerSide: readSide, priceTicks: readNumber },
  ...{ lots: readNumber, makerFee: readBigInt, makerRebate: readBigInt, takerFee: readBigInt },
})

const readCandle = readMessage<Candle>({
  ...{ startS: readNumber, openTicks: readNumber, highTicks: readNumber, lowTicks: readNumber },
  ...{ closeTicks: readNumber, lots: readBigInt, ticks: readBigInt, trades: readNumber },
})

const readTicker = readMessage<Ticker>({
  ...{ height: readNumber, timeMs: readNumber, lastTicks: readNumber },
  day: (value, name) => readCandle(value ?? {}, name),
})

const readPlace = readMessage({ height: readNumber, next: readText })

const pageOf = <Item>(name: string, value: unknown, read: Read<Item>): HistoryPage<Item> => {
  const { height, next } = readPlace(value, 'the page')
  return { height, next, items: readList(read)((value as Readonly<Record<string, unknown>>)[name], name) }
}

type Ask = (name: string, request: object) => Promise<unknown>

export interface OwnerHistoryArguments extends HistoryPageArguments {
  /** 0x... or nat1... */
  readonly owner: string
  /** All when left out. */
  readonly market?: number
}

export interface CandleArguments {
  readonly market: number
  readonly resolutionS: CandleSeconds
  /** Start of the first span; the newest spans when left out. */
  readonly fromS?: number
  /** Exclusive. */
  readonly toS?: number
  readonly limit?: number
}

export interface ClientIdArguments {
  /** 0x... or nat1... */
  readonly owner: string
  readonly clientId: Hex
  /** Any, in any subaccount, when left out. */
  readonly market?: number
  /** The label of the order in that market; 0 when left out. */
  readonly subaccount?: number
}

/** `ask` is a question of the node by its name, with proto JSON. */
export const historyReads = (ask: Ask) => {
  const orderOf = async (name: string, request: object): Promise<HistoricalOrder> =>
    readOrder(((await ask(name, request)) as { readonly order?: unknown }).order ?? {}, 'the order')
  return {
    /** Fills of a market. */
    getTrades: async (request: HistoryPageArguments & { readonly market: number }) =>
      pageOf('trades', await ask('Trades', request), readFill),
    /** Fills in which the owner had a part. A page may hold fewer than its limit. */
    getFills: async (request: OwnerHistoryArguments) => pageOf('fills', await ask('Fills', request), readFill),
    /** The orders, without open ones where `ended` is set. A page may hold fewer than its limit. */
    getOrderHistory: async (request: OwnerHistoryArguments & { readonly ended?: boolean }) =>
      pageOf('orders', await ask('OrderHistory', request), readOrder),
    getOrderStatus: ({ market, orderSeq }: { readonly market: number; readonly orderSeq: number }) =>
      orderOf('OrderStatus', { market, orderSeq: `${orderSeq}` }),
    /**
     * The newest placement of the owner with this id: also one that was rejected or that no block holds yet, unless the newest order with it is open.
     * Whoever uses an id in several markets or subaccounts names both.
     */
    getOrderByClientId: (request: ClientIdArguments) => orderOf('OrderByClientId', request),
    /** The candles by time. Spans without a fill have none. */
    getCandles: async ({ fromS = 0, toS = 0, ...request }: CandleArguments): Promise<readonly Candle[]> => {
      const answer = await ask('Candles', { ...request, fromS: `${fromS}`, toS: `${toS}` })
      return readList(readCandle)((answer as { readonly candles?: unknown }).candles, 'candles')
    },
    getTicker: async ({ market }: { readonly market: number }): Promise<Ticker> =>
      readTicker(await ask('Ticker', { market }), 'the ticker'),
  }
}
