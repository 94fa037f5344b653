/**
 * A home out of an archive: the application's database from the snapshot, and CometBFT's databases as they were. All
 * of it is made and checked in a folder of its own, and moved into place when nothing can fail any more.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ChainParameters } from '../../app/records/chain-parameters.ts'
import { RestoreSession } from '../../app/restore-session.ts'
import { concatBytes, equalBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { type Hash, keccak256, sha256 } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import { MAX_CHUNK_BYTES } from '../../store/snapshot/chunk.ts'
import { MAX_METADATA_BYTES, parseSnapshotMetadata, SNAPSHOT_FORMAT } from '../../store/snapshot/metadata.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { type Home, movingMarker } from './config/home.ts'
import { cliError } from '../errors.ts'
import { Work } from './progress.ts'
import { ArchiveReader, type ArchiveFile } from './runtime/archive.ts'
import { decompressChunk } from './runtime/snapshot-files.ts'
import { closeStore, openStore } from './open-database.ts'

/** CometBFT's databases of an archive. Its write-ahead log and all keys stay at home. */
export const COMETBFT_DATABASES = ['blockstore.db', 'state.db', 'evidence.db', 'tx_index.db'] as const
/** Both must be in an archive. */
const REQUIRED_DATABASES = ['blockstore.db', 'state.db'] as const

/** One level below a known folder, and never a name that begins with a dot. */
const COMETBFT_PATH = /^cometbft\/(blockstore|state|evidence|tx_index)\.db\/[A-Za-z0-9][A-Za-z0-9._-]{0,100}$/
const CHUNK_PATH = /^snapshot\/chunk-(0|[1-9][0-9]{0,5})$/
const METADATA_PATH = 'snapshot/metadata'
const MAX_COMETBFT_FILE_BYTES = 16 * 1024 ** 3
/** The database takes more than the compressed chunks. */
const DATABASE_FACTOR = 6
const CACHE_BYTES = 512 * 1024 * 1024

export interface RestoreArchiveOptions {
  readonly home: Home
  readonly archive: string
  /** What the genesis file of the home says. */
  readonly chain: ChainParameters
  /** Hash of the snapshot's block, from somebody who is trusted; the archive is believed without it. */
  readonly blockHash?: Hash
  say(line: string): void
}

export interface RestoredHome {
  readonly height: number
  readonly blockHash: Hash
}

const refuse = (message: string): never => {
  throw cliError('snapshot', message)
}

const finalPath = (home: Home, name: string): string => join(home.data, name)
const restoredNames = (home: Home): readonly string[] => [...COMETBFT_DATABASES, basename(home.database)]

/** A killed restore has left what it had made, or a part of it in place. */
const removeUnfinished = (home: Home): void => {
  if (existsSync(movingMarker(home))) {
    for (const name of restoredNames(home)) rmSync(finalPath(home, name), { recursive: true, force: true })
  }
  rmSync(home.restoring, { recursive: true, force: true })
}

const requireEmptyHome = (home: Home): void => {
  for (const name of restoredNames(home)) {
    if (!existsSync(finalPath(home, name))) continue
    refuse(`${home.root} holds a chain already (data/${name}): restore into a new home, made by "chain init"`)
  }
}

/** Whether all that is named may be written, and in an order in which it can be. */
const checkFiles = (files: readonly ArchiveFile[]): { readonly chunks: number; readonly bytes: number } => {
  const seen = new Set<string>()
  let chunks = 0
  let bytes = 0
  for (const [index, { path, size }] of files.entries()) {
    const chunk = CHUNK_PATH.exec(path)?.[1]
    const isMetadata = index === 0 && path === METADATA_PATH
    const isChunk = chunk !== undefined && Number(chunk) === index - 1 && index === chunks + 1
    const limit = isMetadata ? MAX_METADATA_BYTES : isChunk ? MAX_CHUNK_BYTES : MAX_COMETBFT_FILE_BYTES
    if ((!isMetadata && !isChunk && !COMETBFT_PATH.test(path)) || seen.has(path) || size > limit) {
      refuse(`the archive holds what has no place in a home: ${JSON.stringify(path.slice(0, 120))} of ${size} bytes`)
    }
    if (isChunk) chunks++
    seen.add(path)
    bytes += isChunk ? DATABASE_FACTOR * size : size
  }
  if (files[0]?.path !== METADATA_PATH || chunks === 0) refuse('the archive holds no snapshot')
  for (const name of REQUIRED_DATABASES) {
    const held = files.some(({ path }) => path.startsWith(`cometbft/${name}/`))
    if (!held) refuse(`the archive does not hold CometBFT's ${name}`)
  }
  return { chunks, bytes }
}

const requireSpace = (folder: string, bytes: number): void => {
  const { bavail, bsize } = statfsSync(folder)
  if (bytes > bavail * bsize) {
    refuse(`the archive needs ${bytes} bytes on ${folder}, and ${bavail * bsize} are free`)
  }
}

const readWhole = async (reader: ArchiveReader, file: ArchiveFile): Promise<Uint8Array> => {
  const parts: Uint8Array[] = []
  for await (const part of reader.file(file)) parts.push(part)
  return concatBytes(...parts)
}

const extract = async (reader: ArchiveReader, file: ArchiveFile, to: string): Promise<void> => {
  mkdirSync(dirname(to), { recursive: true })
  const out = openSync(to, 'wx', 0o600)
  try {
    for await (const part of reader.file(file)) for (let at = 0; at < part.length; ) at += writeSync(out, part, at)
    fsyncSync(out)
  } finally {
    closeSync(out)
  }
}

const beginSession = (store: KeyValueStore, metadata: Uint8Array, options: RestoreArchiveOptions): RestoreSession => {
  const { height, chunkHashes, header } = parseSnapshotMetadata(metadata)
  const blockHash = keccak256(header)
  if (options.blockHash !== undefined && !equalBytes(options.blockHash, blockHash)) {
    refuse(`the archive is of block ${height} with the hash ${bytesToHex(blockHash)}, not of the one that you trust`)
  }
  const description = { height, format: SNAPSHOT_FORMAT, chunks: chunkHashes.length, hash: sha256(metadata), metadata }
  return new RestoreSession(store, options.chain, description, blockHash, decompressChunk)
}

/** The database of the application, complete and checked. */
const restoreDatabase = async (
  reader: ArchiveReader,
  path: string,
  chunks: number,
  options: RestoreArchiveOptions,
): Promise<RestoredHome> => {
  const store = await openStore(path, { cacheBytes: CACHE_BYTES })
  try {
    const [first, ...rest] = reader.manifest.files as [ArchiveFile, ...ArchiveFile[]]
    const session = beginSession(store, await readWhole(reader, first), options)
    if (session.height !== reader.manifest.height || session.chunks !== chunks) {
      refuse('the manifest of the archive is not that of its snapshot')
    }
    const work = new Work({ unit: 'chunks restored', total: chunks, nowMs: () => performance.now(), say: options.say })
    for (const [index, file] of rest.slice(0, chunks).entries()) {
      session.apply(await readWhole(reader, file))
      work.done(index + 1)
    }
    session.finish()
    return { height: session.height, blockHash: session.blockHash }
  } finally {
    await closeStore(store)
  }
}

const moveIntoPlace = (home: Home): void => {
  const work = home.restoring
  writeFileSync(movingMarker(home), '', { flush: true })
  for (const name of restoredNames(home)) {
    if (existsSync(join(work, name))) renameSync(join(work, name), finalPath(home, name))
  }
  rmSync(work, { recursive: true, force: true })
}

const restoreInto = async (reader: ArchiveReader, options: RestoreArchiveOptions): Promise<RestoredHome> => {
  const { home, chain, say } = options
  const { files, chainId, height } = reader.manifest
  if (chainId !== chain.chainId) {
    throw cliError('wrongChain', `the archive is of ${chainId}, but ${home.genesis} is of ${chain.chainId}`)
  }
  const { chunks, bytes } = checkFiles(files)
  const work = home.restoring
  mkdirSync(work, { recursive: true, mode: 0o700 })
  requireSpace(work, bytes)
  say(`restoring height ${height} of ${chainId}: ${chunks} chunks`)
  const restored = await restoreDatabase(reader, join(work, basename(home.database)), chunks, options)
  say(`the state root of block ${height} is right; copying CometBFT's data`)
  const copied = files.slice(1 + chunks)
  const progress = new Work({ unit: 'files copied', total: copied.length, nowMs: () => performance.now(), say })
  for (const [index, file] of copied.entries()) {
    await extract(reader, file, join(work, file.path.slice('cometbft/'.length)))
    progress.done(index + 1)
  }
  await reader.requireEnd()
  moveIntoPlace(home)
  return restored
}

/**
 * Throws cli/7 for another chain, cli/17 for what is wrong with the archive or the home, and leaves the home as it
 * was then.
 */
export const restoreArchive = async (options: RestoreArchiveOptions): Promise<RestoredHome> => {
  const { home, archive } = options
  mkdirSync(home.data, { recursive: true })
  removeUnfinished(home)
  requireEmptyHome(home)
  const reader = await ArchiveReader.open(archive)
  try {
    return await restoreInto(reader, options)
  } catch (error) {
    rmSync(home.restoring, { recursive: true, force: true })
    if (error instanceof CodedError && error.codespace === 'snapshot') {
      refuse(`the archive cannot be used, take another one: ${error.message}`)
    }
    throw error
  } finally {
    reader.close()
  }
}
