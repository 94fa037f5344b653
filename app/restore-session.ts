/** The restore of one snapshot, from its metadata to a chain that the application can load. */
import { equalBytes, uint64ToBytes } from '../core/bytes.ts'
import { type Hash, sha256 } from '../core/hash.ts'
import { writeBaseHeight } from '../store/base-height.ts'
import { writeKeptRange } from '../store/kept-range.ts'
import { prefixEnd } from '../store/keys.ts'
import { MAX_CHUNK_BYTES, MAX_CHUNK_CONTENT_BYTES } from '../store/snapshot/chunk.ts'
import { snapshotError } from '../store/snapshot/errors.ts'
import { parseSnapshotMetadata, type SnapshotMetadata } from '../store/snapshot/metadata.ts'
import { deleteProgress } from '../store/snapshot/progress.ts'
import { MAX_BLOCK_SECTION_BYTES, STAGED_BLOCK_PREFIX } from '../store/snapshot/restore-chunk.ts'
import { SnapshotRestore } from '../store/snapshot/restore.ts'
import type { Entry, KeyValueStore } from '../store/store.ts'
import type { Header } from './records/header.ts'
import type { ChainParameters } from './records/chain-parameters.ts'
import type { SnapshotShelf } from './environment.ts'
import { isModuleAddress } from './genesis/module-accounts.ts'
import { CHAIN_KEY, encodeChainParameters, HEIGHT_KEY } from './index/chain-reader.ts'
import { writeHeader, writeTransactions } from './index/write-block.ts'
import type { SnapshotDescription } from './ports.ts'
import { ancestorEntries, checkSnapshotBlock, checkSnapshotHeader } from './snapshot-block.ts'

/** Transactions and receipts of one block of 1,000,000,000 gas, with room. */
const MAX_BLOCK_ITEMS = 200_000
/**
 * Transactions and receipts take less than a byte for each unit of gas: 4 to 8 buy a byte of data, 375 the 25 to 34 of a
 * log or a topic, 21,000 all that stands about them. So the gas of the header, which is trusted, bounds what a peer sends.
 */
const BLOCK_BYTES = 2 * 1024 * 1024

/** What it throws is the fault of the snapshot; the database must be emptied then. */
export class RestoreSession {
  readonly #store: KeyValueStore
  readonly #metadata: SnapshotMetadata
  readonly #header: Header
  readonly #blockHash: Hash
  readonly #state: SnapshotRestore
  readonly #decompress: SnapshotShelf['decompress']

  /** Throws snapshot/1, snapshot/5 and snapshot/7. `appHash` is trusted, and so is `chain`; `description` is what a peer says. */
  constructor(
    store: KeyValueStore,
    chain: ChainParameters,
    description: SnapshotDescription,
    appHash: Uint8Array,
    decompress: SnapshotShelf['decompress'],
  ) {
    const { metadata, hash, height, chunks } = description
    if (!equalBytes(sha256(metadata), hash)) throw snapshotError('metadata', 'the metadata does not have its hash')
    const parsed = parseSnapshotMetadata(metadata)
    if (parsed.height !== height || parsed.chunkHashes.length !== chunks) {
      throw snapshotError('metadata', 'the metadata is that of another snapshot')
    }
    if (!equalBytes(parsed.chain, encodeChainParameters(chain)) || parsed.chainId !== chain.chainId) {
      throw snapshotError('foreign', `the snapshot is of the chain ${parsed.chainId}, not of this ${chain.chainId}`)
    }
    this.#header = checkSnapshotHeader(parsed, chain.initialHeight, appHash)
    this.#blockHash = appHash.slice()
    this.#metadata = parsed
    this.#store = store
    const maxBlockBytes = Math.min(MAX_BLOCK_SECTION_BYTES, BLOCK_BYTES + Number(this.#header.gasUsed))
    this.#state = new SnapshotRestore(store, hash, { isModule: isModuleAddress, maxBlockBytes })
    this.#decompress = decompress
  }

  get height(): number {
    return this.#metadata.height
  }
  /** Hash of the snapshot's block: the trusted app hash. */
  get blockHash(): Hash {
    return this.#blockHash
  }
  get next(): number {
    return this.#state.next
  }
  get chunks(): number {
    return this.#metadata.chunkHashes.length
  }

  /** Whether this is the chunk that the snapshot names. */
  isChunk(index: number, chunk: Uint8Array): boolean {
    const hash = this.#metadata.chunkHashes[index]
    return hash !== undefined && chunk.length <= MAX_CHUNK_BYTES && equalBytes(sha256(chunk), hash)
  }

  /** The next chunk. Throws snapshot/2 and snapshot/3. */
  apply(chunk: Uint8Array): void {
    if (!this.isChunk(this.next, chunk)) throw snapshotError('chunkHash', `chunk ${this.next} does not have its hash`)
    let content: Uint8Array
    try {
      content = this.#decompress(chunk, MAX_CHUNK_CONTENT_BYTES)
    } catch {
      throw snapshotError('content', 'a chunk of the snapshot does not decompress within its limit')
    }
    this.#state.apply(content)
  }

  /**
   * Called after the last chunk: checks the whole, and makes a chain of it in one write. Throws snapshot/3, snapshot/4
   * and snapshot/7.
   */
  finish(): void {
    const metadata = this.#metadata
    this.#state.requireComplete(metadata, this.#header.stateRoot)
    const staged = this.#stagedItems()
    const items = staged.map(([key, value]): Entry => [key.subarray(STAGED_BLOCK_PREFIX.length), value])
    const { record, transactions, receipts } = checkSnapshotBlock(this.#header, metadata, items)
    this.#state.forgetMarks()
    const batch = this.#store.batch()
    batch.put('meta', CHAIN_KEY, metadata.chain)
    batch.put('meta', HEIGHT_KEY, uint64ToBytes(metadata.height))
    writeBaseHeight(batch, metadata.height)
    writeKeptRange(batch, { from: metadata.height, interval: 0, sparseFrom: 0 })
    writeHeader(batch, record)
    writeTransactions(batch, metadata.height, transactions, receipts)
    for (const [key, header] of ancestorEntries(metadata)) batch.put('blocks', key, header)
    for (const [key] of staged) batch.delete('meta', key)
    deleteProgress(batch)
    this.#store.write(batch, { sync: true })
  }

  #stagedItems(): readonly Entry[] {
    const end = prefixEnd(STAGED_BLOCK_PREFIX)
    const range = { gte: STAGED_BLOCK_PREFIX, ...(end === undefined ? {} : { lt: end }) }
    const items = this.#store.scan('meta', { ...range, limit: MAX_BLOCK_ITEMS + 1 })
    if (items.length > MAX_BLOCK_ITEMS) throw snapshotError('untrusted', 'the block of the snapshot has too many items')
    return items
  }
}
