/** A ClobTx in its one encoding. */
import { BackwardWriter } from '../../../proto/backward-writer.ts'
import { type Action, CLOB_TX_BYTE, type ClobTx, type Place, type Target } from './clob-tx.ts'
import { ACTION, CANCEL, CANCEL_ALL, PLACE, REPLACE, SCHEDULE_CANCEL, TX, VERSION } from './fields.ts'
import { POST_ONLY_MODES, SELF_TRADE_PREVENTIONS, SIDES, TIMES_IN_FORCE, TRIGGER_KINDS } from './wire-names.ts'

/** The bytes of an order with its signature. A writer that needs more grows. */
const USUAL_BYTES = 512

const CLOB_TX_PREFIX = Uint8Array.of(CLOB_TX_BYTE)

/** Default values are not written. */
const writeNumber = (writer: BackwardWriter, tag: number, value: number): void => {
  if (value !== 0) writer.number(tag, value)
}

const writeBytes = (writer: BackwardWriter, tag: number, bytes: Uint8Array): void => {
  if (bytes.length > 0) writer.bytes(tag, bytes)
}

/** Writes what is nested, then its length and tag before it. */
const writeMessage = (writer: BackwardWriter, tag: number, write: () => void): void => {
  const before = writer.written
  write()
  writer.number(tag, writer.written - before)
}

const writePlace = (writer: BackwardWriter, place: Place): void => {
  writeNumber(writer, PLACE.postOnlyMode, POST_ONLY_MODES.indexOf(place.postOnlyMode))
  writeNumber(writer, PLACE.maxFills, place.maxFills)
  writeNumber(writer, PLACE.triggerKind, TRIGGER_KINDS.indexOf(place.triggerKind))
  writeNumber(writer, PLACE.triggerTicks, place.triggerTicks)
  writeNumber(writer, PLACE.expireS, place.expireS)
  writeBytes(writer, PLACE.clientId, place.clientId)
  writeNumber(writer, PLACE.stp, SELF_TRADE_PREVENTIONS.indexOf(place.stp))
  writeNumber(writer, PLACE.tif, TIMES_IN_FORCE.indexOf(place.tif))
  writeNumber(writer, PLACE.qtyLots, place.qtyLots)
  writeNumber(writer, PLACE.priceTicks, place.priceTicks)
  writeNumber(writer, PLACE.side, SIDES.indexOf(place.side))
  writeNumber(writer, PLACE.market, place.market)
}

/** Writes a oneof: both members are written also where they are 0 or empty. */
const writeCancel = (writer: BackwardWriter, market: number, target: Target): void => {
  if (target.kind === 'client') writer.bytes(CANCEL.clientId, target.clientId)
  else writer.number(CANCEL.orderSeq, target.orderSeq)
  writeNumber(writer, CANCEL.market, market)
}

const writeAction = (writer: BackwardWriter, action: Action): void => {
  switch (action.kind) {
    case 'place':
      return writeMessage(writer, ACTION.place, () => writePlace(writer, action.place))
    case 'cancel':
      return writeMessage(writer, ACTION.cancel, () => writeCancel(writer, action.market, action.target))
    case 'cancelAll':
      return writeMessage(writer, ACTION.cancelAll, () => {
        writeNumber(writer, CANCEL_ALL.side, SIDES.indexOf(action.side))
        writeNumber(writer, CANCEL_ALL.market, action.market)
      })
    case 'replace':
      return writeMessage(writer, ACTION.replace, () => {
        writeNumber(writer, REPLACE.keepPriority, action.keepPriority ? 1 : 0)
        writeMessage(writer, REPLACE.place, () => writePlace(writer, action.place))
        writeMessage(writer, REPLACE.target, () => writeCancel(writer, action.place.market, action.target))
      })
    case 'scheduleCancel':
      return writeMessage(writer, ACTION.scheduleCancel, () => writeNumber(writer, SCHEDULE_CANCEL.atMs, action.atMs))
  }
}

/** The content of an Action, as it stands in a ClobTx. */
export const encodeAction = (action: Action): Uint8Array => {
  const writer = new BackwardWriter(USUAL_BYTES)
  writeAction(writer, action)
  return writer.finish().slice()
}

const writeTx = (writer: BackwardWriter, tx: ClobTx, isSigned: boolean): void => {
  if (tx.agent !== undefined) writeBytes(writer, TX.agent, tx.agent)
  if (isSigned) writeBytes(writer, TX.signature, tx.signature)
  writeNumber(writer, TX.sigScheme, tx.sigScheme)
  for (let at = tx.actions.length - 1; at >= 0; at--) {
    writeMessage(writer, TX.actions, () => writeAction(writer, tx.actions[at] as Action))
  }
  writeNumber(writer, TX.goodTilBlock, tx.goodTilBlock)
  writeNumber(writer, TX.nonceMs, tx.nonceMs)
  writeNumber(writer, TX.subaccount, tx.subaccount)
  writeBytes(writer, TX.owner, tx.owner)
  writer.number(TX.version, VERSION)
}

/**
 * The wire form. Integers must be whole and below 2^53; nothing else is checked: {@link decodeClobBody} says whether the
 * result is valid.
 */
export const encodeClobTx = (tx: ClobTx): Uint8Array => {
  const writer = new BackwardWriter(USUAL_BYTES)
  writeTx(writer, tx, true)
  writer.raw(CLOB_TX_PREFIX)
  return writer.finish().slice()
}

/** The ClobTx without its signature (field 8) and without the byte before it: what schemes 2 and 3 sign. */
export const encodeUnsigned = (tx: ClobTx): Uint8Array => {
  const writer = new BackwardWriter(USUAL_BYTES)
  writeTx(writer, tx, false)
  return writer.finish().slice()
}
