/** Every question that a gateway asks, by its name. */
import type { Hex } from '../../core/hex.ts'
import type {
  BlockReference,
  CallRequest,
  PoolHints,
  StateOverrides,
  BlockOverrides,
  SimulatedBlock,
  TraceOptions,
  LogCriteria,
  LogCursor,
} from './calls.ts'
import type { ClobDepth, ClobOrdersPage, ClobPool } from './clob.ts'
import type { FeedPlace } from './feed.ts'

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
