/**
 * For tests: static validity as the specification words it, on protobuf-es. Slow and obvious: decode without unknown fields,
 * encode, compare, then look at each value. It shares no code with what it judges.
 */
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { concatBytes, equalBytes } from '../../../../core/bytes.ts'
import { bytesToHex } from '../../../../core/hex.ts'
import { clobTx } from '../../../../proto/index.ts'
import type { Action, ClobTx, Place, Target } from '../clob-tx.ts'

type Message = clobTx.ClobTx
export type MessageInit = MessageInitShape<typeof clobTx.ClobTxSchema>

const SIDE = { buy: 1, sell: 2 } as const
const TIF = { gtc: 1, ioc: 2, fok: 3, post_only: 4 } as const
const STP = { cancel_maker: 0, cancel_taker: 1, cancel_both: 2, decrement: 3 } as const
const TRIGGER = { none: 0, stop: 1, take_profit: 2 } as const
const POST_ONLY = { reject: 0, slide: 1 } as const

const placeMessage = (place: Place) => ({
  market: place.market,
  side: SIDE[place.side],
  priceTicks: BigInt(place.priceTicks),
  qtyLots: BigInt(place.qtyLots),
  tif: TIF[place.tif],
  stp: STP[place.stp],
  clientId: place.clientId,
  expireS: BigInt(place.expireS),
  triggerTicks: BigInt(place.triggerTicks),
  triggerKind: TRIGGER[place.triggerKind],
  maxFills: place.maxFills,
  postOnlyMode: POST_ONLY[place.postOnlyMode],
})

const cancelMessage = (market: number, target: Target) => ({
  market,
  target:
    target.kind === 'client'
      ? ({ case: 'clientId', value: target.clientId } as const)
      : ({ case: 'orderSeq', value: BigInt(target.orderSeq) } as const),
})

const actionMessage = (action: Action) => {
  switch (action.kind) {
    case 'place':
      return { action: { case: 'place', value: placeMessage(action.place) } } as const
    case 'cancel':
      return { action: { case: 'cancel', value: cancelMessage(action.market, action.target) } } as const
    case 'cancelAll':
      return {
        action: {
          case: 'cancelAll',
          value: { market: action.market, side: action.side === undefined ? 0 : SIDE[action.side] },
        },
      } as const
    case 'replace':
      return {
        action: {
          case: 'replace',
          value: {
            target: cancelMessage(action.place.market, action.target),
            place: placeMessage(action.place),
            keepPriorityIfSizeDown: action.keepPriority,
          },
        },
      } as const
    case 'scheduleCancel':
      return { action: { case: 'scheduleCancel', value: { atMs: BigInt(action.atMs) } } } as const
  }
}

export const messageOf = (tx: ClobTx): Message =>
  create(clobTx.ClobTxSchema, {
    version: 1,
    owner: tx.owner,
    subaccount: tx.subaccount,
    nonceMs: BigInt(tx.nonceMs),
    goodTilBlock: tx.goodTilBlock,
    actions: tx.actions.map(actionMessage),
    sigScheme: tx.sigScheme,
    signature: tx.signature,
    agent: tx.agent ?? new Uint8Array(0),
  })

/** The wire form of any message, valid or not. */
export const wireOf = (message: MessageInit): Uint8Array =>
  concatBytes(Uint8Array.of(0x70), toBinary(clobTx.ClobTxSchema, create(clobTx.ClobTxSchema, message)))

const MAX_SAFE = 2n ** 53n - 1n
const within = (value: bigint | number, min: bigint, max: bigint): boolean =>
  BigInt(value) >= min && BigInt(value) <= max

const isPlace = (place: clobTx.Place): boolean =>
  within(place.market, 1n, 2n ** 32n - 1n) &&
  within(place.side, 1n, 2n) &&
  within(place.priceTicks, 1n, 2n ** 32n - 1n) &&
  within(place.qtyLots, 1n, MAX_SAFE) &&
  within(place.tif, 1n, 4n) &&
  within(place.stp, 0n, 3n) &&
  place.clientId.length <= 16 &&
  within(place.expireS, 0n, MAX_SAFE) &&
  (place.expireS === 0n || place.tif === TIF.gtc || place.tif === TIF.post_only) &&
  within(place.triggerKind, 0n, 2n) &&
  within(place.triggerTicks, place.triggerKind === 0 ? 0n : 1n, place.triggerKind === 0 ? 0n : 2n ** 32n - 1n) &&
  within(place.maxFills, 0n, 200n) &&
  within(place.postOnlyMode, 0n, 1n) &&
  place.builder.length === 0 &&
  place.builderFeePpm === 0 &&
  place.group.length === 0

const isCancel = ({ market, target }: clobTx.Cancel): boolean => {
  if (market === 0) return false
  if (target.case === 'clientId') return target.value.length >= 1 && target.value.length <= 16
  return target.case === 'orderSeq' && within(target.value, 1n, MAX_SAFE)
}

const isAction = ({ action }: clobTx.Action): boolean => {
  switch (action.case) {
    case 'place':
      return isPlace(action.value)
    case 'cancel':
      return isCancel(action.value)
    case 'cancelAll':
      return within(action.value.side, 0n, 2n)
    case 'replace': {
      const { target, place } = action.value
      if (target === undefined || place === undefined) return false
      return isCancel(target) && isPlace(place) && target.market === place.market
    }
    case 'scheduleCancel':
      return within(action.value.atMs, 0n, MAX_SAFE)
    case undefined:
      return false
  }
}

const takes = (place: clobTx.Place | undefined): boolean =>
  place !== undefined && place.tif !== TIF.post_only && place.triggerKind === 0

const weigh = (place: clobTx.Place | undefined): number =>
  place !== undefined && takes(place) ? place.maxFills || 20 : 1

const weightOfMessage = ({ action }: clobTx.Action): number => {
  if (action.case === 'place') return weigh(action.value)
  if (action.case === 'replace') return weigh(action.value.place)
  return action.case === 'cancel' ? 1 : 20
}

export const referenceWeight = ({ actions }: Message): number =>
  actions.reduce((sum, action) => sum + weightOfMessage(action), 0)

export const referencePhase = ({ actions }: Message): number => {
  const places = actions.flatMap(({ action }) => {
    if (action.case === 'place') return [action.value]
    return action.case === 'replace' ? [action.value.place] : []
  })
  if (places.some(takes)) return 2
  return places.length > 0 ? 1 : 0
}

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const isSignature = (signature: Uint8Array): boolean => {
  if (signature.length !== 65) return false
  const r = BigInt(bytesToHex(signature.subarray(0, 32)))
  const s = BigInt(bytesToHex(signature.subarray(32, 64)))
  return within(r, 1n, ORDER - 1n) && within(s, 1n, ORDER / 2n) && within(signature[64] ?? 2, 0n, 1n)
}

const isAgent = (agent: Uint8Array): boolean =>
  agent.length === 0 || (agent.length === 20 && agent.some((byte) => byte !== 0))

const isTx = (message: Message): boolean =>
  message.version === 1 &&
  message.owner.length === 20 &&
  within(message.nonceMs, 0n, MAX_SAFE) &&
  within(message.actions.length, 1n, 50n) &&
  message.actions.every(isAction) &&
  referenceWeight(message) <= 1000 &&
  within(message.sigScheme, 1n, 3n) &&
  isSignature(message.signature) &&
  isAgent(message.agent)

/** Undefined where the wire form is not statically valid. */
export const referenceDecode = (raw: Uint8Array): Message | undefined => {
  if (raw.length > 4096 || raw[0] !== 0x70) return undefined
  let message: Message
  try {
    message = fromBinary(clobTx.ClobTxSchema, raw.subarray(1), { readUnknownFields: false })
  } catch {
    // Bytes that are no such message.
    return undefined
  }
  return equalBytes(wireOf(message), raw) && isTx(message) ? message : undefined
}
