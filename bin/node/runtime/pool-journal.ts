/**
 * The pool's journal on disk: records of four bytes length and the transaction. Written before a transaction is
 * answered, so that it survives a killed process; flushed to the disk every 100 ms, which bounds what a power failure
 * can take.
 */
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { PoolJournal } from '../../../app/environment.ts'
import { plainBytes, readUint32 } from '../../../core/bytes.ts'
import { MAX_TRANSACTION_BYTES } from '../../../core/limits.ts'

const FLUSH_INTERVAL_MS = 100
const LENGTH_BYTES = 4
/** Appending, so that a write after a truncation leaves no hole. */
const ANEW = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND

export interface FilePoolJournal extends PoolJournal {
  close(): void
}

const recordsLength = (transactions: readonly Uint8Array[]): number =>
  transactions.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0)

export const encodeRecords = (transactions: readonly Uint8Array[]): Uint8Array => {
  const out = new Uint8Array(recordsLength(transactions))
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

const readIfThere = (path: string): Uint8Array => {
  try {
    return plainBytes(readFileSync(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Uint8Array(0)
    throw error
  }
}

/** A disk that fills up takes a part, and refuses the rest at the next try. */
const writeAll = (descriptor: number, bytes: Uint8Array): void => {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
}

const syncFolder = (folder: string): void => {
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** `append` and `rewrite` throw what the system says, and leave the journal as it was. */
export const openPoolJournal = (path: string, onError: (error: Error) => void): FilePoolJournal => {
  let descriptor = openSync(path, 'a')
  /** Bytes of whole records. */
  let length = fstatSync(descriptor).size
  let dirty = false
  let flushing = false
  const flush = (): void => {
    if (!dirty || flushing) return
    dirty = false
    flushing = true
    const flushed = descriptor
    fdatasync(flushed, (error) => {
      flushing = false
      // A rewrite closed the old file meanwhile: what it held is in the new one.
      if (error !== null && flushed === descriptor) onError(error)
    })
  }
  const timer = setInterval(flush, FLUSH_INTERVAL_MS)
  timer.unref()
  return {
    load: () => {
      const transactions = decodeRecords(readIfThere(path))
      // What a crash tore would hide every record after it.
      length = recordsLength(transactions)
      ftruncateSync(descriptor, length)
      return transactions
    },
    append: (transactions) => {
      const records = encodeRecords(transactions)
      try {
        writeAll(descriptor, records)
      } catch (error) {
        // Half a record would make every later one unreadable.
        ftruncateSync(descriptor, length)
        throw error
      }
      length += records.length
      dirty = true
    },
    rewrite: (transactions) => {
      const temporary = `${path}.new`
      const next = openSync(temporary, ANEW)
      const records = encodeRecords(transactions)
      try {
        writeAll(next, records)
        // Otherwise a power failure could leave an empty file in the place of all that was flushed long ago.
        fdatasyncSync(next)
        renameSync(temporary, path)
      } catch (error) {
        closeSync(next)
        throw error
      }
      closeSync(descriptor)
      descriptor = next
      length = records.length
      // Otherwise the old file could come back without what is flushed to the new one.
      syncFolder(dirname(path))
    },
    close: () => {
      clearInterval(timer)
      closeSync(descriptor)
    },
  }
}
