/** What a transaction asks of the book. Each returns an action with all members, as a wallet signs it. */
import { type Hex, isHex, size } from 'viem'
import { ClobClientError } from './errors.ts'
import type { ClobAction } from './typed-data.ts'

export type Side = 'buy' | 'sell'
export type TimeInForce = 'gtc' | 'ioc' | 'fok' | 'post_only'
export type SelfTradePrevention = 'cancel_maker' | 'cancel_taker' | 'cancel_both' | 'decrement'

export interface PlaceArguments {
  /** Number of the market, from 1. */
  readonly market: number
  readonly side: Side
  /** 1 to 2^32 - 1; of a market order the bound. */
  readonly priceTicks: number | bigint
  /** 1 to 2^53 - 1. */
  readonly qtyLots: number | bigint
  /** `gtc` if it is left out. */
  readonly tif?: TimeInForce | undefined
  /** What ends when it would meet an order of the same owner: `cancel_maker` if it is left out. */
  readonly stp?: SelfTradePrevention | undefined
  /** The name that the owner gives the order: at most 16 bytes. */
  readonly clientId?: Hex | undefined
  /** Seconds since 1970; only with `gtc` and `post_only`. */
  readonly expireS?: number | undefined
  readonly trigger?: { readonly kind: 'stop' | 'take_profit'; readonly priceTicks: number } | undefined
  /** Orders that it may meet, at most 200; 20 if it is left out. */
  readonly maxFills?: number | undefined
  /** What a `post_only` order does that would take: `reject` if it is left out. */
  readonly postOnlyMode?: 'reject' | 'slide' | undefined
}

/** An open order, by either of its names. */
export type OrderTarget = { readonly clientId: Hex } | { readonly orderSeq: number | bigint }

export type CancelArguments = { readonly market: number } & OrderTarget

export interface CancelAllArguments {
  /** The market; all markets if it is left out. */
  readonly market?: number | undefined
  /** Both if it is left out. */
  readonly side?: Side | undefined
}

export interface ReplaceArguments extends PlaceArguments {
  readonly target: OrderTarget
  /** The order keeps its place in the queue where nothing but its size gets smaller. */
  readonly keepPriority?: boolean | undefined
}

const MAX_TICKS = 2n ** 32n - 1n
const MAX_SAFE = 2n ** 53n - 1n
const MAX_U32 = 2n ** 32n - 1n
const MAX_FILLS = 200n
const MAX_CLIENT_ID_BYTES = 16

/** Throws `range`. */
export const integer = (name: string, value: number | bigint, least: bigint, most: bigint): bigint => {
  const isWhole = typeof value === 'bigint' || Number.isSafeInteger(value)
  if (!isWhole || BigInt(value) < least || BigInt(value) > most) {
    throw new ClobClientError('range', `${name} is ${value}, no whole number from ${least} to ${most}`)
  }
  return BigInt(value)
}

/** Throws `range`. */
export const uint32 = (name: string, value: number, least = 0n): number => Number(integer(name, value, least, MAX_U32))

/** Throws `range`. */
export const uint53 = (name: string, value: number | bigint, least = 0n): bigint =>
  integer(name, value, least, MAX_SAFE)

const checkClientId = (clientId: Hex, least: number): Hex => {
  const isWhole = isHex(clientId) && clientId.length % 2 === 0
  if (!isWhole || size(clientId) < least || size(clientId) > MAX_CLIENT_ID_BYTES) {
    throw new ClobClientError('range', `a client id has ${least} to ${MAX_CLIENT_ID_BYTES} bytes in hexadecimal`)
  }
  return clientId
}

const NOTHING: Omit<ClobAction, 'kind'> = {
  market: 0,
  side: '',
  priceTicks: 0n,
  qtyLots: 0n,
  tif: '',
  stp: '',
  clientId: '0x',
  expireS: 0n,
  triggerTicks: 0n,
  triggerKind: '',
  maxFills: 0,
  postOnlyMode: '',
  targetClientId: '0x',
  targetSeq: 0n,
  keepPriority: false,
  atMs: 0n,
}

/** Throws `range`, as all of these do. */
export const placeAction = (order: PlaceArguments): ClobAction => ({
  ...NOTHING,
  kind: 'place',
  market: uint32('market', order.market, 1n),
  side: order.side,
  priceTicks: integer('priceTicks', order.priceTicks, 1n, MAX_TICKS),
  qtyLots: uint53('qtyLots', order.qtyLots, 1n),
  tif: order.tif ?? 'gtc',
  stp: order.stp ?? 'cancel_maker',
  clientId: checkClientId(order.clientId ?? '0x', 0),
  expireS: uint53('expireS', order.expireS ?? 0),
  triggerTicks: order.trigger ? integer('trigger.priceTicks', order.trigger.priceTicks, 1n, MAX_TICKS) : 0n,
  triggerKind: order.trigger?.kind ?? 'none',
  maxFills: Number(integer('maxFills', order.maxFills ?? 0, 0n, MAX_FILLS)),
  postOnlyMode: order.postOnlyMode ?? 'reject',
})

const targetOf = (target: OrderTarget) =>
  'clientId' in target
    ? { targetClientId: checkClientId(target.clientId, 1) }
    : { targetSeq: uint53('orderSeq', target.orderSeq, 1n) }

export const cancelAction = ({ market, ...target }: CancelArguments): ClobAction => ({
  ...NOTHING,
  ...targetOf(target),
  kind: 'cancel',
  market: uint32('market', market, 1n),
})

export const cancelAllAction = ({ market = 0, side }: CancelAllArguments = {}): ClobAction => ({
  ...NOTHING,
  kind: 'cancelAll',
  market: uint32('market', market),
  side: side ?? 'both',
})

/** `qtyLots` is what is to be left of the order. */
export const replaceAction = ({ target, keepPriority = false, ...order }: ReplaceArguments): ClobAction => ({
  ...placeAction(order),
  ...targetOf(target),
  kind: 'replace',
  keepPriority,
})

/** The dead man's switch: all orders die at a time, in milliseconds since 1970; 0 clears it. */
export const scheduleCancelAction = (atMs: number): ClobAction => ({
  ...NOTHING,
  kind: 'scheduleCancel',
  atMs: uint53('atMs', atMs),
})
