/** The journal of the orders' pool on disk: records of eight bytes wall clock (ms), four bytes length, and the wire form. */
import type { JournaledOrder, OrderJournal } from '../../../app/environment.ts'
import { readUint32, readUint64 } from '../../../core/bytes.ts'
import { MAX_CLOB_TX_BYTES } from '../../../modules/clob/index.ts'
import { openRecordFile, type RecordFile } from './record-file.ts'

const TIME_BYTES = 8
const HEAD_BYTES = TIME_BYTES + 4

export type FileOrderJournal = OrderJournal & Pick<RecordFile<JournaledOrder>, 'close'>

export const encodeOrders = (orders: readonly JournaledOrder[]): Uint8Array => {
  const out = new Uint8Array(orders.reduce((sum, { raw }) => sum + HEAD_BYTES + raw.length, 0))
  const view = new DataView(out.buffer)
  let at = 0
  for (const { seenMs, raw } of orders) {
    view.setBigUint64(at, BigInt(seenMs))
    view.setUint32(at + TIME_BYTES, raw.length)
    out.set(raw, at + HEAD_BYTES)
    at += HEAD_BYTES + raw.length
  }
  return out
}

/** A record that a crash tore, or left zeros of, ends the list. */
export const decodeOrders = (bytes: Uint8Array): readonly JournaledOrder[] => {
  const found: JournaledOrder[] = []
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const seenMs = readUint64(bytes, at)
    const length = readUint32(bytes, at + TIME_BYTES)
    const end = at + HEAD_BYTES + length
    if (!Number.isSafeInteger(seenMs) || length === 0 || length > MAX_CLOB_TX_BYTES || end > bytes.length) break
    found.push({ seenMs, raw: bytes.slice(at + HEAD_BYTES, end) })
    at = end
  }
  return found
}

/** `append` and `rewrite` throw what the system says, and leave the journal as it was. */
export const openOrderJournal = (path: string, onError: (error: Error) => void): FileOrderJournal =>
  openRecordFile(path, { encode: encodeOrders, decode: decodeOrders }, onError)
