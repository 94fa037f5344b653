/** Reads blocks, transactions and receipts as of a head: nothing above it is ever shown. */
import { bytesToUtf8, EMPTY_BYTES, readUint64, utf8ToBytes } from '../../core/bytes.ts'
import { type Hash, keccak256 } from '../../core/hash.ts'
import { decodeTransaction } from '../../evm/transaction/decode-transaction.ts'
import type { SignedTransaction } from '../../evm/transaction/transaction.ts'
import {
  ancestorHeaderKey,
  blockHashKey,
  blockOutcomeKey,
  bodyKey,
  headerKey,
  nativeHashKey,
  nativeResultsKey,
  receiptsKey,
  transactionHashKey,
} from '../../store/keys.ts'
import { BoundedCache } from '../../store/cache.ts'
import type { KeyValueStore } from '../../store/store.ts'
import type { Receipt } from '../records/receipt.ts'
import type { ChainParameters } from '../records/chain-parameters.ts'
import { type BlockOutcome, decodeBlockOutcome, expandBlockOutcome } from './block-outcome.ts'
import { decodeNativeResults, findNativeResult, type NativeResult } from './native-results.ts'
import {
  bodyItem,
  decodeHeaderRecord,
  decodePosition,
  decodeStoredReceipt,
  type HeaderRecord,
  itemAt,
  itemCount,
  readFirstLogIndex,
  readReceiptGas,
  type ReceiptGas,
  type TransactionPosition,
} from '../records/records.ts'

const MAX_CACHED_HEADERS = 256
/** Each of the caches of bodies and of receipts: a full block is read for every one of its transactions. */
const RECORD_CACHE_BYTES = 8 * 1024 * 1024
/** A larger record is read anew for every question about a part of it. */
export const MAX_CACHED_RECORD_BYTES = RECORD_CACHE_BYTES / 2
const RECORD_ENTRY_BYTES = 128

const createRecordCache = (): BoundedCache<Uint8Array> =>
  new BoundedCache(RECORD_CACHE_BYTES, (record) => record.length + RECORD_ENTRY_BYTES)

export class ChainReader {
  readonly #store: KeyValueStore
  readonly #headers = new Map<number, HeaderRecord>()
  #bodies = createRecordCache()
  #receipts = createRecordCache()

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  get store(): KeyValueStore {
    return this.#store
  }

  /** Drops what is cached: the database begins anew. */
  forget(): void {
    this.#headers.clear()
    this.#bodies = createRecordCache()
    this.#receipts = createRecordCache()
  }

  header(height: number): HeaderRecord | undefined {
    const cached = this.#headers.get(height)
    if (cached !== undefined) return cached
    const bytes = this.#store.get('blocks', headerKey(height))
    if (bytes === undefined) return undefined
    const record = decodeHeaderRecord(bytes)
    if (this.#headers.size >= MAX_CACHED_HEADERS) {
      const [oldest] = this.#headers.keys()
      if (oldest !== undefined) this.#headers.delete(oldest)
    }
    this.#headers.set(height, record)
    return record
  }

  /** Also of the blocks before a snapshot, whose headers alone are here. */
  hashAt(height: number): Hash | undefined {
    const record = this.header(height)
    if (record !== undefined) return record.hash
    const ancestor = this.#store.get('blocks', ancestorHeaderKey(height))
    return ancestor === undefined ? undefined : keccak256(ancestor)
  }

  heightOfBlock(hash: Hash): number | undefined {
    const bytes = this.#store.get('index', blockHashKey(hash))
    return bytes === undefined ? undefined : readUint64(bytes)
  }

  positionOf(hash: Hash): TransactionPosition | undefined {
    const bytes = this.#store.get('index', transactionHashKey(hash))
    return bytes === undefined ? undefined : decodePosition(bytes)
  }

  /** One transaction of a block, decoded alone. */
  transaction(height: number, index: number): SignedTransaction | undefined {
    const body = this.#record(this.#bodies, bodyKey, height)
    return index < itemCount(body) ? transactionIn(body, index) : undefined
  }

  transactions(height: number): readonly SignedTransaction[] {
    const body = this.#record(this.#bodies, bodyKey, height)
    return Array.from({ length: itemCount(body) }, (_, index) => transactionIn(body, index))
  }

  transactionHash(height: number, index: number): Hash | undefined {
    const body = this.#record(this.#bodies, bodyKey, height)
    return index < itemCount(body) ? keccak256(bodyItem(body, index).raw) : undefined
  }

  /** Stored bytes of one transaction; 0 when there is none. */
  transactionBytes(height: number, index: number): number {
    const body = this.#record(this.#bodies, bodyKey, height)
    return index < itemCount(body) ? itemAt(body, index).length : 0
  }

  /** Index in the block of the first log of a transaction; undefined when there is no such transaction. */
  firstLogIndex(height: number, index: number): number | undefined {
    const record = this.#record(this.#receipts, receiptsKey, height)
    return index < itemCount(record) ? readFirstLogIndex(itemAt(record, index)) : undefined
  }

  /** Stored bytes of one receipt; 0 when there is none. */
  receiptBytes(height: number, index: number): number {
    const record = this.#record(this.#receipts, receiptsKey, height)
    return index < itemCount(record) ? itemAt(record, index).length : 0
  }

  transactionHashes(height: number): readonly Hash[] {
    const body = this.#record(this.#bodies, bodyKey, height)
    return Array.from({ length: itemCount(body) }, (_, index) => keccak256(bodyItem(body, index).raw))
  }

  receipt(height: number, index: number): Receipt | undefined {
    const record = this.#record(this.#receipts, receiptsKey, height)
    return index < itemCount(record) ? decodeStoredReceipt(itemAt(record, index)) : undefined
  }

  receipts(height: number): readonly Receipt[] {
    const record = this.#record(this.#receipts, receiptsKey, height)
    return Array.from({ length: itemCount(record) }, (_, index) => decodeStoredReceipt(itemAt(record, index)))
  }

  /** The gas of every transaction of a block, without its logs: a block can have millions of these. */
  receiptGas(height: number): readonly ReceiptGas[] {
    const record = this.#record(this.#receipts, receiptsKey, height)
    return Array.from({ length: itemCount(record) }, (_, index) => readReceiptGas(itemAt(record, index)))
  }

  /** Finds a transaction by its sha256. The index is that among all transactions of the block. */
  nativePositionOf(hash: Hash): TransactionPosition | undefined {
    const bytes = this.#store.get('index', nativeHashKey(hash))
    return bytes === undefined ? undefined : decodePosition(bytes)
  }

  nativeResults(height: number): readonly NativeResult[] {
    const bytes = this.#store.get('blocks', nativeResultsKey(height))
    return bytes === undefined ? [] : decodeNativeResults(bytes)
  }

  /** `index` is that among all transactions of the block, as in {@link nativePositionOf}. */
  nativeResult(height: number, index: number): NativeResult | undefined {
    const bytes = this.#store.get('blocks', nativeResultsKey(height))
    return bytes === undefined ? undefined : findNativeResult(bytes, index)
  }

  /** The outcome of a block that was executed here; undefined for the genesis and for a snapshot's block. */
  blockOutcome(height: number): BlockOutcome | undefined {
    const stored = this.#store.get('blocks', blockOutcomeKey(height))
    return stored === undefined ? undefined : decodeBlockOutcome(expandBlockOutcome(stored))
  }

  /** Empty when there is none. A record is written once, with its block: what is cached stays true. */
  #record(cache: BoundedCache<Uint8Array>, key: (height: number) => Uint8Array, height: number): Uint8Array {
    const cached = cache.get(String(height))
    if (cached !== undefined) return cached
    const bytes = this.#store.get('blocks', key(height))
    if (bytes === undefined) return EMPTY_BYTES
    cache.set(String(height), bytes)
    return bytes
  }
}

const transactionIn = (body: Uint8Array, index: number): SignedTransaction => {
  const { sender, raw } = bodyItem(body, index)
  return { transaction: decodeTransaction(raw), raw, hash: keccak256(raw), sender }
}

const CHAIN_KEY = new TextEncoder().encode('chain')
const HEIGHT_KEY = new TextEncoder().encode('height')

/** The chain that a database holds, or undefined when it is new. */
export const readChainParameters = (store: KeyValueStore): ChainParameters | undefined => {
  const bytes = store.get('meta', CHAIN_KEY)
  if (bytes === undefined) return undefined
  const parsed = JSON.parse(bytesToUtf8(bytes)) as Omit<ChainParameters, 'evmChainId'> & { readonly evmChainId: string }
  return { ...parsed, evmChainId: BigInt(parsed.evmChainId) }
}

/** Encodes the parameters as {@link readChainParameters} reads them; equal chains have equal bytes. */
export const encodeChainParameters = ({ chainId, evmChainId, initialHeight, hardforks }: ChainParameters): Uint8Array =>
  utf8ToBytes(
    JSON.stringify({
      chainId,
      evmChainId: evmChainId.toString(),
      initialHeight,
      hardforks: hardforks.map(({ hardfork, timestamp }) => ({ hardfork, timestamp })),
    }),
  )

export const readCommittedHeight = (store: KeyValueStore): number | undefined => {
  const bytes = store.get('meta', HEIGHT_KEY)
  return bytes === undefined ? undefined : readUint64(bytes)
}

export { CHAIN_KEY, HEIGHT_KEY }
