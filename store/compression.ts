/**
 * Compression of records of the database (zstd). What it makes of them may change with its version: it is never hashed,
 * and never compared.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { plainBytes } from '../core/bytes.ts'

/** 2 ns a byte; the next ones take twice the time for nearly the same. */
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export const compress = (bytes: Uint8Array): Uint8Array => plainBytes(zstdCompressSync(bytes, FAST))

/** Throws for what {@link compress} did not make. */
export const decompress = (bytes: Uint8Array): Uint8Array => plainBytes(zstdDecompressSync(bytes))
