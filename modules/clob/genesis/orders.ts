/** Markets, their records and open orders of the genesis. */
import { parseAccountAddress } from '../../../core/bech32.ts'
import { concatBytes, uint32ToBytes, uint64ToBytes } from '../../../core/bytes.ts'
import { failAt } from '../../../core/parse.ts'
import { clob, clobGenesis } from '../../../proto/index.ts'
import { namesOf, POST_ONLY_CODES, SIDE_CODES, STP_CODES, TIF_CODES, TRIGGER_CODES } from '../domain/codes.ts'
import { EMPTY_RECORD } from '../domain/empty-record.ts'
import { type Market, type MarketRecord, MAX_OPEN_ORDERS } from '../domain/market.ts'
import { checkMarket, MAX_MARKETS, PPM } from '../domain/market-rules.ts'
import type { OpenOrder } from '../domain/order.ts'
import { parseMarket } from '../forms/market.ts'
import { checkLength, checkRange, type ListForm, toNumber } from './fields.ts'

const MAX_UINT32 = 0xffff_ffff
const HASH_BYTES = 32
const MAX_CLIENT_ID_BYTES = 16
const MAX_FILLS = 200
const PRICE_MS = /^(?:0|[1-9][0-9]{0,38})$/

const SIDE_NAMES = namesOf(SIDE_CODES)
const TIF_NAMES = namesOf(TIF_CODES)
const STP_NAMES = namesOf(STP_CODES)
const TRIGGER_NAMES = namesOf(TRIGGER_CODES)
const POST_ONLY_NAMES = namesOf(POST_ONLY_CODES)

export interface GenesisMarket {
  readonly market: Market
  readonly record: MarketRecord
}

const parseRecord = (record: clob.MarketRecord | undefined, path: string): MarketRecord => {
  if (record === undefined) return EMPTY_RECORD
  if (!PRICE_MS.test(record.priceMs)) failAt(`${path}.price_ms`, 'must be an integer of at most 39 digits')
  return {
    sequence: toNumber(record.sequence, `${path}.sequence`),
    blockPriceTicks: record.blockPriceTicks,
    priceMs: BigInt(record.priceMs),
    sinceMs: toNumber(record.sinceMs, `${path}.since_ms`),
    bestBidTicks: record.bestBidTicks,
    bestAskTicks: record.bestAskTicks,
    openOrders: checkRange(record.openOrders, `${path}.open_orders`, 0, MAX_OPEN_ORDERS),
    bookRoot: checkLength(record.bookRoot, `${path}.book_root`, HASH_BYTES),
  }
}

export const MARKETS: ListForm<typeof clobGenesis.GenesisMarketSchema, GenesisMarket> = {
  schema: clobGenesis.GenesisMarketSchema,
  most: MAX_MARKETS,
  parse: ({ market, record }, path) => {
    if (market === undefined) return failAt(`${path}.market`, 'is missing')
    const parsed = { id: checkRange(market.id, `${path}.market.id`, 1, MAX_UINT32), ...parseMarket(market) }
    checkMarket(parsed)
    return { market: parsed, record: parseRecord(record, `${path}.record`) }
  },
  keyOf: ({ market }) => uint32ToBytes(market.id),
}

const chosen = <Name extends string>(names: Readonly<Record<number, Name>>, value: number, path: string): Name =>
  names[value] ?? failAt(path, `${value} is no choice`)

/** What can rest, or wait for its trigger. */
const checkOrder = (order: OpenOrder, path: string): OpenOrder => {
  const { tif, lots, left, triggerKind, triggerTicks } = order
  if (left > lots) failAt(`${path}.lots_left`, `must not be above lots: ${left} > ${lots}`)
  if ((triggerKind === 'none') !== (triggerTicks === 0)) {
    failAt(`${path}.trigger_ticks`, 'trigger_ticks stand with a trigger_kind, and a trigger_kind with trigger_ticks')
  }
  if (triggerKind === 'none' && tif !== 'gtc' && tif !== 'post_only') failAt(`${path}.tif`, 'cannot rest')
  return order
}

/** Reads an order of a genesis, or of an answer that nobody has checked. Throws genesis/1, and core/5 for the owner. */
export const parseOpenOrder = (order: clob.OpenOrder, path: string): OpenOrder =>
  checkOrder(
    {
      market: checkRange(order.market, `${path}.market`, 1, MAX_UINT32),
      seq: checkRange(toNumber(order.orderSeq, `${path}.order_seq`), `${path}.order_seq`, 1, Number.MAX_SAFE_INTEGER),
      owner: parseAccountAddress(order.owner),
      subaccount: order.subaccount,
      side: chosen(SIDE_NAMES, order.side, `${path}.side`),
      tif: chosen(TIF_NAMES, order.tif, `${path}.tif`),
      priceTicks: checkRange(order.priceTicks, `${path}.price_ticks`, 1, MAX_UINT32),
      lots: toNumber(order.lots, `${path}.lots`),
      left: checkRange(toNumber(order.lotsLeft, `${path}.lots_left`), `${path}.lots_left`, 1, Number.MAX_SAFE_INTEGER),
      lockedPpm: checkRange(order.lockedPpm, `${path}.locked_ppm`, 0, PPM),
      clientId: checkLength(order.clientId, `${path}.client_id`, 0, MAX_CLIENT_ID_BYTES),
      expireS: toNumber(order.expireS, `${path}.expire_s`),
      triggerTicks: order.triggerTicks,
      triggerKind: chosen(TRIGGER_NAMES, order.triggerKind, `${path}.trigger_kind`),
      stp: chosen(STP_NAMES, order.stp, `${path}.stp`),
      maxFills: checkRange(order.maxFills, `${path}.max_fills`, 1, MAX_FILLS),
      postOnlyMode: chosen(POST_ONLY_NAMES, order.postOnlyMode, `${path}.post_only_mode`),
    },
    path,
  )

export const ORDERS: ListForm<typeof clob.OpenOrderSchema, OpenOrder> = {
  schema: clob.OpenOrderSchema,
  most: MAX_OPEN_ORDERS,
  parse: parseOpenOrder,
  keyOf: ({ market, seq }) => concatBytes(uint32ToBytes(market), uint64ToBytes(seq)),
}
