/**
 * What a snapshot says of itself: RLP
 * [format, height, chainId, chain, header, timeNs, ancestors, chunkHashes, codes, accounts, slots, values].
 *
 * `chain` and the headers are opaque here: the application compares them with its genesis and with the trusted app
 * hash. Nothing else in it is believed before the chunks gave the header's state root.
 */
import { bigintToBytes, bytesToBigint, bytesToUtf8, concatBytes, EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { decodeRlp, encodeRlp, splitRlpList } from '../../core/rlp.ts'
import { snapshotError } from './errors.ts'

export const SNAPSHOT_FORMAT = 1
/** CometBFT's default for max_snapshot_chunks. */
const MAX_SNAPSHOT_CHUNKS = 100_000
/** CometBFT offers snapshots in messages of at most 4,000,000 bytes, and takes 3.5 MiB in an answer over gRPC. */
export const MAX_METADATA_BYTES = 3_600_000
/** Headers before that of the snapshot: the BLOCKHASH instruction reaches 256 blocks back from the next one. */
export const MAX_ANCESTORS = 255

const HASH_BYTES = 32
const MAX_CHAIN_ID_BYTES = 50
const MAX_HEADER_BYTES = 4_096
const FIELDS = 12
/** First byte of the RLP of a list, or above it. */
const LIST = 0xc0

/** How many entries of each kind the chunks hold. */
export interface SnapshotCounts {
  readonly codes: number
  readonly accounts: number
  readonly slots: number
  readonly values: number
}

export interface SnapshotMetadata {
  readonly height: number
  readonly chainId: string
  /** The facts of the chain, as the database holds them. */
  readonly chain: Uint8Array
  /** RLP of the block's header: its keccak256 is the app hash. */
  readonly header: Uint8Array
  /** Time of the block; the header's mixHash commits to it. */
  readonly timeNs: bigint
  /** RLP of the headers before it, newest first; fewer than {@link MAX_ANCESTORS} only where the chain begins. */
  readonly ancestors: readonly Uint8Array[]
  /** sha256 of each chunk as it is sent. */
  readonly chunkHashes: readonly Hash[]
  readonly counts: SnapshotCounts
}

const number = (value: number): Uint8Array => bigintToBytes(BigInt(value))

/** Throws snapshot/6 when it is too large for the network. */
export const encodeSnapshotMetadata = (metadata: SnapshotMetadata): Uint8Array => {
  const { counts, chunkHashes } = metadata
  const bytes = encodeRlp([
    number(SNAPSHOT_FORMAT),
    number(metadata.height),
    utf8ToBytes(metadata.chainId),
    metadata.chain,
    metadata.header,
    bigintToBytes(metadata.timeNs),
    metadata.ancestors,
    concatBytes(...chunkHashes),
    ...[counts.codes, counts.accounts, counts.slots, counts.values].map(number),
  ])
  if (chunkHashes.length > MAX_SNAPSHOT_CHUNKS || bytes.length > MAX_METADATA_BYTES) {
    throw snapshotError('tooLarge', `a snapshot of ${chunkHashes.length} chunks is too large for the network`)
  }
  return bytes
}

const fail = (what: string): never => {
  throw snapshotError('metadata', `the metadata of the snapshot is damaged: ${what}`)
}

/** The items, still encoded: never more than `maxItems`, for millions of empty ones fit into the bytes. */
const readList = (encoded: Uint8Array | undefined, maxItems: number, what: string): readonly Uint8Array[] => {
  try {
    return splitRlpList(encoded ?? EMPTY_BYTES, maxItems)
  } catch (error) {
    return fail(`${what}: ${error instanceof CodedError ? error.message : String(error)}`)
  }
}

const readBytes = (encoded: Uint8Array | undefined, maxBytes: number, what: string): Uint8Array => {
  const isList = (encoded?.[0] ?? LIST) >= LIST
  const item = isList ? undefined : decodeRlp(encoded ?? EMPTY_BYTES)
  return item instanceof Uint8Array && item.length <= maxBytes ? item : fail(`${what} is missing or too long`)
}

const readBigint = (item: Uint8Array | undefined, what: string): bigint => {
  const bytes = readBytes(item, 8, what)
  return bytes[0] === 0 ? fail(`${what} has a leading zero`) : bytesToBigint(bytes)
}

const readNumber = (item: Uint8Array | undefined, what: string): number => {
  const value = readBigint(item, what)
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : fail(`${what} is out of range`)
}

const readFields = (bytes: Uint8Array): readonly Uint8Array[] => {
  if (bytes.length > MAX_METADATA_BYTES) return fail(`${bytes.length} bytes`)
  const fields = readList(bytes, FIELDS, 'it')
  return fields.length === FIELDS ? fields : fail(`${fields.length} fields`)
}

const readChunkHashes = (item: Uint8Array | undefined): readonly Hash[] => {
  const bytes = readBytes(item, MAX_SNAPSHOT_CHUNKS * HASH_BYTES, 'the list of chunks')
  if (bytes.length === 0 || bytes.length % HASH_BYTES !== 0) fail('the list of chunks')
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, index) =>
    bytes.slice(index * HASH_BYTES, (index + 1) * HASH_BYTES),
  )
}

/** Throws snapshot/1. */
export const parseSnapshotMetadata = (bytes: Uint8Array): SnapshotMetadata => {
  const fields = readFields(bytes)
  const format = readNumber(fields[0], 'the format')
  if (format !== SNAPSHOT_FORMAT) fail(`format ${format}`)
  const ancestors = readList(fields[6], MAX_ANCESTORS, 'the list of headers')
  const [codes, accounts, slots, values] = [8, 9, 10, 11].map((index) => readNumber(fields[index], 'a count'))
  return {
    height: readNumber(fields[1], 'the height'),
    chainId: bytesToUtf8(readBytes(fields[2], MAX_CHAIN_ID_BYTES, 'the chain id')),
    chain: readBytes(fields[3], MAX_HEADER_BYTES, 'the chain').slice(),
    header: readBytes(fields[4], MAX_HEADER_BYTES, 'the header').slice(),
    timeNs: readBigint(fields[5], 'the time'),
    ancestors: ancestors.map((item) => readBytes(item, MAX_HEADER_BYTES, 'a header').slice()),
    chunkHashes: readChunkHashes(fields[7]),
    counts: { codes: codes ?? 0, accounts: accounts ?? 0, slots: slots ?? 0, values: values ?? 0 },
  }
}
