/** nat.clob.v1.History: what became of orders, from the history that is made of committed blocks. */
import { equalBytes } from '../../core/bytes.ts'
import { type Cursor, readCursor, wholeHeight } from '../../app/clob-history/write-history.ts'
import { type Candle, RESOLUTIONS_S, startOf } from '../../app/clob-history/candle.ts'
import type { OrderEntry } from '../../app/clob-history/order-entry.ts'
import { lotsLeft } from '../../app/clob-history/order-entry.ts'
import type { RejectionEntry } from '../../app/clob-history/rejection-entry.ts'
import type { Address } from '../../core/address.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { GRPC } from '../../core/grpc-status.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { codeOf, readMarket, readOrder } from '../../modules/clob/index.ts'
import { handleQuery } from '../../modules/handlers.ts'
import type { QueryHandler } from '../../modules/module.ts'
import { queryRefusal } from '../../modules/sdk-errors.ts'
import { clobHistory } from '../../proto/index.ts'
import type { KeyValueStore } from '../../store/store.ts'
import type { StateReader } from '../../store/state.ts'
import { candleForm, fillForm, orderForm, rejectionForm, restingForm } from './forms.ts'
import { HistoryReader, type Label, type Page } from './history-reader.ts'

export const HISTORY_SERVICE = '/nat.clob.v1.History/'

const MAX_LIMIT = 500
const DEFAULT_LIMIT = 100
const MAX_CURSOR_BYTES = 20
const MAX_CLIENT_ID_BYTES = 16
const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S
const ANY_TIME = { fromS: undefined, toS: undefined } as const

const limitOf = (limit: number): number => {
  if (limit > MAX_LIMIT) throw queryRefusal('invalidArgument', `limit is ${limit}, but must be at most ${MAX_LIMIT}`)
  return limit === 0 ? DEFAULT_LIMIT : limit
}

const bytesOf = (text: string, what: string, maxBytes: number): Uint8Array => {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  if (/^(?:[0-9a-fA-F]{2})+$/.test(digits) && digits.length <= 2 * maxBytes) return hexToBytes(`0x${digits}`)
  throw queryRefusal('invalidArgument', `${what} must be hexadecimal digits of 1 to ${maxBytes} bytes`)
}

/** Throws grpc/3. */
export const clientIdOf = (text: string): Uint8Array => bytesOf(text, 'client_id', MAX_CLIENT_ID_BYTES)

const pageOf = ({ before, limit }: { readonly before: string; readonly limit: number }) => ({
  before: before === '' ? undefined : bytesOf(before, 'before', MAX_CURSOR_BYTES),
  limit: limitOf(limit),
})

const nextOf = ({ next }: Page<unknown>): string => (next === undefined ? '' : bytesToHex(next))

/** Undefined for any. Throws grpc/3. */
export const labelOf = ({ market, subaccount }: Label): Label | undefined => {
  if (market !== 0) return { market, subaccount }
  if (subaccount === 0) return undefined
  throw queryRefusal('invalidArgument', 'a subaccount is that of a market: name the market too')
}

/** Throws grpc/3. */
export const ownerOf = (text: string): Address => {
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', `invalid owner address: ${error.message}`)
  }
}

/** Throws grpc/5. */
const requireMarket = (state: StateReader, market: number): void => {
  if (readMarket(state, market) === undefined) throw queryRefusal('notFound', `there is no market ${market}`)
}

const noSuchOrder = (): CodedError =>
  queryRefusal(
    'notFound',
    'the history has no such order: it was never accepted, or placed before the history begins, or it ended in a block that is pruned',
  )

/** What is not found may be in a block that the history has not come to yet. Throws grpc/14 then. */
const unlessBehind = <Found>(cursor: Cursor, height: number, find: () => Found): Found => {
  try {
    return find()
  } catch (error) {
    const reached = wholeHeight(cursor)
    if (!(error instanceof CodedError) || error.code !== GRPC.notFound || reached >= height) throw error
    throw queryRefusal('unavailable', `the history has come to block ${reached} of ${height}: ask again`)
  }
}

/** Throws grpc/5. */
const statusOf = (reader: HistoryReader, state: StateReader, market: number, orderSeq: bigint) => {
  // No order has a higher number than this.
  if (orderSeq > BigInt(Number.MAX_SAFE_INTEGER)) throw noSuchOrder()
  const seq = Number(orderSeq)
  const order = reader.order(market, seq)
  if (order !== undefined) return orderForm(order)
  const resting = readOrder(state, market, seq)
  if (resting === undefined) throw noSuchOrder()
  return restingForm(resting)
}

/** The placement that is asked for, where no block holds it yet. */
type Waiting = clobHistory.HistoricalOrder | undefined

/** A placement for an id that an open order had: the order was there longer. */
const TAKEN = codeOf('clientIdTaken')

/** An order that was placed with the id that is asked for. */
interface NamedOrder {
  readonly order: OrderEntry
  /** False where a Replace that kept its place in the queue has given it another id since. */
  readonly hasId: boolean
}

/**
 * Whether a placement failed after the order had ended. In one block it did where the order is older: an owner cancels and places anew in
 * one transaction.
 */
const isBehind = ({ height, code }: RejectionEntry, { order, hasId }: NamedOrder): boolean => {
  if (!hasId) return order.height < height && code !== TAKEN
  if (lotsLeft(order) > 0) return false
  if (height !== order.changedHeight) return height > order.changedHeight
  return order.height < height && code !== TAKEN
}

/**
 * Whether a placement that no block holds came behind what the history has. One that no block can hold any more may be older than what was
 * sent in its place.
 */
const isNewest = (
  waiting: clobHistory.HistoricalOrder,
  named: NamedOrder | undefined,
  rejection: RejectionEntry | undefined,
): boolean => {
  if (named?.hasId === true && lotsLeft(named.order) > 0) return false
  if (waiting.state !== clobHistory.OrderState.DROPPED) return true
  const seenMs = Number(waiting.changedMs)
  return (named?.order.timeMs ?? 0) < seenMs && (rejection?.timeMs ?? 0) < seenMs
}

/**
 * What came last: a placement that no block holds yet, or that failed, where no order is open that came before; else the order.
 * Throws grpc/5.
 */
const statusOfId = (
  reader: HistoryReader,
  owner: Address,
  clientId: Uint8Array,
  label: Label | undefined,
  waiting: Waiting,
) => {
  const order = reader.orderByClientId(owner, clientId, label)
  const named = order && { order, hasId: equalBytes(order.clientId, clientId) }
  const rejection = reader.rejection(owner, clientId, label)
  if (waiting !== undefined && isNewest(waiting, named, rejection)) return waiting
  if (rejection !== undefined && (named === undefined || isBehind(rejection, named))) return rejectionForm(rejection)
  if (order === undefined) throw noSuchOrder()
  return orderForm(order)
}

/** Candles that follow one another as one. */
const joined = (candles: readonly Candle[]): Candle | undefined => {
  let all: Candle | undefined
  for (const candle of candles) {
    all =
      all === undefined
        ? candle
        : {
            openTicks: all.openTicks,
            highTicks: Math.max(all.highTicks, candle.highTicks),
            lowTicks: Math.min(all.lowTicks, candle.lowTicks),
            closeTicks: candle.closeTicks,
            lots: all.lots + candle.lots,
            ticks: all.ticks + candle.ticks,
            trades: all.trades + candle.trades,
          }
  }
  return all
}

/** Minutes up to the first whole hour, and hours from there on. */
const lastDay = (reader: HistoryReader, market: number, timeMs: number) => {
  const startS = Math.max(0, startOf(timeMs, 60) + 60 - DAY_S)
  const hourS = Math.ceil(startS / HOUR_S) * HOUR_S
  const minutes = reader.candles(market, 60, { fromS: startS, toS: hourS, limit: 60 })
  const hours = reader.candles(market, HOUR_S, { fromS: hourS, toS: undefined, limit: 25 })
  return { startS, day: joined([...minutes, ...hours].map(({ candle }) => candle)) }
}

/** What a worker knows beside the history. */
export interface HistoryContext {
  /** The placement that is asked for, where no block holds it yet. */
  readonly waiting?: Waiting
  readonly interrupt?: () => void
}

const handlersOf = (
  store: KeyValueStore,
  cursor: Cursor,
  { waiting, interrupt }: HistoryContext,
): readonly QueryHandler[] => {
  const reader = new HistoryReader(store, interrupt)
  const { History } = clobHistory
  const { trades, fills, orderHistory, orderStatus, orderByClientId, candles, ticker } = History.method
  const { timeMs } = cursor
  const at = BigInt(wholeHeight(cursor))
  return [
    handleQuery(trades, ({ state }, request) => {
      requireMarket(state, request.market)
      const page = reader.trades(request.market, pageOf(request))
      return { height: at, trades: page.items.map(fillForm), next: nextOf(page) }
    }),
    handleQuery(fills, (_, request) => {
      const page = reader.fills(ownerOf(request.owner), request.market, pageOf(request))
      return { height: at, fills: page.items.map(fillForm), next: nextOf(page) }
    }),
    handleQuery(orderHistory, (_, request) => {
      const { market, ended } = request
      const wanted = (order: OrderEntry): boolean => !ended || lotsLeft(order) === 0
      const page = reader.orders(ownerOf(request.owner), market, pageOf(request), wanted)
      return { height: at, orders: page.items.map(orderForm), next: nextOf(page) }
    }),
    handleQuery(orderStatus, ({ state, height }, { market, orderSeq }) => ({
      height: at,
      order: unlessBehind(cursor, height, () => statusOf(reader, state, market, orderSeq)),
    })),
    handleQuery(orderByClientId, ({ height }, request) => {
      const { owner, clientId } = request
      const ask = () => statusOfId(reader, ownerOf(owner), clientIdOf(clientId), labelOf(request), waiting)
      return { height: at, order: unlessBehind(cursor, height, ask) }
    }),
    handleQuery(candles, ({ state }, { market, resolutionS, fromS, toS, limit }) => {
      requireMarket(state, market)
      if (!(RESOLUTIONS_S as readonly number[]).includes(resolutionS)) {
        throw queryRefusal('invalidArgument', `resolution_s must be one of ${RESOLUTIONS_S.join(', ')}`)
      }
      const bound = (value: bigint): number => Number(value > 2n ** 52n ? 2n ** 52n : value)
      const range = {
        fromS: fromS === 0n ? undefined : bound(fromS),
        toS: toS === 0n ? undefined : bound(toS),
        limit: limitOf(limit),
      }
      const found = reader.candles(market, resolutionS, range)
      return { height: at, candles: found.map(({ startS, candle }) => candleForm(startS, candle)) }
    }),
    handleQuery(ticker, ({ state }, { market }) => {
      requireMarket(state, market)
      const { startS, day } = lastDay(reader, market, timeMs)
      const [last] = reader.trades(market, { before: undefined, limit: 1 }).items
      // Fills are pruned, candles stay.
      const [newest] = last === undefined ? reader.candles(market, DAY_S, { ...ANY_TIME, limit: 1 }) : []
      const lastTicks = last?.priceTicks ?? newest?.candle.closeTicks ?? 0
      return { height: at, timeMs: BigInt(timeMs), day: candleForm(startS, day), lastTicks }
    }),
  ]
}

/**
 * The answer to a method of {@link HISTORY_SERVICE}. `state` is of the head, for what markets there are. Throws grpc codes: 14 while the history
 * has no block yet, 12 for a method that is not there.
 */
export const answerHistory = (
  store: KeyValueStore,
  context: Parameters<QueryHandler['query']>[0],
  path: string,
  request: Uint8Array,
  more: HistoryContext = {},
): Uint8Array => {
  const cursor = readCursor(store)
  if (cursor === undefined) {
    throw queryRefusal(
      'unavailable',
      'the history of the order book has no block yet: it is being made, or this node makes none',
    )
  }
  const handler = handlersOf(store, cursor, more).find((each) => each.path === path)
  if (handler === undefined) throw queryRefusal('unimplemented', `unknown method ${path.slice(0, 100)}`)
  return handler.query(context, request)
}
