/**
 * What each column takes on disk, from the properties at the end of RocksDB's table files (format 6 of its block-based
 * tables): the binding tells properties of the unused default column only.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToUtf8 } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { STORE_ERRORS } from './errors.ts'

/** Checksum type (1), mark of the format (4), two checksums (8), size of the metaindex (4), zeros (24), version (4), magic (8). */
const FOOTER_BYTES = 53
const METAINDEX_SIZE_OFFSET = 13
const VERSION_OFFSET = 41
const MAGIC_OFFSET = 45
const MAGIC = 0x88e2_41b7_85f4_cff7n
const FORMAT_VERSION = 6
/** Compression (1) and checksum (4) behind every block. */
const BLOCK_TRAILER_BYTES = 5
/** These blocks have a few hundred bytes. */
const MAX_BLOCK_BYTES = 1024 * 1024

export interface ColumnUsage {
  readonly files: number
  readonly bytes: number
  /** Entries less deletions; of a key that stands in several files each counts. */
  readonly approximateKeys: number
}

const read = (file: number, offset: number, length: number): Buffer => {
  const out = Buffer.alloc(length)
  return out.subarray(0, readSync(file, out, 0, length, offset))
}

class Reader {
  readonly #bytes: Uint8Array
  at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  varint(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }

  take(length: number): Uint8Array {
    this.at += length
    return this.#bytes.subarray(this.at - length, this.at)
  }
}

/** Entries of a block: shared and own bytes of the key, length of the value; then the offsets of restarts. */
const parseBlock = (block: Buffer): ReadonlyMap<string, Uint8Array> => {
  const restarts = block.readUInt32LE(block.length - 4)
  const reader = new Reader(block.subarray(0, block.length - 4 - 4 * restarts))
  const end = block.length - 4 - 4 * restarts
  const entries = new Map<string, Uint8Array>()
  let key = ''
  while (reader.at < end) {
    const shared = reader.varint()
    const own = reader.varint()
    const length = reader.varint()
    key = key.slice(0, shared) + bytesToUtf8(reader.take(own))
    entries.set(key, reader.take(length))
  }
  return entries
}

const readBlock = (file: number, offset: number, size: number): ReadonlyMap<string, Uint8Array> | undefined => {
  if (offset < 0 || size < 4 || size > MAX_BLOCK_BYTES) return undefined
  const block = read(file, offset, size)
  return block.length === size ? parseBlock(block) : undefined
}

export interface Table {
  readonly column: string
  readonly bytes: number
  /** The bytes of its entries, with which it begins; filter, index and properties stand behind them. */
  readonly entryBytes: number
  readonly keys: number
}

const readTable = (file: number): Table | undefined => {
  const { size: bytes } = fstatSync(file)
  const footer = read(file, bytes - FOOTER_BYTES, FOOTER_BYTES)
  if (footer.length !== FOOTER_BYTES || footer.readBigUInt64LE(MAGIC_OFFSET) !== MAGIC) return undefined
  if (footer.readUInt32LE(VERSION_OFFSET) !== FORMAT_VERSION) return undefined
  const metaindexSize = footer.readUInt32LE(METAINDEX_SIZE_OFFSET)
  const metaindex = readBlock(file, bytes - FOOTER_BYTES - BLOCK_TRAILER_BYTES - metaindexSize, metaindexSize)
  const handle = metaindex?.get('rocksdb.properties')
  if (handle === undefined) return undefined
  const place = new Reader(handle)
  const properties = readBlock(file, place.varint(), place.varint())
  const number = (name: string): number => new Reader(properties?.get(name) ?? new Uint8Array(1)).varint()
  const column = properties?.get('rocksdb.column.family.name')
  if (column === undefined) return undefined
  const keys = number('rocksdb.num.entries') - 2 * number('rocksdb.deleted.keys')
  return { column: bytesToUtf8(column), bytes, entryBytes: number('rocksdb.data.size'), keys }
}

/** Throws store/4 for a file that is no table. */
export const readTableFile = (path: string): Table => {
  const file = openSync(path, 'r')
  try {
    const table = readTable(file)
    if (table === undefined) {
      throw new CodedError('store', STORE_ERRORS.corrupt, `the database is corrupt: ${path} is no table file`)
    }
    return table
  } finally {
    closeSync(file)
  }
}

/** Adds up by column what the table files of a directory hold. Throws store/4. */
export const readColumnUsage = (path: string): ReadonlyMap<string, ColumnUsage> => {
  const usage = new Map<string, ColumnUsage>()
  for (const name of readdirSync(path)) {
    if (!name.endsWith('.sst')) continue
    const table = readTableFile(join(path, name))
    const { files, bytes, approximateKeys } = usage.get(table.column) ?? { files: 0, bytes: 0, approximateKeys: 0 }
    usage.set(table.column, {
      files: files + 1,
      bytes: bytes + table.bytes,
      approximateKeys: Math.max(0, approximateKeys + table.keys),
    })
  }
  return usage
}
