/**
 * The pool's journal on disk: records of four bytes length and the transaction. Written before a transaction is
 * answered, so that it survives a killed process; flushed to the disk every 100 ms, which bounds what a power failure
 * can take.
 */
import { closeSync, fdatasync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import type { PoolJournal } from '../../app/environment.ts'
import { concatBytes, plainBytes, readUint32 } from '../../core/bytes.ts'
import { MAX_TRANSACTION_BYTES } from '../../core/limits.ts'

export const FLUSH_INTERVAL_MS = 100
const LENGTH_BYTES = 4

export interface FilePoolJournal extends PoolJournal {
  close(): void
}

const encodeRecord = (transaction: Uint8Array): Uint8Array => {
  const length = new Uint8Array(LENGTH_BYTES)
  new DataView(length.buffer).setUint32(0, transaction.length)
  return concatBytes(length, transaction)
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

export const openPoolJournal = (path: string, onError: (error: Error) => void): FilePoolJournal => {
  let descriptor = openSync(path, 'a')
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
    load: () => decodeRecords(readIfThere(path)),
    append: (transaction) => {
      writeSync(descriptor, encodeRecord(transaction))
      dirty = true
    },
    rewrite: (transactions) => {
      const temporary = `${path}.new`
      const next = openSync(temporary, 'w')
      if (transactions.length > 0) writeSync(next, concatBytes(...transactions.map(encodeRecord)))
      renameSync(temporary, path)
      closeSync(descriptor)
      descriptor = next
      dirty = true
    },
    close: () => {
      clearInterval(timer)
      closeSync(descriptor)
    },
  }
}
