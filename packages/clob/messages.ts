/** What the node tells of the book: proto/own/nat/clob/v1/clob.proto and stream.proto. */
import type { Hex } from 'viem'
import {
  type Read,
  readBigInt,
  readBytes,
  readEnum,
  readFlag,
  readList,
  readMessage,
  readNumber,
  readOptional,
  readText,
} from './read-json.ts'

export const readSide = readEnum('SIDE_', ['', 'buy', 'sell'])
export const readTif = readEnum('TIF_', ['', 'gtc', 'ioc', 'fok', 'post_only'])
const readStp = readEnum('STP_', ['cancel_maker', 'cancel_taker', 'cancel_both', 'decrement'])
const readTriggerKind = readEnum('TRIGGER_KIND_', ['none', 'stop', 'take_profit'])
const readPostOnlyMode = readEnum('POST_ONLY_MODE_', ['reject', 'slide'])
const readStatus = readEnum('MARKET_STATUS_', ['', 'active', 'post_only', 'cancel_only', 'halted'])
const readMode = readEnum('MARKET_MODE_', ['', 'continuous', 'uniform'])
export const readReason = readEnum('REMOVAL_REASON_', [
  ...(['', 'cancelled', 'cancelled_all', 'expired', 'switch_passed', 'self_trade', 'decremented'] as const),
  ...(['not_resting', 'max_fills', 'triggered', 'crossing', 'displaced'] as const),
])

type Told<Reader> = Reader extends Read<infer Type> ? Type : never

const FEE_TIER = { volume: readBigInt, makerPpm: readSigned, takerPpm: readNumber }
function readSigned(value: unknown, name: string): number {
  return Number(readBigInt(typeof value === 'number' ? `${value}` : value, name))
}

/** Amounts are in the smallest units of their denomination. */
export interface Market {
  readonly id: number
  readonly baseDenom: string
  readonly quoteDenom: string
  /** The amount of base in a lot. */
  readonly lotSize: bigint
  /** The amount of quote that one tick a lot is worth. */
  readonly factor: bigint
  readonly settings: MarketSettings
}

export interface MarketSettings {
  /** The fees by volume, ascending. A negative makerPpm is a rebate. */
  readonly fees: readonly { readonly volume: bigint; readonly makerPpm: number; readonly takerPpm: number }[]
  readonly minNotional: bigint
  readonly bandPpm: number
  readonly maxOpenOrders: number
  readonly triggerNotional: bigint
  readonly minEquity: bigint
  readonly status: Told<typeof readStatus>
  readonly mode: Told<typeof readMode>
}

const readSettings = readMessage<MarketSettings>({
  fees: readList(readMessage(FEE_TIER)),
  minNotional: readBigInt,
  bandPpm: readNumber,
  maxOpenOrders: readNumber,
  triggerNotional: readBigInt,
  minEquity: readBigInt,
  status: readStatus,
  mode: readMode,
})

export const readMarket = readMessage<Market>({
  id: readNumber,
  baseDenom: readText,
  quoteDenom: readText,
  lotSize: readBigInt,
  factor: readBigInt,
  settings: (value, name) => readSettings(value ?? {}, name),
})

/** An order that rests, or one with a trigger that has not fired. */
export interface OpenOrder {
  readonly market: number
  readonly orderSeq: number
  /** nat1... */
  readonly owner: string
  readonly subaccount: number
  readonly side: Told<typeof readSide>
  readonly tif: Told<typeof readTif>
  readonly priceTicks: number
  readonly lots: number
  readonly lotsLeft: number
  readonly lockedPpm: number
  readonly clientId: Hex
  readonly expireS: number
  readonly triggerTicks: number
  readonly triggerKind: Told<typeof readTriggerKind>
  readonly stp: Told<typeof readStp>
  readonly maxFills: number
  readonly postOnlyMode: Told<typeof readPostOnlyMode>
}

export const readOpenOrder = readMessage<OpenOrder>({
  ...{ market: readNumber, orderSeq: readNumber, owner: readText, subaccount: readNumber, side: readSide },
  ...{ tif: readTif, priceTicks: readNumber, lots: readNumber, lotsLeft: readNumber, lockedPpm: readNumber },
  ...{ clientId: readBytes, expireS: readNumber, triggerTicks: readNumber, triggerKind: readTriggerKind },
  ...{ stp: readStp, maxFills: readNumber, postOnlyMode: readPostOnlyMode },
})

export interface BookLevel {
  readonly priceTicks: number
  /** 0 in an update: the level is gone. */
  readonly lots: bigint
  readonly orders: number
}

const readLevel = readMessage<BookLevel>({ priceTicks: readNumber, lots: readBigInt, orders: readNumber })

/** What each message of a market holds. */
export interface MarketStamp {
  readonly market: number
  readonly height: number
  /** Time of the block, in milliseconds since 1970. */
  readonly timeMs: number
  /** Number of the market's records, after the block. */
  readonly sequence: number
  readonly previousSequence: number
  readonly isSnapshot: boolean
}

const STAMP = {
  ...{ market: readNumber, height: readNumber, timeMs: readNumber },
  ...{ sequence: readNumber, previousSequence: readNumber, isSnapshot: readFlag },
}

export interface BookUpdate extends MarketStamp {
  /** The best first. */
  readonly bids: readonly BookLevel[]
  readonly asks: readonly BookLevel[]
}

export const readBookUpdate = readMessage<BookUpdate>({
  ...STAMP,
  bids: readList(readLevel),
  asks: readList(readLevel),
})

/** The depth as of the newest block of the node, whose height it names. */
export interface Depth {
  readonly height: number
  readonly timeMs: number
  readonly sequence: number
  /** 0 before the first. */
  readonly blockPriceTicks: number
  /** The best first. */
  readonly bids: readonly BookLevel[]
  readonly asks: readonly BookLevel[]
}

export const readDepth = readMessage<Depth>({
  ...{ height: readNumber, timeMs: readNumber, sequence: readNumber, blockPriceTicks: readNumber },
  ...{ bids: readList(readLevel), asks: readList(readLevel) },
})

export interface BestPricesUpdate extends MarketStamp {
  readonly bid: BookLevel | undefined
  readonly ask: BookLevel | undefined
  /** 0 before the first. */
  readonly blockPriceTicks: number
}

export const readBestPricesUpdate = readMessage<BestPricesUpdate>({
  ...STAMP,
  bid: readOptional(readLevel),
  ask: readOptional(readLevel),
  blockPriceTicks: readNumber,
})

export interface Trade {
  readonly sequence: number
  readonly priceTicks: number
  readonly lots: number
  readonly takerSide: Told<typeof readSide>
  readonly makerSeq: number
  readonly takerSeq: number
}

const readTrade = readMessage<Trade>({
  ...{ sequence: readNumber, priceTicks: readNumber, lots: readNumber },
  ...{ takerSide: readSide, makerSeq: readNumber, takerSeq: readNumber },
})

export interface TradesUpdate extends MarketStamp {
  readonly trades: readonly Trade[]
}

export const readTradesUpdate = readMessage<TradesUpdate>({ ...STAMP, trades: readList(readTrade) })

const readPlaced = readMessage({
  ...{ orderSeq: readNumber, owner: readText, subaccount: readNumber, side: readSide, tif: readTif },
  ...{ priceTicks: readNumber, lots: readNumber, clientId: readBytes, triggerTicks: readNumber },
  ...{ triggerKind: readTriggerKind, expireS: readNumber },
})

const readFill = readMessage({
  ...{ makerSeq: readNumber, takerSeq: readNumber, priceTicks: readNumber, lots: readNumber },
  ...{ makerFee: readBigInt, makerRebate: readBigInt, takerFee: readBigInt, maker: readText, taker: readText },
  ...{ takerSide: readSide, makerLotsLeft: readNumber, takerLotsLeft: readNumber },
})

const readRemoved = readMessage({
  ...{ orderSeq: readNumber, lots: readNumber, reason: readReason, owner: readText, lotsLeft: readNumber },
})

/** One of placed, fill and removed. */
export interface OrderRecord {
  readonly market: number
  readonly sequence: number
  readonly placed: Readonly<ReturnType<typeof readPlaced>> | undefined
  /** An order with 0 left is gone: it has no removed record. */
  readonly fill: Readonly<ReturnType<typeof readFill>> | undefined
  readonly removed: Readonly<ReturnType<typeof readRemoved>> | undefined
}

const readRecord = readMessage<OrderRecord>({
  ...{ market: readNumber, sequence: readNumber, placed: readOptional(readPlaced) },
  ...{ fill: readOptional(readFill), removed: readOptional(readRemoved) },
})

export interface OrdersUpdate extends MarketStamp {
  /** The orders of a snapshot. */
  readonly orders: readonly OpenOrder[]
  readonly records: readonly OrderRecord[]
  /** They left their level, and are open until they are removed. */
  readonly died: readonly number[]
  /** The next message has more of the snapshot, of the same height. */
  readonly isContinued: boolean
}

export const readOrdersUpdate = readMessage<OrdersUpdate>({
  ...STAMP,
  isContinued: readFlag,
  orders: readList(readOpenOrder),
  records: readList(readRecord),
  died: readList(readNumber),
})

const readRejected = readMessage({ action: readNumber, code: readNumber, reason: readText, txHash: readBytes })
const readRefused = readMessage({
  ...{ txHash: readBytes, code: readNumber, reason: readText, subaccount: readNumber, nonceMs: readNumber },
})

export interface OwnOrdersUpdate {
  readonly owner: string
  readonly height: number
  readonly timeMs: number
  readonly previousHeight: number
  readonly isSnapshot: boolean
  readonly orders: readonly OpenOrder[]
  readonly records: readonly OrderRecord[]
  readonly died: readonly number[]
  /** Actions that failed, by their place in the transaction; codes are those of codespace clob. */
  readonly rejected: readonly Readonly<ReturnType<typeof readRejected>>[]
  /** Transactions that the block holds and that failed as a whole: none of their actions ran. */
  readonly refused: readonly Readonly<ReturnType<typeof readRefused>>[]
}

export const readOwnOrdersUpdate = readMessage<OwnOrdersUpdate>({
  ...{ owner: readText, height: readNumber, timeMs: readNumber, previousHeight: readNumber, isSnapshot: readFlag },
  ...{ orders: readList(readOpenOrder), records: readList(readRecord), died: readList(readNumber) },
  ...{ rejected: readList(readRejected), refused: readList(readRefused) },
})

const readTarget = { market: readNumber, clientId: readBytes, orderSeq: readNumber }
const readWatchedPlace = readMessage({
  ...{ market: readNumber, side: readSide, priceTicks: readNumber, qtyLots: readNumber, tif: readTif, stp: readStp },
  ...{ clientId: readBytes, expireS: readNumber, triggerTicks: readNumber, triggerKind: readNumber },
  ...{ maxFills: readNumber, postOnlyMode: readNumber },
})
const readWatchedCancel = readMessage(readTarget)
const readOrEmpty =
  <Type>(read: Read<Type>): Read<Type> =>
  (value, name) =>
    read(value ?? {}, name)
const readWatchedReplace = readMessage({
  target: readOrEmpty(readWatchedCancel),
  place: readOrEmpty(readWatchedPlace),
  keepPriorityIfSizeDown: readFlag,
})

/** One of them. */
const readWatchedAction = readMessage({
  place: readOptional(readWatchedPlace),
  cancel: readOptional(readWatchedCancel),
  cancelAll: readOptional(readMessage({ market: readNumber, side: readSide })),
  replace: readOptional(readWatchedReplace),
  scheduleCancel: readOptional(readMessage({ atMs: readNumber })),
})

const readWatchedTx = readMessage({
  ...{ subaccount: readNumber, nonceMs: readNumber, goodTilBlock: readNumber, agent: readBytes },
  actions: readList(readWatchedAction),
})

const readStage = readEnum('ORDER_STAGE_', [
  ...(['', 'pending', 'attested', 'carried', 'included', 'dropped', 'displaced'] as const),
])

/** A transaction before a block holds it. Nothing of it is final. */
export interface OptimisticOrder {
  /** SHA-256 of the wire form, as `placeOrder` and the others return it. */
  readonly txHash: Hex
  /** Told no more from `included`, `dropped` and `displaced` on. */
  readonly stage: Told<typeof readStage>
  /** nat1... */
  readonly owner: string
  /** The time by the clock of the node. */
  readonly seenMs: number
  /** Height of the block that took it; else of the newest one when this was noted. */
  readonly height: number
  /** Where the transaction is told for the first time. */
  readonly tx: Readonly<ReturnType<typeof readWatchedTx>> | undefined
}

/** What one node sees of orders that no block holds yet. */
export interface OptimisticUpdate {
  readonly height: number
  readonly timeMs: number
  /** What was told before is void. */
  readonly isSnapshot: boolean
  /** The next message has more of the snapshot. */
  readonly isContinued: boolean
  /** In their order: of one transaction the last word counts. */
  readonly orders: readonly OptimisticOrder[]
}

const readOptimisticOrder = readMessage<OptimisticOrder>({
  ...{ txHash: readBytes, stage: readStage, owner: readText, seenMs: readNumber, height: readNumber },
  tx: readOptional(readWatchedTx),
})

export const readOptimisticUpdate = readMessage<OptimisticUpdate>({
  ...{ height: readNumber, timeMs: readNumber, isSnapshot: readFlag, isContinued: readFlag },
  orders: readList(readOptimisticOrder),
})

/** How far a transaction has come, as one node sees it. */
export interface OrderTransaction {
  /** The newest block of the node. */
  readonly height: number
  readonly timeMs: number
  readonly order: OptimisticOrder
}

export const readOrderTransaction = readMessage<OrderTransaction>({
  ...{ height: readNumber, timeMs: readNumber },
  order: readOrEmpty(readOptimisticOrder),
})
