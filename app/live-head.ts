/**
 * What this process holds of the committed head: decoded state, trie nodes, the order book and what the last blocks have
 * changed of it. All of it can be read again from the database; a commit moves it on by what the block has changed.
 */
import { invariant } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import { Books } from '../modules/clob/index.ts'
import { readBaseFee } from '../modules/feemarket/index.ts'
import { LatestState } from '../store/latest.ts'
import type { KeyValueStore } from '../store/store.ts'
import { TrieNodeCache } from '../store/trie/node-cache.ts'
import type { Candidate, SealedBlock } from './block/candidate.ts'
import type { CommittedHead } from './block/chain.ts'
import { appError } from './errors.ts'
import { recentBlockHash } from './index/block-hash.ts'
import { ChainReader, readChainParameters, readCommittedHeight } from './index/chain-reader.ts'
import { toMilliseconds } from './orders/block-plan.ts'
import { UpdateRing } from './orders/update-ring.ts'
import type { ChainParameters } from './records/chain-parameters.ts'
import type { HeaderRecord } from './records/records.ts'

/** Accounts, slots and values each that the main thread keeps decoded. */
const STATE_CACHE_ENTRIES = 200_000
/** Trie nodes that it keeps: the upper levels of a large state, all of a small one. */
const TRIE_CACHE_BYTES = 64 * 1024 * 1024

export class LiveHead {
  readonly #store: KeyValueStore
  readonly reader: ChainReader
  /** What the last blocks have changed of the books. */
  readonly updates = new UpdateRing()
  #state: LatestState
  #trieNodes: TrieNodeCache
  #books = new Books()
  #parameters: ChainParameters | undefined
  #record: HeaderRecord | undefined
  #baseFeePerGas = 0n

  constructor(store: KeyValueStore) {
    this.#store = store
    this.reader = new ChainReader(store)
    this.#state = new LatestState(store, STATE_CACHE_ENTRIES)
    this.#trieNodes = new TrieNodeCache(store, TRIE_CACHE_BYTES)
  }

  get state(): LatestState {
    return this.#state
  }

  get trieNodes(): TrieNodeCache {
    return this.#trieNodes
  }

  get books(): Books {
    return this.#books
  }

  /** Undefined before InitChain. */
  get parameters(): ChainParameters | undefined {
    return this.#parameters
  }

  /** Undefined before InitChain. */
  get record(): HeaderRecord | undefined {
    return this.#record
  }

  /** The base fee of the next block, in anat. */
  get baseFeePerGas(): bigint {
    return this.#baseFeePerGas
  }

  /** 0 before InitChain. */
  get height(): number {
    return this.#record?.header.number ?? 0
  }

  get nextHeight(): number {
    return this.height + 1
  }

  /** False as long as there is nothing but the genesis. */
  hasBlocks(): boolean {
    return this.#parameters !== undefined && this.height >= this.#parameters.initialHeight
  }

  /** Throws app/10 before InitChain. */
  requireParameters(): ChainParameters {
    if (this.#parameters === undefined) throw appError('outOfOrder', 'the chain has not begun: InitChain has not run')
    return this.#parameters
  }

  /** Throws where there is none, which is a fault of the caller. */
  require(): CommittedHead {
    const record = this.#record
    invariant(record !== undefined, 'a chain without a head')
    return { height: record.header.number, record }
  }

  /** Hash of a block that the next one may ask for. */
  blockHash(number: number): Hash | undefined {
    return recentBlockHash(this.reader, this.#state, this.nextHeight, number)
  }

  /** Reads the committed head from the database; undefined where there is none. */
  load(announce: (height: number) => void): HeaderRecord | undefined {
    this.#parameters = readChainParameters(this.#store)
    const height = readCommittedHeight(this.#store)
    const record = height === undefined ? undefined : this.reader.header(height)
    if (record === undefined || this.#parameters === undefined) return undefined
    announce(record.header.number)
    this.#books = Books.load(this.#state)
    this.#set(record)
    this.updates.begin(record.header.number, toMilliseconds(record.timeNs), this.#books, this.#state)
    return record
  }

  /** Moves on to a block that the database holds since a moment ago. */
  advance({ record, candidate }: SealedBlock): void {
    this.#noteChanges(candidate)
    if (candidate.batch?.book !== undefined) this.#books.apply(candidate.batch.book)
    this.#set(record)
    const height = record.header.number
    this.updates.add(height, toMilliseconds(record.timeNs), candidate.batch, this.#books, this.#state)
  }

  /** The database was written from outside: forgets what was decoded of it. */
  forgetState(): void {
    this.#state = new LatestState(this.#store, STATE_CACHE_ENTRIES)
    this.#trieNodes = new TrieNodeCache(this.#store, TRIE_CACHE_BYTES)
    this.reader.forget()
  }

  /** The database is empty. */
  reset(): void {
    this.#parameters = undefined
    this.#record = undefined
    this.forgetState()
    this.#books = new Books()
  }

  #set(record: HeaderRecord): void {
    this.#record = record
    this.#baseFeePerGas = readBaseFee(this.#state)
  }

  #noteChanges({ commitment }: Candidate): void {
    for (const { address, after } of commitment.accounts) this.#state.noteAccount(address, after)
    for (const { address, slot, after } of commitment.slots) this.#state.noteStorage(address, slot, after)
    for (const { system, key, after } of commitment.values) this.#state.noteValue(system, key, after)
    for (const [key, node] of commitment.nodes) this.#trieNodes.note(key, node)
  }
}
