/**
 * Snapshots on disk: `<folder>/<height>-<format>/metadata` and `chunk-<index>`. One is written beside and renamed when
 * it is complete, so a folder of that name is whole.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { SnapshotDescription } from '../../../app/ports.ts'
import type { SnapshotBlock } from '../../../app/snapshot-block.ts'
import { equalBytes, plainBytes } from '../../../core/bytes.ts'
import { type Hash, sha256 } from '../../../core/hash.ts'
import { MAX_CHUNK_BYTES } from '../../../store/snapshot/chunk.ts'
import { snapshotContents } from '../../../store/snapshot/create.ts'
import { snapshotError } from '../../../store/snapshot/errors.ts'
import {
  encodeSnapshotMetadata,
  MAX_METADATA_BYTES,
  parseSnapshotMetadata,
  SNAPSHOT_FORMAT,
} from '../../../store/snapshot/metadata.ts'
import type { Cursor } from '../../../store/store.ts'
import { errorText } from '../../errors.ts'
import { reachedStep } from './kill-point.ts'

const NAME = /^(0|[1-9][0-9]{0,15})-([1-9][0-9]{0,2})$/
const UNFINISHED = /^\.making-/
/** Level 3 takes a tenth of the time of level 9, and a few percent more room. */
const COMPRESSION = { params: { [constants.ZSTD_c_compressionLevel]: 3 } }

export const compressChunk = (content: Uint8Array): Uint8Array => plainBytes(zstdCompressSync(content, COMPRESSION))

/** Throws when it is damaged, or longer than `maxBytes`: then no more than that is ever held. */
export const decompressChunk = (chunk: Uint8Array, maxBytes: number): Uint8Array =>
  plainBytes(zstdDecompressSync(chunk, { maxOutputLength: maxBytes }))

export const snapshotPath = (folder: string, height: number, format = SNAPSHOT_FORMAT): string =>
  join(folder, `${height}-${format}`)
const metadataPath = (snapshot: string): string => join(snapshot, 'metadata')
const chunkPath = (snapshot: string, index: number): string => join(snapshot, `chunk-${index}`)

const writeSynced = (path: string, bytes: Uint8Array): void => {
  const file = openSync(path, 'wx', 0o644)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

const syncFolder = (path: string): void => {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Reads at most `maxBytes` of a file. */
const readBounded = (path: string, maxBytes: number): Uint8Array => {
  const { size } = statSync(path)
  if (size > maxBytes) throw snapshotError('metadata', `${path} has ${size} bytes`)
  return plainBytes(readFileSync(path))
}

/** Throws snapshot/1 when it is not what its folder's name says. */
export const readSnapshot = (folder: string, height: number, format: number): SnapshotDescription => {
  const path = snapshotPath(folder, height, format)
  const metadata = readBounded(metadataPath(path), MAX_METADATA_BYTES)
  const parsed = parseSnapshotMetadata(metadata)
  const chunks = parsed.chunkHashes.length
  if (parsed.height !== height) throw snapshotError('metadata', `${path} is a snapshot of height ${parsed.height}`)
  const missing = parsed.chunkHashes.findIndex((_, index) => !existsSync(chunkPath(path, index)))
  if (missing >= 0) throw snapshotError('metadata', `${chunkPath(path, missing)} is missing`)
  return { height, format, chunks, hash: sha256(metadata), metadata }
}

/** Newest first; a damaged one is left out. */
export const listSnapshots = (folder: string, onDamaged: (reason: string) => void): SnapshotDescription[] => {
  if (!existsSync(folder)) return []
  const found: SnapshotDescription[] = []
  for (const name of readdirSync(folder)) {
    const [, height, format] = NAME.exec(name) ?? []
    if (height === undefined || Number(format) !== SNAPSHOT_FORMAT) continue
    try {
      found.push(readSnapshot(folder, Number(height), SNAPSHOT_FORMAT))
    } catch (error) {
      onDamaged(errorText(error))
    }
  }
  return found.sort((a, b) => b.height - a.height)
}

/** Throws snapshot/2 when a chunk is not the one that was written. */
export const requireSoundChunks = (folder: string, { height, format, metadata }: SnapshotDescription): void => {
  for (const [index, hash] of parseSnapshotMetadata(metadata).chunkHashes.entries()) {
    if (equalBytes(sha256(readChunk(folder, height, format, index)), hash)) continue
    const path = snapshotPath(folder, height, format)
    throw snapshotError('chunkHash', `${chunkPath(path, index)} is damaged: remove ${path}, and look at the disk`)
  }
}

/** Throws when there is no such file. */
export const readChunk = (folder: string, height: number, format: number, index: number): Uint8Array =>
  readBounded(chunkPath(snapshotPath(folder, height, format), index), MAX_CHUNK_BYTES)

export const removeSnapshot = (folder: string, { height, format }: SnapshotDescription): void => {
  // Renamed first: half a snapshot never has the name of a whole one.
  const gone = join(folder, `.making-removed-${height}-${format}`)
  rmSync(gone, { recursive: true, force: true })
  renameSync(snapshotPath(folder, height, format), gone)
  rmSync(gone, { recursive: true, force: true })
}

/** Removes what a process left unfinished that was killed. */
export const removeUnfinished = (folder: string): void => {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (UNFINISHED.test(name)) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

export interface WriteOptions {
  readonly folder: string
  /** Cursors of exactly the block's height. */
  readonly code: Cursor
  readonly state: Cursor
  readonly block: SnapshotBlock
  /** Called after each chunk; throwing ends it, and nothing is left behind. */
  onChunk(chunks: number): void | Promise<void>
}

/** Writes a snapshot and returns it. Throws snapshot/6, and errors of the file system. */
export const writeSnapshot = async (options: WriteOptions): Promise<SnapshotDescription> => {
  const { folder, block, code, state } = options
  const { height, items, ...described } = block
  const making = join(folder, `.making-${height}-${SNAPSHOT_FORMAT}`)
  const final = snapshotPath(folder, height)
  mkdirSync(folder, { recursive: true })
  rmSync(making, { recursive: true, force: true })
  mkdirSync(making)
  reachedStep('snapshot-begun')
  try {
    const chunkHashes: Hash[] = []
    const contents = snapshotContents({ code, state, block: items })
    let step = contents.next()
    while (step.done !== true) {
      const chunk = compressChunk(step.value)
      writeSynced(chunkPath(making, chunkHashes.length), chunk)
      reachedStep('snapshot-chunk-written')
      chunkHashes.push(sha256(chunk))
      await options.onChunk(chunkHashes.length)
      step = contents.next()
    }
    const metadata = encodeSnapshotMetadata({ height, ...described, chunkHashes, counts: step.value })
    writeSynced(metadataPath(making), metadata)
    syncFolder(making)
    reachedStep('snapshot-written')
    rmSync(final, { recursive: true, force: true })
    renameSync(making, final)
    syncFolder(folder)
    reachedStep('snapshot-renamed')
    return { height, format: SNAPSHOT_FORMAT, chunks: chunkHashes.length, hash: sha256(metadata), metadata }
  } catch (error) {
    rmSync(making, { recursive: true, force: true })
    throw error
  }
}
