/** Consensus: ABCI 2.0 without its wire types. */
import type { Hash } from '../../core/hash.ts'
import type { ConsensusParameters } from '../../modules/consensus/index.ts'
import type { CommitVote, Event, Misbehavior, ValidatorUpdate } from '../../modules/module.ts'
import { CodedError } from '../../core/errors.ts'
import { APP_CODES } from '../errors.ts'
import type { BlockContent } from '../records/content.ts'

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

export interface ProposedBlock extends BlockContent {
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
