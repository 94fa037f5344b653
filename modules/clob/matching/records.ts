/** The records of a step: what happened to orders, in the order in which it did. docs/clob-spec.md, Records. */
import type { Address } from '../../../core/address.ts'
import { bigintToBytes, EMPTY_BYTES } from '../../../core/bytes.ts'
import { SIDE_CODES, TIF_CODES } from '../domain/codes.ts'
import type { OpenOrder, Side } from '../domain/order.ts'
import { bytesItemLength, openShortList, uintLength, writeBytesItem, writeUint } from '../keeper/rlp-writer.ts'

export const REMOVAL_REASONS = {
  /** A Cancel removed it, or a Replace whose target it was. */
  cancelled: 1,
  /** A CancelAll removed it, at once or by its floor. */
  cancelledAll: 2,
  expired: 3,
  /** Its owner's switch has passed. */
  switchPassed: 4,
  selfTrade: 5,
  /** `lots` of it, and so many of the order that it met: the order is open still where more were left. */
  decremented: 6,
  /** It rests never, and was not filled. */
  notResting: 7,
  maxFills: 8,
  /** Its trigger has fired: an order with a new order_seq takes its place, unless it is refused. */
  triggered: 9,
  /** It still crosses after the market was cleared. */
  crossing: 10,
  /** It has given way to another one where there was no more room, or has found none itself. */
  displaced: 11,
} as const

export type RemovalReason = keyof typeof REMOVAL_REASONS

export type ClobRecord =
  | { readonly kind: 'placed'; readonly order: OpenOrder }
  | {
      readonly kind: 'fill'
      readonly market: number
      readonly makerSeq: number
      readonly takerSeq: number
      readonly priceTicks: number
      readonly lots: number
      readonly makerFee: bigint
      readonly makerRebate: bigint
      readonly takerFee: bigint
      // What follows is told, and no part of the canonical record.
      readonly maker: Address
      readonly taker: Address
      readonly takerSide: Side
      /** The lots that the maker has left after the fill. */
      readonly makerLeft: number
      readonly takerLeft: number
    }
  | {
      readonly kind: 'removed'
      readonly market: number
      readonly orderSeq: number
      /** The lots that are cancelled by it. */
      readonly lots: number
      readonly reason: RemovalReason
      // What follows is told, and no part of the canonical record.
      readonly owner: Address
      /** The lots left after it: above 0 where the order was decremented. */
      readonly left: number
    }

export const marketOf = (record: ClobRecord): number => (record.kind === 'placed' ? record.order.market : record.market)

const [PLACED, FILL, REMOVED] = [1, 2, 3]

/** RLP of a list of integers, with strings of fewer than 56 bytes before the integers of their places. */
const encodeList = (numbers: readonly number[], strings: readonly (readonly [at: number, bytes: Uint8Array])[]) => {
  let payload = 0
  for (const number of numbers) payload += uintLength(number)
  for (const [, bytes] of strings) payload += bytesItemLength(bytes)
  const { out, start } = openShortList(payload)
  let position = start
  let next = 0
  for (let at = 0; at <= numbers.length; at++) {
    for (; strings[next]?.[0] === at; next++)
      position = writeBytesItem(out, position, strings[next]?.[1] ?? EMPTY_BYTES)
    if (at < numbers.length) position = writeUint(out, position, numbers[at] ?? 0)
  }
  return out
}

/** RLP, in the form of docs/clob-spec.md. */
export const encodeRecord = (record: ClobRecord): Uint8Array => {
  switch (record.kind) {
    case 'placed': {
      const { market, seq, owner, subaccount, side, tif, priceTicks, lots, clientId } = record.order
      const numbers = [PLACED, market, seq, subaccount, SIDE_CODES[side], TIF_CODES[tif], priceTicks, lots]
      return encodeList(numbers, [
        [3, owner],
        [numbers.length, clientId],
      ])
    }
    case 'fill': {
      const { market, makerSeq, takerSeq, priceTicks, lots, makerFee, makerRebate, takerFee } = record
      const numbers = [FILL, market, makerSeq, takerSeq, priceTicks, lots]
      const amounts = [makerFee, makerRebate, takerFee].map((amount) => [numbers.length, amountBytes(amount)] as const)
      return encodeList(numbers, amounts)
    }
    case 'removed': {
      const { market, orderSeq, lots, reason } = record
      return encodeList([REMOVED, market, orderSeq, lots, REMOVAL_REASONS[reason]], [])
    }
  }
}

const amountBytes = (value: bigint): Uint8Array => (value === 0n ? EMPTY_BYTES : bigintToBytes(value))
