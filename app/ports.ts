/** What abci and rpc may call of the application, in the application's own words. */
import type { Hex } from '../core/hex.ts'
import type { Text } from '../core/text.ts'
import type { Hash } from '../core/hash.ts'
import type { ConsensusParameters } from '../modules/consensus/index.ts'
import type { CommitVote, Event, Misbehavior, ValidatorUpdate } from '../modules/module.ts'
import { CodedError } from '../core/errors.ts'
import { APP_CODES } from './errors.ts'

/** These are for those that turn codes into the numbers of their wire formats. */
export { SDK_CODES } from '../modules/sdk-errors.ts'
export { QUERY_CODES } from './errors.ts'

// ---- consensus: ABCI 2.0 without its wire types -------------------------------------------------------------

export type { ConsensusParameters }

export interface ApplicationInfo {
  readonly data: string
  readonly version: string
  readonly appVersion: number
  /** 0 before InitChain's block has been committed. */
  readonly lastBlockHeight: number
  /** Empty before the first commit. */
  readonly lastBlockAppHash: Uint8Array
}

export interface InitChainRequest {
  readonly timeNs: bigint
  readonly chainId: string
  readonly consensusParameters: ConsensusParameters | undefined
  readonly validators: readonly ValidatorUpdate[]
  /** JSON bytes of the genesis file's app_state. */
  readonly appState: Uint8Array
  readonly initialHeight: number
}

export interface InitChainResponse {
  readonly consensusParameters: ConsensusParameters | undefined
  readonly validators: readonly ValidatorUpdate[]
  readonly appHash: Uint8Array
}

export interface TransactionCheck {
  /** 0 accepts. */
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly gasWanted: bigint
}

/** What a native client's broadcast is answered. */
export interface BroadcastCheck extends TransactionCheck {
  /** The hash by which CometBFT and native clients know the transaction: sha256. */
  readonly nativeHash: Hash
}

/** A vote of the last commit with its extension: ABCI's ExtendedVoteInfo. */
export interface ExtendedVote extends CommitVote {
  readonly extension: Uint8Array
  readonly extensionSignature: Uint8Array
}

export interface PrepareProposalRequest {
  readonly height: number
  readonly timeNs: bigint
  readonly proposerAddress: Uint8Array
  readonly nextValidatorsHash: Uint8Array
  /** Round of the commit that `votes` belong to. */
  readonly lastCommitRound: number
  readonly votes: readonly ExtendedVote[]
  readonly misbehavior: readonly Misbehavior[]
  /** What CometBFT's mempool offers; the application takes from its own pool. */
  readonly transactions: readonly Uint8Array[]
  /** Sum over transactions of length + tag + varint must not pass it. */
  readonly maxTxBytes: number
}

export interface ProposedBlock {
  readonly height: number
  readonly timeNs: bigint
  readonly proposerAddress: Uint8Array
  readonly nextValidatorsHash: Uint8Array
  readonly lastCommitRound: number
  readonly lastCommit: readonly CommitVote[]
  readonly misbehavior: readonly Misbehavior[]
  readonly transactions: readonly Uint8Array[]
  /** CometBFT's hash of the block. */
  readonly hash: Hash
}

export interface TransactionResult {
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly data: Uint8Array
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  /** Encoded: those of `encodeEvents`. */
  readonly events: Uint8Array
}

/** A result as clients are shown it. */
export interface ShownResult extends Omit<TransactionResult, 'events'> {
  readonly events: readonly Event[]
}

export interface FinalizeBlockResponse {
  readonly transactionResults: readonly TransactionResult[]
  readonly events: readonly Event[]
  readonly validatorUpdates: readonly ValidatorUpdate[]
  readonly consensusParameterUpdates: ConsensusParameters | undefined
  readonly appHash: Uint8Array
}

/** ABCI's Query. `path` is a gRPC method, `/app/...` or `/store/...`. */
export interface AbciQueryRequest {
  readonly path: string
  readonly data: Uint8Array
  readonly height: number
  readonly prove: boolean
}

export interface AbciQueryResponse {
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly height: number
  /** How to check the value against the app hash of that height; left out or empty without a proof. */
  readonly proofOps?: readonly ProofOperation[]
}

/** ABCI's ProofOp. */
export interface ProofOperation {
  readonly type: string
  readonly key: Uint8Array
  readonly data: Uint8Array
}

/** A snapshot as nodes offer it to each other. */
export interface SnapshotDescription {
  readonly height: number
  readonly format: number
  readonly chunks: number
  /** sha256 of the metadata. */
  readonly hash: Uint8Array
  readonly metadata: Uint8Array
}

/** `rejectSender`: whoever offers this lies. */
export type SnapshotOffer = 'accept' | 'abort' | 'reject' | 'rejectFormat' | 'rejectSender'

export interface SnapshotChunkRequest {
  readonly height: number
  readonly format: number
  readonly chunk: number
}

export interface SnapshotChunk {
  readonly index: number
  readonly chunk: Uint8Array
  /** Id of the peer that it came from. */
  readonly sender: string
}

export interface SnapshotChunkResult {
  readonly result: 'accept' | 'abort' | 'retry' | 'retrySnapshot' | 'rejectSnapshot'
  readonly refetchChunks: readonly number[]
  readonly rejectSenders: readonly string[]
}

/**
 * The application as CometBFT drives it. A thrown error halts the node (bad input is answered with codes); calls of
 * the consensus connection come one after another, those of the mempool and query connections in between.
 */
export interface ConsensusApplication {
  /** Anyone may ask, through CometBFT's RPC. */
  info(): ApplicationInfo
  initChain(request: InitChainRequest): Promise<InitChainResponse>
  checkTx(transaction: Uint8Array, recheck: boolean): TransactionCheck
  prepareProposal(request: PrepareProposalRequest): Promise<readonly Uint8Array[]>
  /** True accepts. */
  processProposal(block: ProposedBlock): Promise<boolean>
  /** The block may be one that was never processed here. */
  extendVote(block: ProposedBlock): Uint8Array
  verifyVoteExtension(request: {
    readonly height: number
    readonly hash: Hash
    readonly validatorAddress: Uint8Array
    readonly extension: Uint8Array
  }): boolean
  finalizeBlock(block: ProposedBlock): Promise<FinalizeBlockResponse>
  /** Returns the retain height: 0 keeps every block. */
  commit(): Promise<number>
  abciQuery(request: AbciQueryRequest): Promise<AbciQueryResponse>
  listSnapshots(): readonly SnapshotDescription[]
  /** `appHash` is what the light client trusts at the snapshot's height. */
  offerSnapshot(snapshot: SnapshotDescription, appHash: Uint8Array): SnapshotOffer
  /** Empty when there is none. */
  loadSnapshotChunk(request: SnapshotChunkRequest): Uint8Array
  applySnapshotChunk(chunk: SnapshotChunk): Promise<SnapshotChunkResult>
}

/**
 * True for a call that does not follow from the ones before it and changed nothing: over gRPC a CometBFT goes on when
 * the application was started anew, without asking for its height again.
 */
export const isOutOfOrder = (error: unknown): boolean =>
  error instanceof CodedError && error.codespace === 'app' && error.code === APP_CODES.outOfOrder

// ---- questions: what the gateway asks ------------------------------------------------------------------------

export type BlockTag = 'latest' | 'safe' | 'finalized' | 'earliest' | 'pending'
export type BlockReference =
  | { readonly tag: BlockTag }
  | { readonly number: number }
  | { readonly hash: Hex; readonly requireCanonical?: boolean }

/** A transaction object of eth_call and eth_estimateGas, parsed: quantities are 0x-hex, data is 0x-hex. */
export interface CallRequest {
  readonly from?: Hex
  readonly to?: Hex
  readonly gas?: Hex
  readonly gasPrice?: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
  readonly value?: Hex
  readonly nonce?: Hex
  readonly data?: Hex
  readonly accessList?: readonly { readonly address: Hex; readonly storageKeys: readonly Hex[] }[]
  readonly authorizationList?: readonly {
    readonly chainId: Hex
    readonly address: Hex
    readonly nonce: Hex
    readonly yParity: Hex
    readonly r: Hex
    readonly s: Hex
  }[]
  readonly chainId?: Hex
  /** Members of type 3: calls may have blobs, though transactions of this chain may not. */
  readonly blobVersionedHashes?: readonly Hex[]
  readonly maxFeePerBlobGas?: Hex
}

/** What fills in the members that a transaction object leaves out. */
export interface PoolHints {
  /** The tip that eth_maxPriorityFeePerGas suggests. */
  readonly suggestedTip: Hex
  /** The sender's, behind what waits in the pool. */
  readonly nextNonce: Hex
}

export interface AccountOverride {
  readonly balance?: Hex
  readonly nonce?: Hex
  readonly code?: Hex
  /** Replaces the whole storage; 32-byte slots and values. */
  readonly state?: Readonly<Record<Hex, Hex>>
  /** Replaces single slots. */
  readonly stateDiff?: Readonly<Record<Hex, Hex>>
  readonly movePrecompileToAddress?: Hex
}
export type StateOverrides = Readonly<Record<Hex, AccountOverride>>

export interface BlockOverrides {
  readonly number?: Hex
  readonly time?: Hex
  readonly gasLimit?: Hex
  readonly feeRecipient?: Hex
  readonly prevRandao?: Hex
  readonly baseFeePerGas?: Hex
  readonly blobBaseFee?: Hex
}

export interface Withdrawal {
  readonly index: Hex
  readonly validatorIndex: Hex
  readonly address: Hex
  /** The amount in gwei. */
  readonly amount: Hex
}

/** What eth_simulateV1 can say of a block, more than calls can. */
export interface SimulatedBlockOverrides extends BlockOverrides {
  readonly beaconRoot?: Hex
  readonly withdrawals?: readonly (Withdrawal | null)[]
}

export interface SimulatedBlock {
  readonly blockOverrides: SimulatedBlockOverrides
  readonly stateOverrides?: StateOverrides
  readonly calls: readonly CallRequest[]
}

/** What traces a transaction, and how; `refused` is what geth refuses once it has found the transaction. */
export type TracerChoice =
  | {
      readonly name: 'structLogger'
      readonly enableMemory: boolean
      readonly disableStack: boolean
      readonly disableStorage: boolean
      readonly enableReturnData: boolean
      /** Bytes of steps after which none is shown; 0 is no limit. */
      readonly limit: number
    }
  | { readonly name: 'callTracer'; readonly onlyTopCall: boolean; readonly withLog: boolean }
  | { readonly name: 'flatCallTracer'; readonly convertParityErrors: boolean; readonly includePrecompiles: boolean }
  | {
      readonly name: 'prestateTracer'
      readonly diffMode: boolean
      readonly disableCode: boolean
      readonly disableStorage: boolean
      readonly includeEmpty: boolean
    }
  | { readonly name: '4byteTracer' | 'keccak256PreimageTracer' | 'noopTracer' }
  | { readonly name: 'muxTracer'; readonly tracers: readonly { readonly as: string; readonly tracer: TracerChoice }[] }
  | { readonly name: 'refused'; readonly message: string }

export interface TraceOptions {
  readonly tracer: TracerChoice
  /** The time that one transaction may take. */
  readonly timeoutMs: number
}

export interface LogCriteria {
  /** Either a block by hash, or a range; bounds left out are the head. */
  readonly blockHash?: Hex
  readonly fromBlock?: BlockReference
  readonly toBlock?: BlockReference
  readonly addresses: readonly Hex[]
  /** One set a position; an empty set matches all. */
  readonly topics: readonly (readonly Hex[])[]
}

/** A log of the chain: behind all of them in the blocks below, and behind `log` of them in the block itself. */
export interface LogCursor {
  readonly height: number
  readonly log: number
}

/** All of an execution. */
export interface EvmCallAnswer {
  readonly returnData: Hex
  /** Geth's words. */
  readonly failure: string | null
  readonly gasUsed: Hex
  /** The most gas that was in use, before refunds. */
  readonly maxUsedGas: Hex
  readonly logs: readonly { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }[]
  /** What the call saw: that of the block whose state it ran on. */
  readonly blockNumber: Hex
  readonly blockHash: Hex
  readonly timestamp: Hex
}

// ---- the feed of committed blocks: docs/adr/039 --------------------------------------------------------------

/** The total of the orders at a price that can be met. */
export interface ClobLevel {
  readonly priceTicks: number
  /** Decimal. "0": the level is gone. */
  readonly lots: string
  readonly orders: number
}

/** What every message of a market carries, as of the end of a block. */
export interface ClobStamp {
  readonly height: number
  /** Milliseconds since 1970; 0 for a block before those of the ring. */
  readonly timeMs: number
  /** Sequence of the market's records. */
  readonly sequence: number
  /** 0 before the first. */
  readonly blockPriceTicks: number
  readonly bid: ClobLevel | null
  readonly ask: ClobLevel | null
}

/** The best first. */
export interface ClobDepth extends ClobStamp {
  readonly bids: readonly ClobLevel[]
  readonly asks: readonly ClobLevel[]
  /** Where the next page of all levels begins, asks behind bids; null behind the last, and where not all were asked for. */
  readonly next: { readonly side: 'buy' | 'sell'; readonly priceTicks: number } | null
}

interface ClobRecordPlace {
  readonly market: number
  readonly sequence: number
}

/** Owners are bech32; codes are those of docs/clob-spec.md; amounts are decimal. */
export type ClobRecordView = ClobRecordPlace &
  (
    | {
        readonly kind: 'placed'
        readonly orderSeq: number
        readonly owner: string
        readonly subaccount: number
        readonly side: 1 | 2
        readonly tif: 1 | 2 | 3 | 4
        readonly priceTicks: number
        readonly lots: number
        readonly clientId: Hex
        readonly triggerTicks: number
        readonly triggerKind: 0 | 1 | 2
        readonly expireS: number
      }
    | {
        readonly kind: 'fill'
        readonly makerSeq: number
        readonly takerSeq: number
        readonly priceTicks: number
        readonly lots: number
        readonly makerFee: string
        readonly makerRebate: string
        readonly takerFee: string
        readonly maker: string
        readonly taker: string
        readonly takerSide: 1 | 2
        readonly makerLotsLeft: number
        readonly takerLotsLeft: number
      }
    | {
        readonly kind: 'removed'
        readonly orderSeq: number
        readonly lots: number
        readonly reason: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11
        readonly owner: string
        readonly lotsLeft: number
      }
  )

/** What a block changed of the order book. */
export interface ClobUpdates {
  readonly height: number
  readonly timeMs: number
  /** Those in which something has changed, by number; none on the pages behind the first. */
  readonly markets: readonly {
    readonly market: number
    readonly before: Pick<ClobStamp, 'sequence'>
    readonly after: Omit<ClobStamp, 'height' | 'timeMs'>
    readonly bids: readonly ClobLevel[]
    readonly asks: readonly ClobLevel[]
    readonly died: readonly { readonly orderSeq: number; readonly owner: string }[]
  }[]
  /** Null where they were not asked for, and `rejected` and `refused` are empty then: levels are few where records are many. */
  readonly records: readonly ClobRecordView[] | null
  /** Where the next page of records and of what was rejected begins; null behind the last. */
  readonly next: number | null
  readonly rejected: readonly {
    readonly owner: string
    readonly action: number
    readonly code: number
    readonly reason: string
    /** Null where a contract queued it. */
    readonly hash: Hex | null
  }[]
  /** Transactions that failed as a whole, in the same pages. */
  readonly refused: readonly {
    readonly owner: string
    readonly hash: Hex
    readonly code: number
    readonly reason: string
    readonly subaccount: number
    readonly nonceMs: number
  }[]
}

export interface ClobOrdersPage {
  readonly height: number
  readonly timeMs: number
  readonly sequence: number
  /** An OrdersUpdate (nat.clob.v1) in base64, with `orders` and `died`. */
  readonly orders: string
  /** Height of the block whose open orders the pages list, where there are several: some blocks below that of the first page at most. */
  readonly listHeight: number
  /** The next page of the orders that were open at `listHeight`; null behind the last. */
  readonly next: { readonly list: number; readonly at: number } | null
}

/** An order that no block holds yet, or did not when this was noted. */
export interface ClobWaitingOrder {
  readonly hash: Hex
  /** Number of nat.clob.v1.OrderStage. */
  readonly stage: number
  /** Bech32. */
  readonly owner: string
  /** That its actions name; 0 is all. */
  readonly markets: readonly number[]
  /** Milliseconds since 1970. */
  readonly seenMs: number
  /** Height of the block that took it; else of the newest one. */
  readonly height: number
  /** The wire form in base64; null where its stage alone is told. */
  readonly raw: string | null
}

/** What the pool of orders holds, page by page. */
export interface ClobPool {
  readonly height: number
  readonly timeMs: number
  /** In {@link ClobNews}, of what happened since the first page was asked for. */
  readonly place: number
  readonly orders: readonly ClobWaitingOrder[]
  /** The next page; null behind the last. */
  readonly next: { readonly arrival: number; readonly below: number; readonly place: number } | null
}

/** What has happened to orders since a place. */
export interface ClobNews {
  readonly height: number
  readonly timeMs: number
  /** The next place. */
  readonly next: number
  /** There is more to ask for at once. */
  readonly isMore: boolean
  readonly orders: readonly ClobWaitingOrder[]
}

/** A place in the feed: all blocks below `height` come before it, and so many transactions of that block. */
export interface FeedPlace {
  readonly height: number
  readonly transaction: number
}

export interface FeedLog {
  /** Index of the log in the block. */
  readonly index: number
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
}

/** What eth_getTransactionReceipt tells beside the block and the transaction; quantities are decimal digits. */
export interface FeedReceipt {
  /** Place in the Ethereum block, which other families have no part in. */
  readonly index: number
  readonly from: Hex
  readonly type: number
  readonly succeeded: boolean
  readonly cumulativeGasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: Hex | null
  readonly logs: readonly FeedLog[]
}

export interface FeedTransaction {
  /** Place among all transactions of the block, as CometBFT has it. */
  readonly index: number
  /** `ethereum`, `native`, `injected` or another of docs/adr/012. */
  readonly family: string
  /** keccak256 of an Ethereum transaction, SHA-256 of any other. */
  readonly hash: Hex
  /** Its wire form. */
  readonly raw: Hex
  /**
   * The members from here on are as CometBFT's `block_results` has them. `code` is 0 also for an Ethereum transaction
   * that failed.
   */
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly data: Hex
  /** Decimal digits. */
  readonly gasWanted: string
  readonly gasUsed: string
  readonly events: readonly Event[]
  /** The receipt of a transaction in the Ethereum block. */
  readonly receipt?: FeedReceipt
}

/** A committed block with all that came of it, as JSON. Readers leave members alone that they do not know. */
export interface FeedBlock {
  readonly height: number
  /** Hash of the Ethereum block; also the app hash. */
  readonly hash: Hex
  /** Nanoseconds since 1970, decimal digits. */
  readonly timeNs: string
  /** CometBFT's address of the proposer. */
  readonly proposer: Hex
  /** The header as `newHeads` shows it. */
  readonly header: { readonly parentHash: Hex; readonly [name: string]: unknown }
  /** The events of the beginning and the end of the block: CometBFT's `finalize_block_events`. */
  readonly events: readonly Event[]
  /** ed25519 keys with their new power in decimal digits; 0 removes. In force two heights later. */
  readonly validatorUpdates: readonly { readonly publicKey: Hex; readonly power: string }[]
  /** How many transactions the whole block has. */
  readonly transactionCount: number
  /** All of them, unless this is the last block of a {@link FeedPage} that goes on within it. */
  readonly transactions: readonly FeedTransaction[]
}

export interface FeedPage {
  /** The newest block when the page was made. */
  readonly head: number
  /** The next transactions of the block in which the page before it ended. */
  readonly rest: { readonly hash: Hex; readonly transactions: readonly FeedTransaction[] } | null
  /** One behind the other without a gap; none at the head. */
  readonly blocks: readonly FeedBlock[]
  /** Where the next page begins. */
  readonly next: FeedPlace
}

/** Every question with its parameters. The answer is the text of the JSON-RPC result. */
export interface Questions {
  block: { block: BlockReference; full: boolean }
  header: { block: BlockReference }
  blockTransactionCount: { block: BlockReference }
  blockReceipts: { block: BlockReference }
  transaction: { hash: Hex }
  transactionByIndex: { block: BlockReference; index: number }
  rawTransaction: { hash: Hex }
  rawTransactionByIndex: { block: BlockReference; index: number }
  receipt: { hash: Hex }
  balance: { address: Hex; block: BlockReference }
  transactionCount: { address: Hex; block: BlockReference }
  code: { address: Hex; block: BlockReference }
  /** `slot` has 32 bytes. */
  storage: { address: Hex; slot: Hex; block: BlockReference }
  /** `shown` is how the reply names the slot. */
  proof: { address: Hex; slots: readonly { readonly slot: Hex; readonly shown: Hex }[]; block: BlockReference }
  call: { call: CallRequest; block: BlockReference; stateOverrides?: StateOverrides; blockOverrides?: BlockOverrides }
  estimateGas: {
    call: CallRequest
    block: BlockReference
    /** Most that it may be, beside the node's own bound. */
    gasCap?: Hex
    stateOverrides?: StateOverrides
    blockOverrides?: BlockOverrides
  }
  /** eth_call with an {@link EvmCallAnswer}: what fails is an answer too, and what cannot be executed is refused. */
  evmCall: { call: CallRequest; block: BlockReference; stateOverrides?: StateOverrides }
  /** eth_simulateV1: blocks of calls on top of a block. */
  simulate: {
    block: BlockReference
    blocks: readonly SimulatedBlock[]
    traceTransfers: boolean
    /** Nonces, funds and the base fee count, as in a block. */
    validation: boolean
    fullTransactions: boolean
  }
  /** What the pool knows, the application adds. */
  createAccessList: { call: CallRequest; block: BlockReference; stateOverrides?: StateOverrides } & Partial<PoolHints>
  /** `inputDiffers`: `data` and `input` were both given, and are not the same. */
  fillTransaction: { call: CallRequest; block: BlockReference; inputDiffers: boolean } & Partial<PoolHints>
  traceTransaction: { hash: Hex; options: TraceOptions }
  traceBlock: { block: BlockReference; options: TraceOptions }
  /** The RLP of a block, of this chain or not, whose parent is here. */
  traceRawBlock: { raw: Hex; options: TraceOptions }
  /** `txIndex`: before that transaction of the block, not after the block. `refused` is said once there is a state. */
  traceCall: {
    call: CallRequest
    block: BlockReference
    options: TraceOptions
    stateOverrides?: StateOverrides
    blockOverrides?: BlockOverrides
    txIndex?: number
    refused?: string
  }
  /** Storage before a transaction of a block, by the hashes of slots from `start` (bytes) on. */
  storageRange: { block: BlockReference; txIndex: number; address: Hex; start: Hex; most: number }
  /** Accounts by the hashes of their addresses from `start` (bytes) on; up to 256, which 0 and less stand for, too. */
  accountRange: { block: BlockReference; start: Hex; most: number; withCode: boolean; withStorage: boolean }
  /** The accounts that changed between the states after two blocks, or by one block. */
  modifiedAccounts: { first: BlockReference; last?: BlockReference }
  intermediateRoots: { hash: Hex }
  /** RLP. */
  rawHeader: { block: BlockReference }
  rawBlock: { block: BlockReference }
  rawReceipts: { block: BlockReference }
  /** EIP-7910. */
  config: Record<string, never>
  gasPrice: Record<string, never>
  maxPriorityFeePerGas: Record<string, never>
  feeHistory: { count: number; newest: BlockReference; percentiles: readonly number[] }
  sendRawTransaction: { raw: Hex }
  /** A transaction of the order book: its wire form, or the message of its typed data (JSON) with the signature. */
  sendOrder: { raw: Hex } | { message: unknown; signature: unknown }
  /**
   * The levels of a market that can be met, of each side at most so many from the best on, as a {@link ClobDepth}. It is that of
   * the newest block, whose height it names. 0 is all levels, in pages, of which each may be of another block: `from` is `next` of the page before.
   */
  clobDepth: { market: number; levels: number; from?: NonNullable<ClobDepth['next']> }
  /**
   * A {@link ClobOrdersPage}: open orders of a market as of the newest block, which may be another one with each page. `from` is `next` of the page before;
   * `seqs`, at most 2,000, asks for these orders alone.
   */
  clobOrders: { market: number; from?: NonNullable<ClobOrdersPage['next']>; seqs?: readonly number[] }
  /** Those of an owner (bech32): an OwnOrdersUpdate, in the same form. */
  clobOwnOrders: { owner: string }
  /** A {@link ClobStamp} as of one of the last 64 blocks. */
  clobStamp: { market: number; height: number }
  /**
   * {@link ClobUpdates} of one of the last 64 blocks: once a block, for all streams of a gateway. Records come in pages, for a full
   * block has 18 MB of them: from the first on with 0, then as `next` says; none where `recordsFrom` is left out.
   */
  clobUpdates: { height: number; recordsFrom?: number }
  /** A {@link ClobPool}: orders with an action in a market (0 is any), or of an owner (bech32). `from` is `next` of the page before. */
  clobPool: { market: number; owner?: string; from?: NonNullable<ClobPool['next']> }
  /** {@link ClobNews}. The node keeps them while somebody asks at least every few blocks. */
  clobNews: { since: number }
  logs: LogCriteria
  /**
   * What matches from a place in the chain up to a height, as much of it as one answer may hold:
   * `{"next":LogCursor|null,"logs":[...]}`, where `next` is the place at which the next page begins.
   */
  logsPage: { criteria: Pick<LogCriteria, 'addresses' | 'topics'>; from: LogCursor; to: number }
  /** All three kinds of filters have a `client`: whose they are, as far as the gateway can tell. */
  newFilter: { criteria: LogCriteria; client: string }
  newBlockFilter: { client: string }
  /** `full` yields transactions instead of their hashes. */
  newPendingTransactionFilter: { full: boolean; client: string }
  filterChanges: { id: Hex }
  filterLogs: { id: Hex }
  uninstallFilter: { id: Hex }
  txpoolStatus: Record<string, never>
  txpoolContent: Record<string, never>
  txpoolContentFrom: { address: Hex }
  txpoolInspect: Record<string, never>
  /** Pending transactions in full, for `newPendingTransactions` with `true`. */
  pendingTransaction: { hash: Hex }
  /** Transactions as they look while they wait; their wire forms come beside the question, `senders` in their order. */
  waitingTransactions: { senders: readonly Hex[] }
  /** {@link Head}s of committed blocks, for a gateway that missed their announcements; at most 100, none catching up. */
  heads: { from: number; to: number }
  /**
   * A {@link FeedPage} from a place on, or from the oldest block that the feed has: until it has `maxBytes` characters or
   * more, of which 4 Mi are the most. Fails with query/8 for a block below the oldest one.
   */
  committedBlocks: { from?: FeedPlace; maxBytes: number }
  syncing: Record<string, never>
  peerCount: Record<string, never>
  /** A native gRPC query: `path` names the method, `data` is its request in base64; the answer a base64 JSON string. */
  native: {
    path: string
    data: string
    height: number
    /** What CometBFT said, by its routes: the application adds it where a worker makes the answer. */
    replies?: Readonly<Record<string, string>>
    /** A HistoricalOrder in base64, of a placement that no block holds yet: the application adds it where the question is about it. */
    waiting?: string
  }
}
export type QuestionName = keyof Questions

/** A process beside the node, as it was last heard of. */
export interface DaemonHealth {
  readonly name: string
  readonly healthy: boolean
  /** What is wrong, and since when (RFC 3339). */
  readonly error?: string
  readonly since?: string
  /** What it does without for now, such as one of several endpoints. */
  readonly warnings: readonly string[]
  /** Blocks of the external chain: what is finalized, and which block is read next. */
  readonly finalizedBlock?: number
  readonly nextBlock?: number
  readonly memoryBytes?: number
}

/** The head as the gateway keeps it; pushed after every commit, in order. */
export interface Head {
  readonly height: number
  readonly hash: Hex
  /** The header as `newHeads` and eth_getBlock* show it: JSON text of an object. */
  readonly header: string
  /** Logs in the block: a gateway asks for them only when there are any. */
  readonly logCount: number
  readonly evmChainId: number
  readonly chainId: string
  /** True while CometBFT fetches old blocks. */
  readonly catchingUp: boolean
  /** Left out where no daemon runs. */
  readonly daemons?: readonly DaemonHealth[]
}

export type Announcement =
  /** `isNew` of a block that was just committed; otherwise the head as it was, told to whoever begins to listen. */
  | { readonly type: 'head'; readonly head: Head; readonly isNew: boolean }
  /** Hashes of transactions that entered the pool, in order. */
  | { readonly type: 'pending'; readonly hashes: readonly Hex[] }

/** Who asks. It changes no answer, only whose turn it is, and whether one is made at all. */
export interface Asker {
  /** An address, or the network of one (rpc/limits.ts); empty for gateways themselves. */
  readonly client: string
  /** One of the client's; empty where it has none. */
  readonly connection: string
  /** Calls `listener` once when nobody waits for answers any more, at once where that is so. Returns how to stop. */
  onGone(listener: () => void): () => void
}

/** The application as gateways ask it. */
export interface QueryApplication {
  /**
   * Answers as of `head`, the height that the asking gateway shows as its newest.
   * Resolves to the JSON text of the result. Rejects with a CodedError; any other error is a fault of the node.
   */
  ask<Name extends QuestionName>(
    name: Name,
    parameters: Questions[Name],
    head: number,
    asker?: Asker,
  ): string | Promise<string>
  /** Does what {@link ask} does, for an answer that is handed on as it is: a long one comes as bytes. */
  askText<Name extends QuestionName>(
    name: Name,
    parameters: Questions[Name],
    head: number,
    asker?: Asker,
  ): Text | Promise<Text>
  /** Calls `listener` for the present head at once, then for every announcement. Returns how to stop. */
  subscribe(listener: (announcement: Announcement) => void): () => void
}
