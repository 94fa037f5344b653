/** 0x900: the order book for contracts. What they ask runs in the next block, behind its batch (docs/adr/042). */
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { findClientOrder, nextOrderSeq, queueAction, queueRoom } from '../../modules/clob/index.ts'
import { type clob, clobQuery, clobTx } from '../../proto/index.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { address, bool, bytes, string, tuple, uint256, uint32, uint64, uint8, type ValueOf } from './abi/types.ts'
import { definePrecompile, query, transaction } from './precompile.ts'
import type { Scope } from './scope.ts'

const { method } = clobQuery.Query

/** An order as in a ClobTx: the numbers of the enumerations are those of nat/clob/v1/clob_tx.proto. */
const orderShape = tuple({
  market: uint32,
  side: uint8,
  priceTicks: uint32,
  qtyLots: uint64,
  tif: uint8,
  stp: uint8,
  clientId: bytes,
  expireS: uint64,
  triggerTicks: uint32,
  triggerKind: uint8,
  maxFills: uint32,
  postOnlyMode: uint8,
})

const marketShape = tuple({
  baseDenom: string,
  quoteDenom: string,
  lotSize: uint256,
  factor: uint256,
  minNotional: uint256,
  bandPpm: uint32,
  maxOpenOrders: uint32,
  triggerNotional: uint256,
  highestFeePpm: uint32,
  status: uint8,
  mode: uint8,
})

const recordShape = tuple({
  sequence: uint64,
  blockPriceTicks: uint32,
  priceMs: uint256,
  sinceMs: uint64,
  bestBidTicks: uint32,
  bestAskTicks: uint32,
  openOrders: uint32,
})

const openOrderShape = tuple({
  owner: address,
  subaccount: uint32,
  side: uint8,
  tif: uint8,
  priceTicks: uint32,
  lots: uint64,
  lotsLeft: uint64,
  lockedPpm: uint32,
  clientId: bytes,
  expireS: uint64,
  triggerTicks: uint32,
  triggerKind: uint8,
  stp: uint8,
  maxFills: uint32,
  postOnlyMode: uint8,
})

type ActionForm = NonNullable<MessageInitShape<typeof clobTx.ActionSchema>['action']>

/** A number that names no side is refused with the rest of the encoding. */
const toSide = (side: bigint): clobTx.Side => Number(side) as clobTx.Side

/** Ranges are those of an Action: the module judges its encoding. */
const enqueue = (scope: Scope, subaccount: bigint, action: ActionForm): { readonly place: bigint } => {
  const encoded = toBinary(clobTx.ActionSchema, create(clobTx.ActionSchema, { action }))
  const asked = { owner: scope.caller, subaccount: Number(subaccount), action: encoded }
  return { place: BigInt(scope.act((context) => queueAction(context, asked))) }
}

const PLACE_RESULT = { place: uint32 }

const toPlace = (order: ValueOf<typeof orderShape>): MessageInitShape<typeof clobTx.PlaceSchema> => {
  const { market, side, tif, stp, triggerKind, maxFills, postOnlyMode, ...same } = order
  return {
    ...same,
    market: Number(market),
    side: toSide(side),
    tif: Number(tif) as clobTx.Tif,
    stp: Number(stp) as clobTx.Stp,
    triggerKind: Number(triggerKind),
    maxFills: Number(maxFills),
    postOnlyMode: Number(postOnlyMode),
  }
}

const placeOrder = transaction(
  'placeOrder',
  { subaccount: uint32, order: orderShape },
  PLACE_RESULT,
  (scope, { subaccount, order }) => enqueue(scope, subaccount, { case: 'place', value: toPlace(order) }),
)

type Target = NonNullable<MessageInitShape<typeof clobTx.CancelSchema>['target']>

/** In the market of the order. */
const enqueueReplace = (
  scope: Scope,
  subaccount: bigint,
  target: Target,
  order: ValueOf<typeof orderShape>,
  keepPriorityIfSizeDown: boolean,
): { readonly place: bigint } => {
  const cancel = { market: Number(order.market), target }
  const value = { target: cancel, place: toPlace(order), keepPriorityIfSizeDown }
  return enqueue(scope, subaccount, { case: 'replace', value })
}

const replaceOrder = transaction(
  'replaceOrder',
  { subaccount: uint32, orderSeq: uint64, order: orderShape, keepPriority: bool },
  PLACE_RESULT,
  (scope, { subaccount, orderSeq, order, keepPriority }) =>
    enqueueReplace(scope, subaccount, { case: 'orderSeq', value: orderSeq }, order, keepPriority),
)

const replaceClientOrder = transaction(
  'replaceClientOrder',
  { subaccount: uint32, clientId: bytes, order: orderShape, keepPriority: bool },
  PLACE_RESULT,
  (scope, { subaccount, clientId, order, keepPriority }) =>
    enqueueReplace(scope, subaccount, { case: 'clientId', value: clientId }, order, keepPriority),
)

const scheduleCancel = transaction('scheduleCancel', { atMs: uint64 }, PLACE_RESULT, (scope, { atMs }) =>
  enqueue(scope, 0n, { case: 'scheduleCancel', value: { atMs } }),
)

const cancelOrder = transaction(
  'cancelOrder',
  { market: uint32, orderSeq: uint64 },
  PLACE_RESULT,
  (scope, { market, orderSeq }) => {
    const target = { case: 'orderSeq', value: orderSeq } as const
    return enqueue(scope, 0n, { case: 'cancel', value: { market: Number(market), target } })
  },
)

const cancelClientOrder = transaction(
  'cancelClientOrder',
  { subaccount: uint32, market: uint32, clientId: bytes },
  PLACE_RESULT,
  (scope, { subaccount, market, clientId }) => {
    const target = { case: 'clientId', value: clientId } as const
    return enqueue(scope, subaccount, { case: 'cancel', value: { market: Number(market), target } })
  },
)

const cancelAll = transaction(
  'cancelAll',
  { subaccount: uint32, market: uint32, side: uint8 },
  PLACE_RESULT,
  (scope, { subaccount, market, side }) =>
    enqueue(scope, subaccount, { case: 'cancelAll', value: { market: Number(market), side: toSide(side) } }),
)

/** The most that a buy locks beside its notional. */
const highestFee = (settings: clob.MarketSettings): bigint =>
  BigInt(Math.max(0, ...settings.fees.flatMap(({ makerPpm, takerPpm }) => [makerPpm, takerPpm])))

const toMarket = (market: clob.Market | undefined): ValueOf<typeof marketShape> => {
  const settings = market?.settings
  return {
    baseDenom: market?.baseDenom ?? '',
    quoteDenom: market?.quoteDenom ?? '',
    lotSize: BigInt(market?.lotSize ?? 0),
    factor: BigInt(market?.factor ?? 0),
    minNotional: BigInt(settings?.minNotional ?? 0),
    bandPpm: BigInt(settings?.bandPpm ?? 0),
    maxOpenOrders: BigInt(settings?.maxOpenOrders ?? 0),
    triggerNotional: BigInt(settings?.triggerNotional ?? 0),
    highestFeePpm: settings === undefined ? 0n : highestFee(settings),
    status: BigInt(settings?.status ?? 0),
    mode: BigInt(settings?.mode ?? 0),
  }
}

const getMarket = query('getMarket', { market: uint32 }, { info: marketShape }, (scope, { market }) => ({
  info: toMarket(scope.query(method.market, { market: Number(market) }).market),
}))

const readRecord = (scope: Scope, market: bigint): ValueOf<typeof recordShape> => {
  const { record } = scope.query(method.record, { market: Number(market) })
  return {
    sequence: record?.sequence ?? 0n,
    blockPriceTicks: BigInt(record?.blockPriceTicks ?? 0),
    priceMs: BigInt(record?.priceMs ?? 0),
    sinceMs: record?.sinceMs ?? 0n,
    bestBidTicks: BigInt(record?.bestBidTicks ?? 0),
    bestAskTicks: BigInt(record?.bestAskTicks ?? 0),
    openOrders: BigInt(record?.openOrders ?? 0),
  }
}

const getRecord = query('getRecord', { market: uint32 }, { record: recordShape }, (scope, { market }) => ({
  record: readRecord(scope, market),
}))

const getPriceSum = query(
  'getPriceSum',
  { market: uint32 },
  { priceMs: uint256, atMs: uint64 },
  (scope, { market }) => {
    const { priceMs, sinceMs, blockPriceTicks } = readRecord(scope, market)
    // A simulation may set its clock back: the sum goes on from there where it stood.
    const atMs = scope.timeMs > sinceMs ? scope.timeMs : sinceMs
    return { priceMs: priceMs + blockPriceTicks * (atMs - sinceMs), atMs }
  },
)

const toOpenOrder = (order: clob.OpenOrder | undefined): ValueOf<typeof openOrderShape> => ({
  owner: parseAccountAddress(order?.owner ?? ''),
  subaccount: BigInt(order?.subaccount ?? 0),
  side: BigInt(order?.side ?? 0),
  tif: BigInt(order?.tif ?? 0),
  priceTicks: BigInt(order?.priceTicks ?? 0),
  lots: order?.lots ?? 0n,
  lotsLeft: order?.lotsLeft ?? 0n,
  lockedPpm: BigInt(order?.lockedPpm ?? 0),
  clientId: order?.clientId ?? new Uint8Array(0),
  expireS: order?.expireS ?? 0n,
  triggerTicks: BigInt(order?.triggerTicks ?? 0),
  triggerKind: BigInt(order?.triggerKind ?? 0),
  stp: BigInt(order?.stp ?? 0),
  maxFills: BigInt(order?.maxFills ?? 0),
  postOnlyMode: BigInt(order?.postOnlyMode ?? 0),
})

const getOrder = query(
  'getOrder',
  { market: uint32, orderSeq: uint64 },
  { order: openOrderShape },
  (scope, { market, orderSeq }) => ({
    order: toOpenOrder(scope.query(method.order, { market: Number(market), orderSeq }).order),
  }),
)

const getNextOrderSeq = query('getNextOrderSeq', {}, { orderSeq: uint64 }, (scope) => ({
  orderSeq: BigInt(scope.read(nextOrderSeq)),
}))

/** State has no index by client id, for every order would pay for it: the caller says where to look, and pays for each number that is looked at. */
const findOrder = query(
  'findOrder',
  { market: uint32, owner: address, subaccount: uint32, clientId: bytes, fromSeq: uint64, limit: uint32 },
  { orderSeq: uint64, nextSeq: uint64 },
  (scope, { market, owner, subaccount, clientId, fromSeq, limit }) => {
    const wanted = { market: Number(market), owner, subaccount: Number(subaccount), clientId }
    const found = scope.read((state) => findClientOrder(state, wanted, fromSeq, Number(limit)))
    return { orderSeq: BigInt(found.seq), nextSeq: BigInt(found.next) }
  },
)

const getQueueRoom = query('getQueueRoom', {}, { weight: uint32 }, (scope) => ({
  weight: BigInt(scope.read(queueRoom)),
}))

/** It has no events: the native ones of the block that runs an action tell what became of it. */
export const clobPrecompile = definePrecompile(
  'clob',
  0x900,
  [],
  [
    ...[placeOrder, replaceOrder, replaceClientOrder, cancelOrder, cancelClientOrder, cancelAll, scheduleCancel],
    ...[getMarket, getRecord, getPriceSum, getOrder, findOrder, getNextOrderSeq, getQueueRoom],
  ],
)
