/** Actions of a ClobTx, read and checked in one go. */
import type { Side } from '../domain/order.ts'
import { clobError, notCanonical } from '../errors.ts'
import type { Action, Place, Target } from './clob-tx.ts'
import {
  ACTION,
  CANCEL,
  CANCEL_ALL,
  MAX_CLIENT_ID_BYTES,
  MAX_FILLS,
  MAX_UINT32,
  PLACE,
  REPLACE,
  SCHEDULE_CANCEL,
} from './fields.ts'
import { POST_ONLY_MODES, SELF_TRADE_PREVENTIONS, SIDES, TIMES_IN_FORCE, TRIGGER_KINDS } from './wire-names.ts'
import { WireReader } from './wire-reader.ts'

const MAX_UINT = Number.MAX_SAFE_INTEGER

const nameOf = <T>(names: readonly T[], value: number): Exclude<T, undefined> => names[value] as Exclude<T, undefined>

/** One that must be there, which 0 is not. */
const readRequired = (reader: WireReader, tag: number, name: string, max: number): number => {
  const value = reader.uint(tag, name, max)
  if (value !== 0) return value
  reader.refuseMisplaced(tag, name)
  throw clobError('range', `${name} is missing: it is within 1 to ${max}`)
}

const refuseReserved = (reader: WireReader): void => {
  const tag = reader.peek()
  if (tag === PLACE.builder || tag === PLACE.builderFeePpm || tag === PLACE.group) {
    throw clobError('reserved', 'builder, builder_fee_ppm and group are reserved')
  }
}

const checkPlace = ({ tif, clientId, expireS, triggerTicks, triggerKind }: Place): void => {
  if (clientId.length > MAX_CLIENT_ID_BYTES) {
    throw clobError('clientIdBytes', `a client id has at most ${MAX_CLIENT_ID_BYTES} bytes, not ${clientId.length}`)
  }
  if (expireS !== 0 && tif !== 'gtc' && tif !== 'post_only') {
    throw clobError('expiry', 'expire_s stands with GTC and POST_ONLY only')
  }
  if ((triggerTicks === 0) !== (triggerKind === 'none')) {
    throw clobError('trigger', 'trigger_ticks stand with a trigger_kind, and a trigger_kind with trigger_ticks')
  }
}

const readPlace = (reader: WireReader): Place => {
  // The members stand in the order of the fields: an object literal is evaluated so.
  const place: Place = {
    market: readRequired(reader, PLACE.market, 'market', MAX_UINT32),
    side: nameOf(SIDES, readRequired(reader, PLACE.side, 'side', SIDES.length - 1)),
    priceTicks: readRequired(reader, PLACE.priceTicks, 'price_ticks', MAX_UINT32),
    qtyLots: readRequired(reader, PLACE.qtyLots, 'qty_lots', MAX_UINT),
    tif: nameOf(TIMES_IN_FORCE, readRequired(reader, PLACE.tif, 'tif', TIMES_IN_FORCE.length - 1)),
    stp: nameOf(SELF_TRADE_PREVENTIONS, reader.uint(PLACE.stp, 'stp', SELF_TRADE_PREVENTIONS.length - 1)),
    clientId: reader.bytes(PLACE.clientId, 'client_id'),
    expireS: reader.uint(PLACE.expireS, 'expire_s', MAX_UINT),
    triggerTicks: reader.uint(PLACE.triggerTicks, 'trigger_ticks', MAX_UINT32),
    triggerKind: nameOf(TRIGGER_KINDS, reader.uint(PLACE.triggerKind, 'trigger_kind', TRIGGER_KINDS.length - 1)),
    maxFills: reader.uint(PLACE.maxFills, 'max_fills', MAX_FILLS),
    postOnlyMode: nameOf(
      POST_ONLY_MODES,
      reader.uint(PLACE.postOnlyMode, 'post_only_mode', POST_ONLY_MODES.length - 1),
    ),
  }
  refuseReserved(reader)
  checkPlace(place)
  return place
}

const refuseTarget = (): never => {
  throw clobError('target', 'a target is a client id of 1 to 16 bytes or an order_seq from 1')
}

const readTarget = (reader: WireReader): Target => {
  const tag = reader.peek()
  if (tag === CANCEL.clientId) {
    const clientId = reader.presentBytes('client_id')
    if (clientId.length === 0 || clientId.length > MAX_CLIENT_ID_BYTES) refuseTarget()
    return { kind: 'client', clientId }
  }
  if (tag !== CANCEL.orderSeq) {
    reader.refuseMisplaced(CANCEL.clientId, 'target')
    return refuseTarget()
  }
  const orderSeq = reader.presentUint('order_seq', MAX_UINT)
  return orderSeq === 0 ? refuseTarget() : { kind: 'seq', orderSeq }
}

interface Cancel {
  readonly market: number
  readonly target: Target
}

const readCancel = (reader: WireReader): Cancel => ({
  market: readRequired(reader, CANCEL.market, 'market', MAX_UINT32),
  target: readTarget(reader),
})

const readCancelAll = (reader: WireReader): Action => ({
  kind: 'cancelAll',
  market: reader.uint(CANCEL_ALL.market, 'market', MAX_UINT32),
  side: SIDES[reader.uint(CANCEL_ALL.side, 'side', SIDES.length - 1)] as Side | undefined,
})

const readReplace = (reader: WireReader): Action => {
  const missing = (tag: number, name: string): never => {
    reader.refuseMisplaced(tag, name)
    throw clobError('replaceMarkets', `a Replace has a ${name}`)
  }
  if (reader.peek() !== REPLACE.target) missing(REPLACE.target, 'target')
  const { market, target } = reader.message('target', readCancel)
  if (reader.peek() !== REPLACE.place) missing(REPLACE.place, 'place')
  const place = reader.message('place', readPlace)
  if (place.market !== market) {
    throw clobError('replaceMarkets', `a Replace is of one market, not of ${market} and ${place.market}`)
  }
  const keepPriority = reader.uint(REPLACE.keepPriority, 'keep_priority_if_size_down', 1) === 1
  return { kind: 'replace', target, place, keepPriority }
}

/** The content of an Action. Throws clob/2 and clob/5 to clob/12. */
export const readAction = (reader: WireReader): Action => {
  switch (reader.peek()) {
    case ACTION.place:
      return { kind: 'place', place: reader.message('place', readPlace) }
    case ACTION.cancel: {
      const { market, target } = reader.message('cancel', readCancel)
      return { kind: 'cancel', market, target }
    }
    case ACTION.cancelAll:
      return reader.message('cancel_all', readCancelAll)
    case ACTION.replace:
      return reader.message('replace', readReplace)
    case ACTION.scheduleCancel:
      return reader.message('schedule_cancel', (inner) => ({
        kind: 'scheduleCancel',
        atMs: inner.uint(SCHEDULE_CANCEL.atMs, 'at_ms', MAX_UINT),
      }))
    case -1:
      throw clobError('actionCount', 'an action is empty')
    default:
      throw notCanonical('an action has an unknown field')
  }
}

/** An Action that stands by itself, in its one encoding. Throws as {@link readAction}. */
export const decodeAction = (bytes: Uint8Array): Action => {
  const reader = new WireReader(bytes, 0)
  const action = readAction(reader)
  reader.finish('action')
  return action
}
