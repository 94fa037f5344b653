/**
 * Compression of records of the database (zstd). What it makes of them may change with its version: it is never hashed,
 * and never compared.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { plainBytes } from '../core/bytes.ts'

/** 2 ns a byte; the next ones take twice the time for nearly the same. */
const FAST = { [constants.ZSTD_c_compressionLevel]: 1 }
/** What zstd may make of `length` bytes, and more (ZSTD_COMPRESSBOUND). With room for it nothing is copied in between. */
const mostBytes = (length: number): number => length + (length >> 8) + 65_536

export const compress = (bytes: Uint8Array): Uint8Array => {
  const { length } = bytes
  return plainBytes(zstdCompressSync(bytes, { params: FAST, pledgedSrcSize: length, chunkSize: mostBytes(length) }))
}

/** Throws for what {@link compress} did not make. */
export const decompress = (bytes: Uint8Array): Uint8Array => plainBytes(zstdDecompressSync(bytes))
