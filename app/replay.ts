/** Executes stored blocks once more, over the state of a height and beside the database, and compares everything. */
import { bytesToKey, equalBytes } from '../core/bytes.ts'
import { CodedError, invariant } from '../core/errors.ts'
import { bytesToHex } from '../core/hex.ts'
import { verifyExtensionSignature } from '../core/vote-extension.ts'
import type { Engine } from '../evm/engine.ts'
import { Books } from '../modules/clob/index.ts'
import type { Commitment } from '../store/commitment.ts'
import { HistoricalState } from '../store/history.ts'
import { HistoricalTrieNodes } from '../store/historical-trie-nodes.ts'
import { isKept, readKeptRange } from '../store/kept-range.ts'
import { blockOutcomeKey } from '../store/keys.ts'
import { Overlay } from '../store/overlay.ts'
import type { StateReader } from '../store/state.ts'
import type { KeyValueStore } from '../store/store.ts'
import type { TrieNodeReader } from '../store/trie/trie.ts'
import { type SealedBlock, sealCandidate } from './block/candidate.ts'
import { executeBlock } from './block/execute.ts'
import { decodeAnew } from './block/run.ts'
import { hashHeader, encodeHeader, type Header } from './records/header.ts'
import type { Chain } from './block/chain.ts'
import type { ChainParameters } from './records/chain-parameters.ts'
import type { Environment } from './environment.ts'
import { createFamilies } from './families/index.ts'
import { createChainModules } from './genesis/modules.ts'
import { recentBlockHash } from './index/block-hash.ts'
import { blockOutcomeOf, expandBlockOutcome, OUTCOME_PARTS } from './index/block-outcome.ts'
import { ChainReader } from './index/chain-reader.ts'
import { readBlockContent } from './index/finalize-request.ts'
import { encodeNativeResult, type NativeResult, nativeResultsOf } from './index/native-results.ts'
import { encodeStoredReceipt, type HeaderRecord, itemAt } from './records/records.ts'
import { LiveBatch, ordersAnew } from './orders/live-batch.ts'
import { REPLAY_ERRORS } from './error-codes.ts'

/** Changes and trie nodes that the replayed blocks may hold in memory, some 200 MB, before their base is moved up. */
const MAX_LAYER_ENTRIES = 500_000

export interface ReplayOptions {
  /** Nothing is written to it, and nobody else writes. */
  readonly store: KeyValueStore
  readonly parameters: ChainParameters
  /** The newest committed height. */
  readonly head: number
  readonly engine: Engine
  readonly environment: Pick<Environment, 'clock' | 'yieldToEventLoop'>
  /** First and last block; the state before the first must be kept. */
  readonly from: number
  readonly to: number
  /** A bound for tests; the usual one when left out. */
  readonly maxLayerEntries?: number
  /** Told of each block that came out the same. */
  onBlock?(height: number): void
}

export interface Difference {
  readonly height: number
  /** Such as `stateRoot` or `receipt 3, gasUsed`. */
  readonly what: string
  readonly stored: string
  readonly replayed: string
}

/** The state of a committed height, and above it what the replayed blocks wrote. */
class ReplayedState implements TrieNodeReader {
  readonly #base: HistoricalState
  readonly #baseNodes: HistoricalTrieNodes
  readonly #overlay: Overlay
  readonly #nodes = new Map<string, Uint8Array | undefined>()
  entries = 0

  constructor(store: KeyValueStore, height: number, head: number) {
    this.#base = new HistoricalState(store, height, () => head)
    this.#baseNodes = new HistoricalTrieNodes(store, height, () => head, this.#base)
    this.#overlay = new Overlay(this.#base)
  }

  get state(): StateReader {
    return this.#overlay
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const names = keys.map(bytesToKey)
    const missing = keys.filter((_, index) => !this.#nodes.has(names[index] as string))
    const read = missing.length === 0 ? [] : this.#baseNodes.getMany(missing)
    let next = 0
    return names.map((name) => (this.#nodes.has(name) ? this.#nodes.get(name) : read[next++]))
  }

  apply({ accounts, slots, values, codes, nodes }: Commitment): void {
    const overlay = this.#overlay
    for (const { address, after } of accounts) overlay.setAccount(address, after)
    for (const { address, slot, after } of slots) overlay.setStorage(address, slot, after)
    for (const { system, key, after } of values) overlay.setValue(system, key, after)
    for (const code of codes.values()) overlay.setCode(code)
    for (const [key, node] of nodes) this.#nodes.set(key, node)
    // Forgets the values that it kept for a transaction.
    overlay.beginTransaction()
    this.entries += accounts.length + slots.length + values.length + codes.size + nodes.size
  }

  close(): void {
    this.#base.close()
    this.#baseNodes.close()
  }
}

const missing = (what: string): never => {
  throw new CodedError('replay', REPLAY_ERRORS.codes.incomplete, `${what} is not in the database: it is damaged`)
}

/** The database as a block's commitment sees it: it scans where a storage is cleared, which no EIP-6780 fork does. */
const withoutScans = (store: KeyValueStore): KeyValueStore => {
  const refuse = (): never => {
    throw new CodedError(
      'replay',
      REPLAY_ERRORS.codes.notPossible,
      'an account is deleted with its storage: this block cannot be replayed',
    )
  }
  return {
    get: (column, key) => store.get(column, key),
    getMany: (column, keys) => store.getMany(column, keys),
    sequence: () => store.sequence(),
    scan: refuse,
    cursor: refuse,
    batch: refuse,
    write: refuse,
    close: () => undefined,
  }
}

const shown = (value: unknown): string =>
  value instanceof Uint8Array ? bytesToHex(value) : value === undefined ? 'none' : String(value)

/** The first member that differs. */
const compareMembers = <T extends object>(
  stored: T,
  replayed: T,
  names: readonly (keyof T & string)[],
): Omit<Difference, 'height'> | undefined => {
  for (const what of names) {
    const [a, b] = [shown(stored[what]), shown(replayed[what])]
    if (a !== b) return { what, stored: a, replayed: b }
  }
  return undefined
}

const RECEIPT_MEMBERS = [
  'type',
  'succeeded',
  'gasUsed',
  'cumulativeGasUsed',
  'effectiveGasPrice',
  'contractAddress',
  'firstLogIndex',
] as const
/** The cause first: a root says only that something differs. */
const HEADER_MEMBERS: readonly (keyof Header)[] = [
  'number',
  'parentHash',
  'timestamp',
  'mixHash',
  'miner',
  'gasLimit',
  'baseFeePerGas',
  'gasUsed',
  'logsBloom',
  'transactionsRoot',
  'receiptsRoot',
  'stateRoot',
  'extraData',
]
const RECORD_MEMBERS = ['timeNs', 'sizeBytes', 'logCount', 'hash'] as const

const compareReceipts = (reader: ChainReader, height: number, { candidate }: SealedBlock) => {
  const stored = reader.receipts(height)
  for (const [index, { receipt }] of candidate.ethereum.entries()) {
    const other = stored[index]
    if (other === undefined) return { what: `receipt ${index}`, stored: 'none', replayed: 'there' }
    const found = compareMembers(other, receipt, RECEIPT_MEMBERS)
    if (found !== undefined) return { ...found, what: `receipt ${index}, ${found.what}` }
    const [a, b] = [encodeStoredReceipt(other), encodeStoredReceipt(receipt)]
    if (!equalBytes(a, b)) return { what: `receipt ${index}, logs`, stored: shown(a), replayed: shown(b) }
  }
  return undefined
}

const isSameResult = (one: NativeResult, other: NativeResult): boolean =>
  one.index === other.index && equalBytes(one.hash, other.hash) && equalBytes(one.result, other.result)

const compareNativeResults = (reader: ChainReader, height: number, { candidate }: SealedBlock) => {
  const stored = reader.nativeResults(height)
  const replayed = nativeResultsOf(candidate).map(encodeNativeResult)
  for (let at = 0; at < Math.max(stored.length, replayed.length); at++) {
    const [one, other] = [stored[at], replayed[at]]
    if (one !== undefined && other !== undefined && isSameResult(one, other)) continue
    const what = `result of transaction ${(one ?? other)?.index} beside its receipt`
    return { what, stored: shown(one?.result), replayed: shown(other?.result) }
  }
  return undefined
}

const compareOutcome = ({ store }: ChainReader, height: number, { candidate }: SealedBlock) => {
  const stored = store.get('blocks', blockOutcomeKey(height))
  if (stored === undefined) return { what: 'record of events', stored: 'none', replayed: 'there' }
  const held = expandBlockOutcome(stored)
  const replayed = blockOutcomeOf(candidate, nativeResultsOf(candidate))
  for (const [at, what] of OUTCOME_PARTS.entries()) {
    const [one, other] = [itemAt(held, at), itemAt(replayed, at)]
    if (!equalBytes(one, other)) return { what, stored: shown(one), replayed: shown(other) }
  }
  return undefined
}

const compareBlock = (reader: ChainReader, stored: HeaderRecord, sealed: SealedBlock): Difference | undefined => {
  const { record } = sealed
  const height = record.header.number
  const counts = compareMembers(stored, record, ['transactionCount'])
  const ownHash = hashHeader(encodeHeader(stored.header))
  const found =
    counts ??
    compareReceipts(reader, height, sealed) ??
    compareNativeResults(reader, height, sealed) ??
    compareMembers(stored.header, record.header, HEADER_MEMBERS) ??
    compareMembers(stored, record, RECORD_MEMBERS) ??
    compareMembers({ 'app hash': ownHash }, { 'app hash': record.hash }, ['app hash']) ??
    // What nothing commits to: where state differs, too, that is the cause.
    compareOutcome(reader, height, sealed)
  return found === undefined ? undefined : { height, ...found }
}

class Replay {
  readonly #options: ReplayOptions
  readonly #reader: ChainReader
  readonly #store: KeyValueStore
  #layer: ReplayedState
  #head: HeaderRecord
  #books: Books | undefined

  constructor(options: ReplayOptions) {
    this.#options = options
    this.#reader = new ChainReader(options.store)
    this.#store = withoutScans(options.store)
    this.#head = this.#requireHeader(options.from - 1)
    this.#layer = new ReplayedState(options.store, options.from - 1, options.head)
  }

  /** Undefined when the block came out the same. */
  async next(): Promise<Difference | undefined> {
    const height = this.#head.header.number + 1
    const content = readBlockContent(this.#options.store, height)
    const stored = this.#requireHeader(height)
    if (content === undefined) return missing(`the request of block ${height}`)
    const chain = this.#chain(height)
    this.#books ??= Books.load(chain.state)
    const candidate = await executeBlock(chain, content, decodeAnew(chain), this.#options.environment)
    const sealed = sealCandidate(candidate, stored.header.extraData)
    const difference = compareBlock(this.#reader, stored, sealed)
    if (difference !== undefined) return difference
    this.#head = sealed.record
    this.#layer.apply(candidate.commitment)
    if (candidate.batch?.book !== undefined) this.#books.apply(candidate.batch.book)
    this.#moveBase(height)
    return undefined
  }

  close(): void {
    this.#layer.close()
  }

  #chain(height: number): Chain {
    const { parameters, engine } = this.#options
    const { state } = this.#layer
    const { modules } = createChainModules({ store: this.#store, isReplay: true })
    return {
      parameters,
      head: { height: height - 1, record: this.#head },
      state,
      store: this.#store,
      trieNodes: this.#layer,
      verifyExtension: verifyExtensionSignature,
      batch: new LiveBatch({ books: () => this.#requireBooks(), orders: ordersAnew(parameters) }),
      engine,
      modules,
      families: createFamilies(modules),
      blockHash: (number) => recentBlockHash(this.#reader, state, height, number),
    }
  }

  #requireBooks(): Books {
    invariant(this.#books !== undefined, 'a book before the first block')
    return this.#books
  }

  /** What was replayed is equal to what is stored: where that is kept, it can stand for it. */
  #moveBase(height: number): void {
    const { store, head, maxLayerEntries = MAX_LAYER_ENTRIES } = this.#options
    if (this.#layer.entries < maxLayerEntries || !isKept(readKeptRange(store), height)) return
    this.#layer.close()
    this.#layer = new ReplayedState(store, height, head)
  }

  #requireHeader(height: number): HeaderRecord {
    return this.#reader.header(height) ?? missing(`block ${height}`)
  }
}

/**
 * The first difference between the stored blocks and what their requests give, or undefined. Writes nothing. Throws
 * replay and rlp errors where the database is damaged.
 */
export const replayBlocks = async (options: ReplayOptions): Promise<Difference | undefined> => {
  const replay = new Replay(options)
  try {
    for (let height = options.from; height <= options.to; height++) {
      const difference = await replay.next()
      if (difference !== undefined) return difference
      options.onBlock?.(height)
    }
    return undefined
  } finally {
    replay.close()
  }
}
