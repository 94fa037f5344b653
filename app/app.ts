/** The application: the steps of a block from InitChain to Commit, and the door of the pool and of questions. */
import { bytesToKey, EMPTY_BYTES, uint64ToBytes, utf8ToBytes } from '../core/bytes.ts'
import { CodedError, invariant } from '../core/errors.ts'
import { type Hash, keccak256 } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import { MAX_CANDIDATES } from '../core/limits.ts'
import type { Engine } from '../evm/engine.ts'
import { isEvmError } from '../evm/errors.ts'
import { decodeSigned } from '../evm/transaction/recover-sender.ts'
import type { SignedTransaction } from '../evm/transaction/transaction.ts'
import { checkWithState } from '../evm/transaction/validity.ts'
import { readConsensusParameters } from '../modules/consensus/index.ts'
import { readBaseFee } from '../modules/feemarket/index.ts'
import type { Module } from '../modules/module.ts'
import { LatestState } from '../store/latest.ts'
import { TrieNodeCache } from '../store/trie/node-cache.ts'
import { type Batch, COLUMNS, type KeyValueStore } from '../store/store.ts'
import { writeState } from '../store/write-state.ts'
import { type Candidate, sealCandidate, type SealedBlock } from './block/candidate.ts'
import { chooseBlock, ExecutionFault } from './block/choose.ts'
import { type BlockContent, contentKey } from './block/content.ts'
import { executeBlock, proposalFault } from './block/execute.ts'
import { carriesExtensions, encodeInjected, extensionCapBytes } from './block/extensions.ts'
import { buildGenesisBlock } from './block/genesis-block.ts'
import { type Chain, type ChainParameters, hardforkAt } from './chain.ts'
import type { Environment } from './environment.ts'
import { appError, POOL_CODES } from './errors.ts'
import { parseGenesisBytes } from './genesis/genesis.ts'
import { createModules } from './genesis/modules.ts'
import { CHAIN_KEY, ChainReader, HEIGHT_KEY, readChainParameters, readCommittedHeight } from './index/chain-reader.ts'
import type { HeaderRecord } from './index/records.ts'
import { writeBlock, writeHeader } from './index/write-block.ts'
import type { PoolEntry } from './pool/account-queue.ts'
import { admit } from './pool/admit.ts'
import { Pool } from './pool/pool.ts'
import type {
  AbciQueryRequest,
  AbciQueryResponse,
  Announcement,
  ApplicationInfo,
  ConsensusApplication,
  FinalizeBlockResponse,
  Head,
  InitChainRequest,
  InitChainResponse,
  PrepareProposalRequest,
  ProposedBlock,
  QueryApplication,
  QuestionName,
  Questions,
  TransactionCheck,
} from './ports.ts'
import { Announcer } from './query/announcer.ts'
import { QuestionDesk } from './query/desk.ts'
import { headerView } from './query/views.ts'
import type { ApplicationSettings } from './settings.ts'

export interface ApplicationOptions {
  readonly store: KeyValueStore
  readonly engine: Engine
  readonly settings: ApplicationSettings
  readonly environment: Environment
  readonly version: string
}

/** Version of the protocol between application and CometBFT; part of the consensus parameters. */
const APP_VERSION = 1
/** Accounts, slots and values each that the main thread keeps decoded. */
const STATE_CACHE_ENTRIES = 200_000
/** Trie nodes that it keeps: the upper levels of a large state, all of a small one. */
const TRIE_CACHE_BYTES = 64 * 1024 * 1024
/** Blocks whose hashes the BLOCKHASH instruction can ask for. */
const BLOCK_HASH_WINDOW = 256
/** Blocks between two looks for transactions that waited too long, and for those that CometBFT forgot. */
const POOL_CARE_INTERVAL_BLOCKS = 10
const MAX_OFFERED_AGAIN = 2_000
/** Reasons why a transaction of the pool may be invalid in one proposal and valid in another. */
const TAKEN_BY_ANOTHER = ['nonceTooLow', 'insufficientFunds'] as const
/** The journal is rewritten when most of it is outdated and it is at least this long. */
const MIN_JOURNAL_ENTRIES = 10_000

export class Application implements ConsensusApplication, QueryApplication {
  readonly #options: ApplicationOptions
  readonly #store: KeyValueStore
  readonly #environment: Environment
  readonly #modules: readonly Module[]
  readonly #pool: Pool
  readonly #reader: ChainReader
  readonly #announcer: Announcer
  readonly #desk: QuestionDesk
  #state: LatestState
  #trieNodes: TrieNodeCache
  #parameters: ChainParameters | undefined
  #head: HeaderRecord | undefined
  #baseFeePerGas = 0n
  #sequence = 0
  /** Entries of the journal. */
  #journaled = 0
  /** Hashes of the pool's transactions that CometBFT's mempool has taken. */
  readonly #gossiped = new Set<string>()
  /** Executed proposals of the next height by content; and those sealed, by CometBFT's hash. */
  readonly #candidates = new Map<string, Candidate>()
  readonly #sealed = new Map<string, SealedBlock>()
  #decided: SealedBlock | undefined

  constructor(options: ApplicationOptions) {
    this.#options = options
    this.#store = options.store
    this.#environment = options.environment
    this.#modules = createModules(options.store)
    this.#state = new LatestState(options.store, STATE_CACHE_ENTRIES)
    this.#trieNodes = new TrieNodeCache(options.store, TRIE_CACHE_BYTES)
    this.#reader = new ChainReader(options.store)
    this.#announcer = new Announcer()
    this.#pool = new Pool(options.settings.pool, (entry) => {
      this.#announcer.transaction(entry.signed.hash)
    })
    this.#desk = new QuestionDesk({
      settings: options.settings,
      environment: options.environment,
      engine: options.engine,
      modules: this.#modules,
      reader: this.#reader,
      pool: this.#pool,
      latest: () => this.#state,
      committedHeight: () => this.#head?.header.number ?? 0,
      parameters: () => this.#requireParameters(),
      baseFeePerGas: () => this.#baseFeePerGas,
      submit: (raw) => this.#submit(raw),
      announcer: this.#announcer,
    })
    this.#load()
  }

  /** The chain that the database holds; undefined before InitChain. */
  get parameters(): ChainParameters | undefined {
    return this.#parameters
  }

  get height(): number {
    return this.#head?.header.number ?? 0
  }

  // ---- ABCI ---------------------------------------------------------------------------------------------------

  info(): ApplicationInfo {
    // CometBFT forgets its mempool when it restarts, and asks this first.
    this.#gossiped.clear()
    const committed = this.#head !== undefined && this.height >= this.#requireParameters().initialHeight
    return {
      data: 'nat-chain',
      version: this.#options.version,
      appVersion: APP_VERSION,
      lastBlockHeight: committed ? this.height : 0,
      lastBlockAppHash: committed && this.#head !== undefined ? this.#head.hash : EMPTY_BYTES,
    }
  }

  /** Writes block 0. May repeat until the first block is committed: each time from nothing. */
  async initChain(request: InitChainRequest): Promise<InitChainResponse> {
    if (this.#parameters !== undefined && this.height >= this.#parameters.initialHeight) {
      throw appError('outOfOrder', `InitChain at height ${this.height}: this home holds a chain already`)
    }
    this.#wipe()
    const genesis = parseGenesisBytes(request.appState, request.chainId)
    const parameters: ChainParameters = {
      chainId: request.chainId,
      evmChainId: genesis.evmChainId,
      initialHeight: request.initialHeight,
      hardforks: genesis.hardforks,
    }
    const block = buildGenesisBlock({
      store: this.#store,
      state: this.#state,
      modules: this.#modules,
      genesis,
      request,
    })
    const batch = this.#store.batch()
    writeState(batch, block.record.header.number, block.commitment)
    writeHeader(batch, block.record)
    batch.put(
      'meta',
      CHAIN_KEY,
      utf8ToBytes(JSON.stringify({ ...parameters, evmChainId: parameters.evmChainId.toString() })),
    )
    this.#writeHead(batch, block.record)
    this.#store.write(batch, { sync: true })
    this.#state = new LatestState(this.#store, STATE_CACHE_ENTRIES)
    this.#trieNodes = new TrieNodeCache(this.#store, TRIE_CACHE_BYTES)
    this.#load()
    return { consensusParameters: undefined, validators: [], appHash: block.record.hash }
  }

  checkTx(raw: Uint8Array, recheck: boolean): TransactionCheck {
    const known = this.#pool.get(keccak256(raw))
    if (known !== undefined) return this.#accepted(known.signed)
    if (recheck) return refusal(new CodedError('pool', POOL_CODES.gone, 'no longer in the pool'))
    try {
      return this.#accepted(this.#admit(raw, 'network'))
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return refusal(error)
    }
  }

  async prepareProposal(request: PrepareProposalRequest): Promise<readonly Uint8Array[]> {
    const chain = this.#chain()
    const injected = carriesExtensions(
      readConsensusParameters(chain.state),
      request.height,
      chain.parameters.initialHeight,
    )
      ? encodeInjected(request.votes)
      : undefined
    const { height, timeNs, proposerAddress, nextValidatorsHash, lastCommitRound, misbehavior } = request
    const lastCommit = request.votes.map(({ validatorAddress, power, flag }) => ({ validatorAddress, power, flag }))
    const content = { height, timeNs, proposerAddress, nextValidatorsHash, lastCommitRound, lastCommit, misbehavior }
    const candidate = await this.#choose(chain, content, injected, request.maxTxBytes)
    this.#keepCandidate(candidate)
    return candidate.content.transactions
  }

  async processProposal(block: ProposedBlock): Promise<boolean> {
    const chain = this.#chain()
    if (block.height !== this.#nextHeight()) {
      this.#environment.log.warn('proposal rejected', { height: block.height, reason: 'not the next height' })
      return false
    }
    const candidate = await this.#candidateOf(chain, block)
    const fault = proposalFault(candidate, readConsensusParameters(chain.state).block.maxBytes)
    if (fault !== undefined) {
      this.#environment.log.warn('proposal rejected', { height: block.height, reason: fault.message })
      return false
    }
    this.#seal(candidate, block.hash)
    return true
  }

  /** Empty until the order book has something to attest. */
  extendVote(): Uint8Array {
    return EMPTY_BYTES
  }

  verifyVoteExtension(request: { readonly height: number; readonly extension: Uint8Array }): boolean {
    return request.extension.length <= extensionCapBytes(this.#validatorCount(request.height))
  }

  async finalizeBlock(block: ProposedBlock): Promise<FinalizeBlockResponse> {
    const chain = this.#chain()
    const expected = this.#nextHeight()
    if (block.height !== expected) {
      throw appError('outOfOrder', `FinalizeBlock of height ${block.height}: the application is at ${expected - 1}`)
    }
    const sealed =
      this.#sealed.get(bytesToKey(block.hash)) ?? this.#seal(await this.#candidateOf(chain, block), block.hash)
    this.#decided = sealed
    return { ...sealed.candidate.response, appHash: sealed.record.hash }
  }

  /** One atomic write holds the whole block; then the head is announced. */
  async commit(): Promise<number> {
    const decided = this.#decided
    if (decided === undefined) throw appError('outOfOrder', 'Commit without a FinalizeBlock before it')
    const { record, candidate } = decided
    const height = record.header.number
    const batch = this.#store.batch()
    writeState(batch, height, candidate.commitment)
    writeBlock(batch, decided)
    this.#writeHead(batch, record)
    this.#environment.announceHeight(height)
    this.#store.write(batch, { sync: true })
    this.#noteChanges(candidate)
    this.#setHead(record)
    this.#forgetCandidates()
    this.#settlePool(candidate)
    this.#desk.committed(decided)
    this.#announcer.head(this.#headAnnouncement())
    const { minRetainBlocks } = this.#options.settings
    return minRetainBlocks > 0 ? Math.max(0, height - minRetainBlocks) : 0
  }

  async abciQuery(request: AbciQueryRequest): Promise<AbciQueryResponse> {
    return this.#desk.abciQuery(request)
  }

  // ---- questions ----------------------------------------------------------------------------------------------

  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name], head: number): string | Promise<string> {
    return this.#desk.ask(name, parameters, head)
  }

  subscribe(listener: (announcement: Announcement) => void): () => void {
    return this.#announcer.subscribe(listener, this.#head === undefined ? undefined : this.#headAnnouncement())
  }

  /** Closes the open views of old heights; call it before the database is closed. */
  close(): void {
    this.#desk.close()
  }

  /** Announces the head again when what CometBFT knows of the network has changed. */
  refreshStatus(): void {
    if (this.#head !== undefined) this.#announcer.head(this.#headAnnouncement())
  }

  /** Offers to CometBFT what it does not have: its mempool may have been full, or may have been lost. */
  offerAgain(): void {
    const missing: Uint8Array[] = []
    for (const { signed } of this.#pool.entries()) {
      if (missing.length >= MAX_OFFERED_AGAIN) break
      if (!this.#gossiped.has(bytesToKey(signed.hash))) missing.push(signed.raw)
    }
    if (missing.length > 0) this.#environment.gossip.offer(missing)
  }

  // ---- steps --------------------------------------------------------------------------------------------------

  /** Reads the committed head, and the pool's journal of the last run. */
  #load(): void {
    this.#parameters = readChainParameters(this.#store)
    const height = readCommittedHeight(this.#store)
    const record = height === undefined ? undefined : this.#reader.header(height)
    if (record === undefined || this.#parameters === undefined) return
    this.#environment.announceHeight(record.header.number)
    this.#setHead(record)
    for (const raw of this.#environment.journal.load()) {
      try {
        this.#admit(raw, 'network', false)
      } catch (error) {
        // Included or outdated meanwhile: the reason of a refusal is of no use to anyone here.
        if (!(error instanceof CodedError)) throw error
      }
    }
    this.#rewriteJournal()
  }

  /** Leaves out what was included, replaced or evicted since the last time. */
  #rewriteJournal(): void {
    this.#environment.journal.rewrite([...this.#pool.entries()].map(({ signed }) => signed.raw))
    this.#journaled = this.#pool.size
  }

  #setHead(record: HeaderRecord): void {
    this.#head = record
    this.#baseFeePerGas = readBaseFee(this.#state)
  }

  #requireParameters(): ChainParameters {
    if (this.#parameters === undefined) throw appError('outOfOrder', 'the chain has not begun: InitChain has not run')
    return this.#parameters
  }

  #nextHeight(): number {
    return this.height + 1
  }

  #chain(): Chain {
    const parameters = this.#requireParameters()
    const record = this.#head
    invariant(record !== undefined, 'a chain without a head')
    return {
      parameters,
      head: { height: record.header.number, record },
      state: this.#state,
      store: this.#store,
      trieNodes: this.#trieNodes,
      engine: this.#options.engine,
      modules: this.#modules,
      blockHash: (height) => this.#blockHash(height),
    }
  }

  #blockHash(height: number): Hash | undefined {
    const distance = this.#nextHeight() - height
    return distance < 1 || distance > BLOCK_HASH_WINDOW ? undefined : this.#reader.header(height)?.hash
  }

  #validatorCount(height: number): number {
    return this.#desk.validatorsAt(height).length
  }

  /** The pool has most transactions of a block: their senders need not be recovered again. */
  readonly #decode = (raw: Uint8Array): SignedTransaction => this.#pool.get(keccak256(raw))?.signed ?? decodeSigned(raw)

  async #candidateOf(chain: Chain, block: ProposedBlock): Promise<Candidate> {
    const {
      height,
      timeNs,
      proposerAddress,
      nextValidatorsHash,
      lastCommitRound,
      lastCommit,
      misbehavior,
      transactions,
    } = block
    const content: BlockContent = {
      height,
      timeNs,
      proposerAddress,
      nextValidatorsHash,
      lastCommitRound,
      lastCommit,
      misbehavior,
      transactions,
    }
    const kept = this.#candidates.get(contentKey(content))
    if (kept !== undefined) return kept
    const candidate = await executeBlock(chain, content, this.#decode, () => this.#environment.yieldToEventLoop())
    this.#keepCandidate(candidate)
    return candidate
  }

  /** Begins again without a transaction that the engine cannot execute: each time the pool is one shorter. */
  async #choose(
    chain: Chain,
    content: Omit<BlockContent, 'transactions'>,
    injected: Uint8Array | undefined,
    maxTxBytes: number,
  ): Promise<Candidate> {
    for (;;) {
      try {
        return await chooseBlock(chain, content, this.#environment, {
          injected,
          candidates: this.#pool.byPriority(this.#baseFeePerGas),
          maxTxBytes,
          maxBlockMs: this.#options.settings.maxBlockMs,
          decode: this.#decode,
          onInvalid: (entry, error) => this.#dropInvalid(entry, error),
        })
      } catch (error) {
        if (!(error instanceof ExecutionFault)) throw error
        const { hash, raw } = error.entry.signed
        this.#environment.log.error(error.message, { hash: bytesToHex(hash), raw: bytesToHex(raw) })
        this.#pool.remove(error.entry)
      }
    }
  }

  #keepCandidate(candidate: Candidate): void {
    bound(this.#candidates)
    this.#candidates.set(contentKey(candidate.content), candidate)
  }

  #seal(candidate: Candidate, hash: Hash): SealedBlock {
    const sealed = sealCandidate(candidate, hash)
    bound(this.#sealed)
    this.#sealed.set(bytesToKey(hash), sealed)
    return sealed
  }

  /** A candidate stands on the head that it was executed on, which its content does not name. */
  #forgetCandidates(): void {
    this.#candidates.clear()
    this.#sealed.clear()
    this.#decided = undefined
  }

  #writeHead(batch: Batch, record: HeaderRecord): void {
    batch.put('meta', HEIGHT_KEY, uint64ToBytes(record.header.number))
  }

  #noteChanges({ commitment }: Candidate): void {
    for (const { address, after } of commitment.accounts) this.#state.noteAccount(address, after)
    for (const { address, slot, after } of commitment.slots) this.#state.noteStorage(address, slot, after)
    for (const { system, key, after } of commitment.values) this.#state.noteValue(system, key, after)
    for (const [key, node] of commitment.nodes) this.#trieNodes.note(key, node)
  }

  /** Takes out what the block included or made invalid. */
  #settlePool(candidate: Candidate): void {
    for (const { signed } of candidate.ethereum) {
      this.#gossiped.delete(bytesToKey(signed.hash))
    }
    for (const { address, after } of candidate.commitment.accounts) this.#pool.advance(address, after?.nonce ?? 0n)
    if (this.height % POOL_CARE_INTERVAL_BLOCKS !== 0) return
    this.#pool.expire(this.#environment.clock.nowMs())
    if (this.#journaled > 2 * this.#pool.size + MIN_JOURNAL_ENTRIES) this.#rewriteJournal()
    for (const key of this.#gossiped) if (!this.#pool.has(key)) this.#gossiped.delete(key)
    this.offerAgain()
  }

  #dropInvalid(entry: PoolEntry, error: CodedError): void {
    // Another transaction of the proposal took its nonce or its funds: that counts once the block is decided.
    if (TAKEN_BY_ANOTHER.some((name) => isEvmError(error, name)) && this.#standsInState(entry)) return
    this.#environment.log.info('transaction dropped', { hash: bytesToHex(entry.signed.hash), reason: error.message })
    this.#pool.remove(entry)
  }

  #standsInState({ signed }: PoolEntry): boolean {
    try {
      checkWithState(this.#state, signed.sender, signed.transaction)
      return true
    } catch (error) {
      if (error instanceof CodedError) return false
      throw error
    }
  }

  /** eth_sendRawTransaction: journaled before it is answered. */
  #submit(raw: Uint8Array): Hash {
    const signed = this.#admit(raw, 'wallet')
    this.#environment.gossip.offer([signed.raw])
    return signed.hash
  }

  #admit(raw: Uint8Array, origin: 'wallet' | 'network', journaled = true): SignedTransaction {
    const parameters = this.#requireParameters()
    const head = this.#head
    invariant(head !== undefined, 'a chain without a head')
    const signed = admit(raw, origin, {
      pool: this.#pool,
      state: this.#state,
      settings: this.#options.settings,
      limits: {
        chainId: parameters.evmChainId,
        hardfork: hardforkAt(parameters, head.header.timestamp),
        blockGasLimit: head.header.gasLimit,
      },
      baseFeePerGas: this.#baseFeePerGas,
      nowMs: this.#environment.clock.nowMs(),
      sequence: this.#sequence++,
    })
    if (journaled) {
      this.#environment.journal.append(signed.raw)
      this.#journaled++
    }
    return signed
  }

  #accepted(signed: SignedTransaction): TransactionCheck {
    this.#gossiped.add(bytesToKey(signed.hash))
    return { code: 0, codespace: '', log: '', gasWanted: signed.transaction.gasLimit }
  }

  #headAnnouncement(): Head {
    const record = this.#head
    const parameters = this.#requireParameters()
    invariant(record !== undefined, 'a chain without a head')
    return {
      height: record.header.number,
      hash: bytesToHex(record.hash),
      header: JSON.stringify(headerView(record.header, record.hash)),
      logCount: record.logCount,
      evmChainId: Number(parameters.evmChainId),
      chainId: parameters.chainId,
      catchingUp: this.#environment.consensusStatus().catchingUp,
    }
  }

  /** Empties the database of a genesis whose first block was never committed. */
  #wipe(): void {
    for (const column of COLUMNS) {
      for (;;) {
        const entries = this.#store.scan(column, { limit: 10_000 })
        if (entries.length === 0) break
        const batch = this.#store.batch()
        for (const [key] of entries) batch.delete(column, key)
        this.#store.write(batch, { sync: false })
      }
    }
    this.#parameters = undefined
    this.#head = undefined
    this.#forgetCandidates()
    this.#state = new LatestState(this.#store, STATE_CACHE_ENTRIES)
    this.#trieNodes = new TrieNodeCache(this.#store, TRIE_CACHE_BYTES)
    this.#reader.forget()
  }
}

const refusal = (error: CodedError): TransactionCheck => ({
  code: error.code,
  codespace: error.codespace,
  log: error.message,
  gasWanted: 0n,
})

/** Makes room for one more: rounds of consensus may bring any number of proposals. */
const bound = (map: Map<string, unknown>): void => {
  while (map.size >= MAX_CANDIDATES) {
    const [oldest] = map.keys()
    if (oldest === undefined) return
    map.delete(oldest)
  }
}
