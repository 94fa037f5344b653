/**
 * Keys of column `clob_history`: what became of orders, for those who ask later. No part of state: it is made of stored blocks, may lag
 * behind them, and is thrown away and made anew where it does not fit them. Integers are big-endian.
 *
 * c                                                    cursor: height(8) time_ms(8) taken(4) hash(32) of the last block that is in here
 * o market(4) order_seq(8)                             an order: order-entry.ts
 * w owner(20) order_seq(8)                             market(4) of an owner's order
 * i owner(20) length(1) client_id                       market(4) order_seq(8) of the newest order with it
 * n owner(20) market(4) subaccount(4) length(1) client_id order_seq(8) of the newest order with it there; none of orders from before there was this key
 * x owner(20) length(1) client_id height(8) at(4)      a placement with it that failed: rejection-entry.ts; at is its place in the block
 * t market(4) sequence(8)                              a fill: fill-entry.ts
 * f owner(20) height(8) market(4) sequence(8)          nothing: a fill in which the owner has a part
 * k market(4) resolution_s(4) start_s(8)               a candle: candle.ts
 * h height(8) part(4)                                  keys, each after its length(1), that go with the block when it is pruned:
 *                                                      at most {@link KEYS_A_PART}
 */
import { type Address, ADDRESS_LENGTH } from '../../core/address.ts'
import { concatBytes, readUint32, readUint64, uint32ToBytes, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'

const [CURSOR, ORDER, OF_OWNER, CLIENT_ID, LABEL, REJECTION, FILL, FILL_OF_OWNER, CANDLE, OF_HEIGHT] = [
  'c',
  'o',
  'w',
  'i',
  'n',
  'x',
  't',
  'f',
  'k',
  'h',
].map(utf8ToBytes) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

export const CURSOR_KEY = CURSOR
export const orderKey = (market: number, seq: number): Uint8Array =>
  concatBytes(ORDER, uint32ToBytes(market), uint64ToBytes(seq))
export const ownerPrefix = (owner: Address): Uint8Array => concatBytes(OF_OWNER, owner)
export const ownerOrderKey = (owner: Address, seq: number): Uint8Array =>
  concatBytes(OF_OWNER, owner, uint64ToBytes(seq))
export const clientIdKey = (owner: Address, clientId: Uint8Array): Uint8Array =>
  concatBytes(CLIENT_ID, owner, Uint8Array.of(clientId.length), clientId)
export const labelKey = (owner: Address, market: number, subaccount: number, clientId: Uint8Array): Uint8Array =>
  concatBytes(LABEL, owner, uint32ToBytes(market), uint32ToBytes(subaccount), Uint8Array.of(clientId.length), clientId)
export const rejectionPrefix = (owner: Address, clientId: Uint8Array): Uint8Array =>
  concatBytes(REJECTION, owner, Uint8Array.of(clientId.length), clientId)
export const rejectionKey = (owner: Address, clientId: Uint8Array, height: number, at: number): Uint8Array =>
  concatBytes(rejectionPrefix(owner, clientId), uint64ToBytes(height), uint32ToBytes(at))
export const fillPrefix = (market: number): Uint8Array => concatBytes(FILL, uint32ToBytes(market))
export const fillKey = (market: number, sequence: number): Uint8Array =>
  concatBytes(FILL, uint32ToBytes(market), uint64ToBytes(sequence))
export const ownerFillPrefix = (owner: Address): Uint8Array => concatBytes(FILL_OF_OWNER, owner)
export const ownerFillKey = (owner: Address, height: number, market: number, sequence: number): Uint8Array =>
  concatBytes(FILL_OF_OWNER, owner, uint64ToBytes(height), uint32ToBytes(market), uint64ToBytes(sequence))
export const candlePrefix = (market: number, resolutionS: number): Uint8Array =>
  concatBytes(CANDLE, uint32ToBytes(market), uint32ToBytes(resolutionS))
export const candleKey = (market: number, resolutionS: number, startS: number): Uint8Array =>
  concatBytes(CANDLE, uint32ToBytes(market), uint32ToBytes(resolutionS), uint64ToBytes(startS))
/** A block may end as many orders as its weight allows: what is forgotten in one write has to be bounded. */
export const KEYS_A_PART = 1_000
/** The prefix is below all parts of the height. */
export const heightPrefix = (height: number): Uint8Array => concatBytes(OF_HEIGHT, uint64ToBytes(height))
export const heightKey = (height: number, part: number): Uint8Array =>
  concatBytes(heightPrefix(height), uint32ToBytes(part))
/** The first of a key by which one of another kind is told. */
export const isOrderKey = (key: Uint8Array): boolean => key[0] === ORDER[0]
/** An id with the order that it leads to, as keys name them by `value`. */
export interface NamedOrder {
  readonly market: number
  readonly seq: number
  readonly clientId: Uint8Array
}

const BEHIND_OWNER = 1 + ADDRESS_LENGTH

/** What {@link clientIdKey} or {@link labelKey} leads to; undefined for a key of another kind. */
export const namedBy = (key: Uint8Array, value: Uint8Array): NamedOrder | undefined => {
  if (key[0] === CLIENT_ID[0]) {
    return { market: readUint32(value), seq: readUint64(value, 4), clientId: key.slice(BEHIND_OWNER + 1) }
  }
  if (key[0] !== LABEL[0]) return undefined
  return { market: readUint32(key, BEHIND_OWNER), seq: readUint64(value), clientId: key.slice(BEHIND_OWNER + 9) }
}

export const isNameKey = (key: Uint8Array): boolean => key[0] === CLIENT_ID[0] || key[0] === LABEL[0]
