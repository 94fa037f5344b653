/** Open orders. A block writes some thousand of them: the encoder knows their shape. */
import { type Address, ADDRESS_LENGTH } from '../../../core/address.ts'
import { equalBytes, readUint32, readUint64 } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { namesOf, POST_ONLY_CODES, SIDE_CODES, STP_CODES, TIF_CODES, TRIGGER_CODES } from '../domain/codes.ts'
import type { OpenOrder } from '../domain/order.ts'
import { PPM } from '../domain/market-rules.ts'
import { CLOB_ACCOUNT, ORDER_PREFIX, orderKey, orderPrefix } from '../keys.ts'
import { MAX_UINT32 } from './rlp-reader.ts'
import { ShortListReader } from './short-list-reader.ts'
import { bytesItemLength, openShortList, uintLength, writeBytesItem, writeUint } from './rlp-writer.ts'

const SIDE_NAMES = namesOf(SIDE_CODES)
const TIF_NAMES = namesOf(TIF_CODES)
const STP_NAMES = namesOf(STP_CODES)
const TRIGGER_NAMES = namesOf(TRIGGER_CODES)
const POST_ONLY_NAMES = namesOf(POST_ONLY_CODES)

const MAX_CLIENT_ID_BYTES = 16
const MAX_FILLS = 200
const KEY_SEQ_OFFSET = orderPrefix(0).length
/** Orders read at once. */
const PAGE = 1_000
/** Side, tif, trigger kind, stp and post-only mode: one byte each. */
const CHOICES = 5
const ADDRESS_ITEM = 1 + ADDRESS_LENGTH
/** The header of a list whose length stands in the next byte. */
const LONG_LIST = 0xf8

/** The value that state holds of an order: RLP, in the order of the key table. */
export const encodeOrder = (order: OpenOrder): Uint8Array => {
  const { subaccount, priceTicks, lots, left, lockedPpm, clientId, expireS, triggerTicks, maxFills } = order
  const payload =
    ADDRESS_ITEM +
    CHOICES +
    uintLength(subaccount) +
    uintLength(priceTicks) +
    uintLength(lots) +
    uintLength(left) +
    uintLength(lockedPpm) +
    bytesItemLength(clientId) +
    uintLength(expireS) +
    uintLength(triggerTicks) +
    uintLength(maxFills)
  const { out, start } = openShortList(payload)
  let at = writeBytesItem(out, start, order.owner)
  at = writeUint(out, at, subaccount)
  at = writeUint(out, at, SIDE_CODES[order.side])
  at = writeUint(out, at, TIF_CODES[order.tif])
  at = writeUint(out, at, priceTicks)
  at = writeUint(out, at, lots)
  at = writeUint(out, at, left)
  at = writeUint(out, at, lockedPpm)
  at = writeBytesItem(out, at, clientId)
  at = writeUint(out, at, expireS)
  at = writeUint(out, at, triggerTicks)
  at = writeUint(out, at, TRIGGER_CODES[order.triggerKind])
  at = writeUint(out, at, STP_CODES[order.stp])
  at = writeUint(out, at, maxFills)
  writeUint(out, at, POST_ONLY_CODES[order.postOnlyMode])
  return out
}

/** The inverse of {@link encodeOrder}. A damaged value is a broken invariant. */
export const decodeOrder = (market: number, seq: number, value: Uint8Array): OpenOrder => {
  const fields = new ShortListReader(value, 'open order')
  const order: OpenOrder = {
    market,
    seq,
    owner: fields.bytes(ADDRESS_LENGTH),
    subaccount: fields.uint(MAX_UINT32),
    side: fields.choice(SIDE_NAMES),
    tif: fields.choice(TIF_NAMES),
    priceTicks: fields.uint(MAX_UINT32),
    lots: fields.uint(Number.MAX_SAFE_INTEGER),
    left: fields.uint(Number.MAX_SAFE_INTEGER),
    lockedPpm: fields.uint(PPM),
    clientId: fields.bytes(0, MAX_CLIENT_ID_BYTES),
    expireS: fields.uint(Number.MAX_SAFE_INTEGER),
    triggerTicks: fields.uint(MAX_UINT32),
    triggerKind: fields.choice(TRIGGER_NAMES),
    stp: fields.choice(STP_NAMES),
    maxFills: fields.uint(MAX_FILLS),
    postOnlyMode: fields.choice(POST_ONLY_NAMES),
  }
  fields.end()
  return order
}

export const readOrder = (state: StateReader, market: number, seq: number): OpenOrder | undefined => {
  const value = state.value(CLOB_ACCOUNT, orderKey(market, seq))
  return value === undefined ? undefined : decodeOrder(market, seq, value)
}

/** Undefined removes it. */
export const writeOrder = (state: StateWriter, market: number, seq: number, value: Uint8Array | undefined): void =>
  state.setValue(CLOB_ACCOUNT, orderKey(market, seq), value)

const pageValues = (
  state: StateReader,
  market: number,
  start: number,
  limit: number,
): readonly (readonly [seq: number, value: Uint8Array])[] =>
  state.values(CLOB_ACCOUNT, orderPrefix(market), limit, orderKey(market, start)).map(([key, value]) => {
    invariant(key.length === KEY_SEQ_OFFSET + 8, 'the key of an order in state is damaged')
    return [readUint64(key, KEY_SEQ_OFFSET), value]
  })

/** Values of open orders of a market by seq, read in pages. */
export function* scanOrderValues(
  state: StateReader,
  market: number,
  startSeq = 1,
): Generator<readonly [seq: number, value: Uint8Array], void> {
  for (let start = startSeq; ; ) {
    const page = pageValues(state, market, start, PAGE)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    start = last[0] + 1
  }
}

/** All open orders of a market by seq, from `startSeq` on. */
export function* scanOrders(state: StateReader, market: number, startSeq = 1): Generator<OpenOrder, void> {
  for (const [seq, value] of scanOrderValues(state, market, startSeq)) yield decodeOrder(market, seq, value)
}

/** The owner is the first item: it stands behind the header of the list and its own. */
const isOwnedBy = (value: Uint8Array, owner: Address): boolean => {
  const start = value[0] === LONG_LIST ? 3 : 2
  return equalBytes(value.subarray(start, start + ADDRESS_LENGTH), owner)
}

/** An order by its market and order_seq. */
export interface OrderPlace {
  readonly market: number
  readonly seq: number
}

export interface OwnedOrders {
  readonly orders: readonly OpenOrder[]
  /** Where to look on; undefined where nothing is left. */
  readonly next: OrderPlace | undefined
}

/**
 * Orders of one owner in these markets, which ascend, from a place on: at most `limit`, among at most `most` orders of whomever. State
 * has no index by owner, for every order would pay for it: the others are passed over without being decoded.
 */
export const findOrdersOf = (
  state: StateReader,
  owner: Address,
  markets: readonly number[],
  start: OrderPlace,
  { limit, most }: { readonly limit: number; readonly most: number },
): OwnedOrders => {
  const orders: OpenOrder[] = []
  let looked = 0
  for (const market of markets) {
    if (market < start.market) continue
    for (const [seq, value] of scanOrderValues(state, market, market === start.market ? start.seq : 1)) {
      if (orders.length === limit || looked++ === most) return { orders, next: { market, seq } }
      if (isOwnedBy(value, owner)) orders.push(decodeOrder(market, seq, value))
    }
  }
  return { orders, next: undefined }
}

/** Markets of open orders that are none of `known`, each once: of a state that contradicts itself. */
export function* scanOrphans(state: StateReader, known: ReadonlySet<number>): Generator<number, void> {
  for (let market = 0; market <= MAX_UINT32; market++) {
    const [first] = state.values(CLOB_ACCOUNT, ORDER_PREFIX, 1, orderKey(market, 0))
    if (first === undefined) return
    market = readUint32(first[0], ORDER_PREFIX.length)
    if (!known.has(market)) yield market
  }
}
