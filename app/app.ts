/** The application: the steps of a block from InitChain to Commit, and the door of the pool. Questions: query/. */
import { EMPTY_BYTES, uint64ToBytes } from '../core/bytes.ts'
import type { CodedError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import type { Engine } from '../evm/engine.ts'
import { readCarried } from '../modules/clob/index.ts'
import { readFollow } from '../modules/bridge/index.ts'
import type { Module } from '../modules/module.ts'
import { readBaseHeight } from '../store/base-height.ts'
import { emptyStore } from '../store/empty-store.ts'
import type { Batch, KeyValueStore } from '../store/store.ts'
import { writeState } from '../store/write-state.ts'
import type { Candidate, SealedBlock } from './block/candidate.ts'
import { Rounds } from './block/rounds.ts'
import { rememberValid } from './attestations/verified-memo.ts'
import { extensionCapBytes } from './attestations/cap.ts'
import { extensionFault } from './attestations/injected.ts'
import { BridgeSection } from './attestations/bridge-section.ts'
import { type ExtensionSection, Voter } from './attestations/voter.ts'
import { writeGenesisBlock } from './genesis/genesis-block.ts'
import type { Chain } from './block/chain.ts'
import { type ChainParameters, hardforkAt } from './records/chain-parameters.ts'
import type { Environment, VoteAnswers } from './environment.ts'
import { appError } from './errors.ts'
import { createFamilies, type Families } from './families/index.ts'
import { APP_VERSION, parseGenesisBytes } from './genesis/genesis.ts'
import { type ChainModules, createChainModules } from './genesis/modules.ts'
import { CHAIN_KEY, encodeChainParameters, HEIGHT_KEY } from './index/chain-reader.ts'
import { leadingTransactions } from './leading-transactions.ts'
import { LiveHead } from './live-head.ts'
import type { HeaderRecord } from './records/records.ts'
import { writeBlock, writeHeader } from './index/write-block.ts'
import { Mempool, type MempoolHead } from './mempool.ts'
import { toMilliseconds } from './orders/block-plan.ts'
import { carriedByPlan } from './orders/carried-by.ts'
import { LiveBatch } from './orders/live-batch.ts'
import { Orders } from './orders/orders.ts'
import type { OrdersHead } from './orders/ports.ts'
import type { PoolEntry } from './pool/entry.ts'
import type {
  ApplicationInfo,
  BroadcastCheck,
  ConsensusApplication,
  FinalizeBlockResponse,
  InitChainRequest,
  InitChainResponse,
  PrepareProposalRequest,
  ProposedBlock,
  SnapshotChunk,
  SnapshotChunkRequest,
  SnapshotChunkResult,
  SnapshotDescription,
  SnapshotOffer,
  TransactionCheck,
} from './ports.ts'
import { SnapshotSync } from './snapshots.ts'
import { writeRetention } from './retention.ts'
import type { ApplicationSettings } from './settings.ts'
import { type ChainListener, type ChainSource, NOBODY } from './chain-source.ts'

/** Who is told of each committed block, before anybody else knows of it: for figures and traces. */
export interface BlockWitness {
  committed(block: SealedBlock, families: Pick<Families, 'of'>): void
}

export interface ApplicationOptions {
  readonly store: KeyValueStore
  readonly engine: Engine
  readonly settings: ApplicationSettings
  readonly environment: Environment
  readonly version: string
  /** What the genesis file says: snapshots of this chain alone are restored, and none without it. */
  readonly expectedChain?: ChainParameters
  /** Throws where CometBFT brings another genesis than the home has. Left out where there is none to compare. */
  readonly checkGenesis?: (request: InitChainRequest) => void
  /** Left out where nobody wants figures or traces. */
  readonly witness?: BlockWitness
  /** What this node says with its votes beside orders, in the order in which the parts of an extension are filled. */
  readonly sections?: readonly ExtensionSection[]
}

/** The answers of a node that does not vote. */
const FORGETFUL: VoteAnswers = { load: () => [], keep: () => undefined }

export class Application implements Omit<ConsensusApplication, 'abciQuery'> {
  readonly #options: ApplicationOptions
  readonly #store: KeyValueStore
  readonly #environment: Environment
  readonly #chainModules: ChainModules
  readonly #modules: readonly Module[]
  readonly #families: Families
  readonly #mempool: Mempool
  readonly #orders: Orders
  readonly #batch: LiveBatch
  readonly #rounds: Rounds<PoolEntry>
  readonly #verifyExtension = rememberValid()
  readonly #voter: Voter
  readonly #head: LiveHead
  readonly #snapshots: SnapshotSync
  #decided: SealedBlock | undefined
  #listener = NOBODY

  constructor(options: ApplicationOptions) {
    this.#options = options
    this.#store = options.store
    this.#environment = options.environment
    this.#chainModules = createChainModules({
      store: options.store,
      committedHeight: () => this.height,
      skippedUpgrades: options.settings.skippedUpgrades,
    })
    this.#modules = this.#chainModules.modules
    this.#families = createFamilies(this.#modules)
    this.#head = new LiveHead(options.store)
    this.#mempool = new Mempool({
      settings: options.settings,
      environment: options.environment,
      families: this.#families,
      head: () => this.#mempoolHead(),
      onExecutable: (hash) => this.#listener.executable(hash),
    })
    this.#orders = new Orders({
      environment: options.environment,
      head: () => this.#ordersHead(),
      carriedBy: carriedByPlan({
        readBody: (raw) => this.#orders.readBody(raw),
        accepted: (hash) => this.#rounds.accepted(hash)?.batch,
      }),
    })
    this.#batch = new LiveBatch({ books: () => this.#head.books, orders: this.#orders })
    this.#rounds = new Rounds({
      mempool: this.#mempool,
      environment: options.environment,
      maxBlockMs: options.settings.maxBlockMs,
    })
    const bridge = new BridgeSection(options.environment.bridge, options.environment.bridgeKeys)
    const sections = [this.#orders.section, bridge, ...(options.sections ?? [])]
    this.#voter = new Voter(sections, options.environment.voteAnswers ?? FORGETFUL)
    this.#snapshots = new SnapshotSync({
      store: options.store,
      log: options.environment.log,
      clock: options.environment.clock,
      shelf: options.environment.snapshots,
      expectedChain: options.expectedChain,
      holdsMore: () => this.#head.hasBlocks() && this.height !== readBaseHeight(this.#store),
      reached: options.environment.reached,
      wipe: () => this.#wipe(),
      restored: () => this.#restored(),
    })
    this.#load()
  }

  /** The chain that the database holds; undefined before InitChain. */
  get parameters(): ChainParameters | undefined {
    return this.#head.parameters
  }

  /** The committed head; 0 before InitChain. */
  get height(): number {
    return this.#head.height
  }

  // ---- ABCI ---------------------------------------------------------------------------------------------------

  info(): ApplicationInfo {
    const committed = this.#head.hasBlocks()
    return {
      data: 'nat-chain',
      version: this.#options.version,
      appVersion: APP_VERSION,
      lastBlockHeight: committed ? this.height : 0,
      lastBlockAppHash: committed ? this.#head.require().record.hash : EMPTY_BYTES,
    }
  }

  /** A CometBFT begins to make the consensus calls: it was started, and its mempool is empty. */
  consensusConnected(): void {
    this.#mempool.forgetGossip()
    this.#orders.forgetGossip()
  }

  /** Writes block 0. May repeat until the first block is committed: each time from nothing. */
  async initChain(request: InitChainRequest): Promise<InitChainResponse> {
    if (this.#head.hasBlocks()) {
      throw appError('outOfOrder', `InitChain at height ${this.height}: this home holds a chain already`)
    }
    this.#options.checkGenesis?.(request)
    this.#wipe()
    const genesis = parseGenesisBytes(request.appState, request.chainId)
    const parameters: ChainParameters = {
      chainId: request.chainId,
      evmChainId: genesis.evmChainId,
      initialHeight: request.initialHeight,
      hardforks: genesis.hardforks,
    }
    const record = writeGenesisBlock({ store: this.#store, modules: this.#modules, genesis, request })
    const batch = this.#store.batch()
    writeHeader(batch, record)
    batch.put('meta', CHAIN_KEY, encodeChainParameters(parameters))
    this.#writeHead(batch, record)
    this.#store.write(batch, { sync: true })
    this.#head.forgetState()
    this.#load()
    return { consensusParameters: undefined, validators: [], appHash: record.hash }
  }

  checkTx(raw: Uint8Array, recheck: boolean): TransactionCheck {
    if (recheck) {
      // That it asks at all says of every family's transactions that it holds those of which it asks, and no others.
      this.#orders.askedAgain()
      this.#mempool.askedAgain()
    }
    return this.#families.of(raw).isBatched === true
      ? this.#orders.check(raw, recheck)
      : this.#mempool.check(raw, recheck)
  }

  /** A native client's broadcast: a refusal is a code. */
  broadcast(raw: Uint8Array): Promise<BroadcastCheck> {
    return this.#families.of(raw).isBatched === true ? this.#orders.broadcast(raw) : this.#mempool.broadcast(raw)
  }

  async prepareProposal(request: PrepareProposalRequest): Promise<readonly Uint8Array[]> {
    const chain = this.#chain()
    const { height, timeNs, proposerAddress, nextValidatorsHash, lastCommitRound, misbehavior, maxTxBytes } = request
    const lastCommit = request.votes.map(({ validatorAddress, power, flag }) => ({ validatorAddress, power, flag }))
    const content = { height, timeNs, proposerAddress, nextValidatorsHash, lastCommitRound, lastCommit, misbehavior }
    const { log } = this.#environment
    const leading = leadingTransactions(chain, request, content, { orders: this.#orders, log })
    // The others will refuse an empty block here; one that is too long CometBFT would not even send.
    if (leading === undefined) return []
    const { baseFeePerGas } = this.#head
    const candidate = await this.#rounds.propose(chain, { content, leading, maxTxBytes, baseFeePerGas })
    return candidate.content.transactions
  }

  async processProposal(block: ProposedBlock): Promise<boolean> {
    const chain = this.#chain()
    if (block.height !== this.#head.nextHeight) {
      this.#environment.log.warn('proposal rejected', { height: block.height, reason: 'not the next height' })
      return false
    }
    this.#orders.noteProposal(block.hash)
    const fault = await this.#rounds.judge(chain, block)
    this.#environment.witness?.judged(fault === undefined)
    if (fault === undefined) return true
    this.#environment.log.warn('proposal rejected', { height: block.height, reason: fault.message })
    return false
  }

  extendVote(block: ProposedBlock): Uint8Array {
    const given = this.#voter.given(block)
    if (given !== undefined) return given
    // A block that stands on top of another one leaves nothing to say.
    if (block.height !== this.#head.nextHeight) return EMPTY_BYTES
    const extension = this.#voter.extend(block, this.#chain(), extensionCapBytes(this.#head.state, block.height))
    this.#orders.watch.noteVote(block.height, block.hash, undefined, extension)
    return extension
  }

  verifyVoteExtension(request: Parameters<ConsensusApplication['verifyVoteExtension']>[0]): boolean {
    const { height, hash, validatorAddress, extension } = request
    const reason = extensionFault(extension, extensionCapBytes(this.#head.state, height))
    if (reason === undefined) {
      this.#orders.watch.noteVote(height, hash, validatorAddress, extension)
      return true
    }
    this.#environment.log.warn('vote extension rejected', { height, validator: bytesToHex(validatorAddress), reason })
    return false
  }

  async finalizeBlock(block: ProposedBlock): Promise<FinalizeBlockResponse> {
    const chain = this.#chain()
    const expected = this.#head.nextHeight
    if (block.height !== expected) {
      throw appError('outOfOrder', `FinalizeBlock of height ${block.height}: the application is at ${expected - 1}`)
    }
    const { reached } = this.#environment
    reached('finalize-begun')
    const sealed = await this.#rounds.decide(chain, block, () => reached('finalize-executed'))
    reached('finalize-sealed')
    this.#decided = sealed
    return { ...sealed.candidate.response, appHash: sealed.record.hash }
  }

  /** One atomic write holds the whole block; then the head is announced. */
  async commit(): Promise<number> {
    const decided = this.#decided
    if (decided === undefined) throw appError('outOfOrder', 'Commit without a FinalizeBlock before it')
    const { reached } = this.#environment
    reached('commit-begun')
    const { record, candidate } = decided
    const height = record.header.number
    const batch = this.#store.batch()
    writeState(batch, height, candidate.commitment)
    writeBlock(batch, this.#store, decided)
    const retainHeight = this.#writeRetention(batch, record)
    this.#writeHead(batch, record)
    reached('commit-assembled')
    this.#environment.announceHeight(height)
    this.#store.write(batch, { sync: true })
    reached('commit-written')
    this.#head.advance(decided)
    reached('commit-noted')
    this.#options.witness?.committed(decided, this.#families)
    this.#forgetProposals()
    this.#mempool.settle(candidate)
    this.#settleOrders(candidate, record.header.extraData)
    this.#followBridge()
    this.#listener.committed(decided)
    this.#listener.head(true)
    this.#environment.snapshots?.committed(height)
    reached('commit-settled')
    return retainHeight
  }

  listSnapshots(): readonly SnapshotDescription[] {
    return this.#snapshots.list()
  }

  offerSnapshot(snapshot: SnapshotDescription, appHash: Uint8Array): SnapshotOffer {
    return this.#snapshots.offer(snapshot, appHash)
  }

  loadSnapshotChunk(request: SnapshotChunkRequest): Uint8Array {
    return this.#snapshots.load(request)
  }

  applySnapshotChunk(chunk: SnapshotChunk): Promise<SnapshotChunkResult> {
    return this.#snapshots.apply(chunk)
  }

  // ---- what stands beside the chain ---------------------------------------------------------------------------

  /** One listener, which stands beside the chain: it is told what becomes of it. */
  listen(listener: ChainListener): void {
    this.#listener = listener
  }

  get source(): ChainSource {
    return {
      modules: this.#modules,
      families: this.#families,
      reader: this.#head.reader,
      mempool: this.#mempool,
      orders: this.#orders,
      latest: () => this.#head.state,
      latestTrieNodes: () => this.#head.trieNodes,
      books: () => this.#head.books,
      updates: this.#head.updates,
      parameters: () => this.#head.requireParameters(),
      baseFeePerGas: () => this.#head.baseFeePerGas,
      head: () => this.#head.record,
    }
  }

  /** Why this software cannot execute the next block; asked after every commit, and at the start. */
  nextBlockFault(): CodedError | undefined {
    if (this.#head.parameters === undefined) return undefined
    const reason = this.#chainModules.haltReason(this.#head.state, this.#head.nextHeight)
    return reason === undefined ? undefined : appError('upgrade', reason)
  }

  /** What CometBFT knows of the network has changed: announces the head again, and the pool's transactions to new peers. */
  refreshStatus(): void {
    if (this.#head.record === undefined) return
    this.#listener.head(false)
    this.#mempool.offerAgain()
    this.#orders.offerAgain()
  }

  // ---- steps --------------------------------------------------------------------------------------------------

  /** Reads the committed head, and the pool's journal of the last run. */
  #load(): void {
    const record = this.#head.load((height) => this.#environment.announceHeight(height))
    if (record === undefined) return
    this.#mempool.load()
    this.#orders.load()
    this.#followBridge()
  }

  /** Tells the daemon of the bridge what to watch, by the committed head. */
  #followBridge(): void {
    const { bridge } = this.#environment
    if (bridge === undefined) return
    const { contract, openId } = readFollow(this.#head.state)
    bridge.follow(contract, openId)
  }

  #settleOrders({ content: { height, transactions }, outcomes }: Candidate, hash: Hash): void {
    const included: Hash[] = []
    for (const [index, raw] of transactions.entries()) {
      if (this.#families.of(raw).isBatched !== true) continue
      const outcome = outcomes[index]
      included.push((outcome?.kind === 'applied' ? outcome.storedHash() : undefined) ?? this.#families.hash(raw))
    }
    this.#orders.settle({ height, hash, included, carried: readCarried(this.#head.state) })
  }

  #ordersHead(): OrdersHead {
    const { chainId, evmChainId } = this.#head.requireParameters()
    const { height, record } = this.#head.require()
    return {
      chain: { chainId, evmChainId: Number(evmChainId) },
      state: this.#head.state,
      books: this.#head.books,
      height: height + 1,
      timeMs: toMilliseconds(record.timeNs),
    }
  }

  #restored(): void {
    this.#head.forgetState()
    this.#load()
    this.#listener.head(false)
  }

  #chain(): Chain {
    return {
      parameters: this.#head.requireParameters(),
      head: this.#head.require(),
      state: this.#head.state,
      store: this.#store,
      trieNodes: this.#head.trieNodes,
      engine: this.#options.engine,
      modules: this.#modules,
      families: this.#families,
      verifyExtension: this.#verifyExtension,
      batch: this.#batch,
      blockHash: (number) => this.#head.blockHash(number),
    }
  }

  #forgetProposals(): void {
    this.#rounds.clear()
    this.#decided = undefined
  }

  #writeHead(batch: Batch, record: HeaderRecord): void {
    batch.put('meta', HEIGHT_KEY, uint64ToBytes(record.header.number))
  }

  #writeRetention(batch: Batch, record: HeaderRecord): number {
    return writeRetention(batch, record, this.#head.state, {
      reader: this.#head.reader,
      settings: this.#options.settings,
      firstHeight: this.#head.requireParameters().initialHeight - 1,
      oldestSnapshotHeight: this.#environment.oldestSnapshotHeight?.(),
    })
  }

  #mempoolHead(): MempoolHead {
    const parameters = this.#head.requireParameters()
    const { height, record } = this.#head.require()
    return {
      state: this.#head.state,
      limits: {
        chainId: parameters.evmChainId,
        hardfork: hardforkAt(parameters, record.header.timestamp),
        blockGasLimit: record.header.gasLimit,
      },
      nativeChainId: parameters.chainId,
      height: height + 1,
      baseFeePerGas: this.#head.baseFeePerGas,
    }
  }

  /** Empties the database of a genesis whose first block was never committed, or of a restore that failed. */
  #wipe(): void {
    emptyStore(this.#store)
    this.#head.reset()
    this.#forgetProposals()
    this.#mempool.clear()
    this.#orders.clear()
    this.#listener.wiped()
  }
}
