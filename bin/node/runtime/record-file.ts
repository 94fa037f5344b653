/**
 * A file of records that is only appended to, or replaced at once. Written before an answer is given, so that it survives a
 * killed process; flushed to the disk every 100 ms, which bounds what a power failure can take.
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
import { plainBytes } from '../../../core/bytes.ts'

const FLUSH_INTERVAL_MS = 100
/** Appending, so that a write after a truncation leaves no hole. */
const ANEW = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND

/** How records stand in the file. */
export interface RecordCodec<Item> {
  encode(items: readonly Item[]): Uint8Array
  /** All whole records from the start on: a torn one, which a crash can leave, ends the list. */
  decode(bytes: Uint8Array): readonly Item[]
}

export interface RecordFile<Item> {
  load(): readonly Item[]
  append(items: readonly Item[]): void
  rewrite(items: readonly Item[]): void
  close(): void
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

/** `append` and `rewrite` throw what the system says, and leave the file as it was. */
export const openRecordFile = <Item>(
  path: string,
  { encode, decode }: RecordCodec<Item>,
  onError: (error: Error) => void,
): RecordFile<Item> => {
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
      const items = decode(readIfThere(path))
      // What a crash tore would hide every record after it.
      length = encode(items).length
      ftruncateSync(descriptor, length)
      return items
    },
    append: (items) => {
      const records = encode(items)
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
    rewrite: (items) => {
      const temporary = `${path}.new`
      const next = openSync(temporary, ANEW)
      const records = encode(items)
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
