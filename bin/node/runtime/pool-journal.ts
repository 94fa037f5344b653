/** The pool's journal on disk: records of four bytes length and the transaction. */
import type { PoolJournal } from '../../../app/environment.ts'
import { readUint32 } from '../../../core/bytes.ts'
import { MAX_TRANSACTION_BYTES } from '../../../core/limits.ts'
import { openRecordFile, type RecordFile } from './record-file.ts'

const LENGTH_BYTES = 4

export type FilePoolJournal = PoolJournal & Pick<RecordFile<Uint8Array>, 'close'>

export const encodeRecords = (transactions: readonly Uint8Array[]): Uint8Array => {
  const out = new Uint8Array(transactions.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0))
  const view = new DataView(out.buffer)
  let at = 0
  for (const transaction of transactions) {
    view.setUint32(at, transaction.length)
    out.set(transaction, at + LENGTH_BYTES)
    at += LENGTH_BYTES + transaction.length
  }
  return out
}

/** A torn last record, which a crash can leave, ends the list. */
export const decodeRecords = (bytes: Uint8Array): readonly Uint8Array[] => {
  const found: Uint8Array[] = []
  for (let at = 0; at + LENGTH_BYTES <= bytes.length; ) {
    const length = readUint32(bytes, at)
    const end = at + LENGTH_BYTES + length
    if (length === 0 || length > MAX_TRANSACTION_BYTES || end > bytes.length) break
    found.push(bytes.slice(at + LENGTH_BYTES, end))
    at = end
  }
  return found
}

/** `append` and `rewrite` throw what the system says, and leave the journal as it was. */
export const openPoolJournal = (path: string, onError: (error: Error) => void): FilePoolJournal =>
  openRecordFile(path, { encode: encodeRecords, decode: decodeRecords }, onError)
