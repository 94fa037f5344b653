/** Reads blocks, transactions and receipts as of a head: nothing above it is ever shown. */
import { bytesToUtf8, readUint64, utf8ToBytes } from '../../core/bytes.ts'
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
import type { KeyValueStore } from '../../store/store.ts'
import { ItemsReader } from '../records/paged-items.ts'
import type { Receipt } from '../records/receipt.ts'
import type { ChainParameters } from '../records/chain-parameters.ts'
import { type BlockOutcome, decodeBlockOutcome, expandBlockOutcome } from './block-outcome.ts'
import { decodeNativeResults, findNativeResult, type NativeResult } from './native-results.ts'
import {
  decodeBodyItem,
  decodeHeaderRecord,
  decodePosition,
  decodeStoredReceipt,
  type HeaderRecord,
  readReceiptGas,
  type ReceiptGas,
  type TransactionPosition,
} from '../records/records.ts'

const MAX_CACHED_HEADERS = 256

export class ChainReader {
  readonly #store: KeyValueStore
  readonly #headers = new Map<number, HeaderRecord>()
  #bodies: ItemsReader
  #receipts: ItemsReader

  constructor(store: KeyValueStore) {
    this.#store = store
    this.#bodies = new ItemsReader(store, bodyKey)
    this.#receipts = new ItemsReader(store, receiptsKey)
  }

  get store(): KeyValueStore {
    return this.#store
  }

  /** Drops what is cached: the database begins anew. */
  forget(): void {
    this.#headers.clear()
    this.#bodies = new ItemsReader(this.#store, bodyKey)
    this.#receipts = new ItemsReader(this.#store, receiptsKey)
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
    const stored = this.#bodies.at(height, index)
    return stored === undefined ? undefined : transactionIn(stored)
  }

  transactions(height: number): readonly SignedTransaction[] {
    return Array.from(this.#bodies.all(height), transactionIn)
  }

  transactionHash(height: number, index: number): Hash | undefined {
    const stored = this.#bodies.at(height, index)
    return stored === undefined ? undefined : keccak256(decodeBodyItem(stored).raw)
  }

  /** Stored bytes of one transaction; 0 when there is none. */
  transactionBytes(height: number, index: number): number {
    return this.#bodies.at(height, index)?.length ?? 0
  }

  transactionHashes(height: number): readonly Hash[] {
    return Array.from(this.#bodies.all(height), (stored) => keccak256(decodeBodyItem(stored).raw))
  }

  /** A receipt as it is stored, whose logs can be read one by one; undefined when there is none. */
  storedReceipt(height: number, index: number): Uint8Array | undefined {
    return this.#receipts.at(height, index)
  }

  receipt(height: number, index: number): Receipt | undefined {
    const stored = this.storedReceipt(height, index)
    return stored === undefined ? undefined : decodeStoredReceipt(stored)
  }

  receipts(height: number): readonly Receipt[] {
    return Array.from(this.#receipts.all(height), decodeStoredReceipt)
  }

  /** The gas of every transaction of a block, without its logs: a block can have millions of these. */
  receiptGas(height: number): readonly ReceiptGas[] {
    return Array.from(this.#receipts.all(height), readReceiptGas)
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
}

const transactionIn = (stored: Uint8Array): SignedTransaction => {
  const { sender, raw } = decodeBodyItem(stored)
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
