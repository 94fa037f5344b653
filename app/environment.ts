/** What the application needs of the world around it; bin supplies it, tests supply their own. */
import type { BridgeContract, BridgeEvent } from '../core/bridge-event.ts'
import type { SignatureTask } from '../core/signature.ts'
import type { Hex } from '../core/hex.ts'
import type { Text } from '../core/text.ts'
import type { DaemonHealth, EncodedParameters, QuestionName, Questions, SnapshotDescription } from './ports.ts'
import type { Witness } from './witness.ts'

export interface Clock {
  /** Milliseconds of a monotonic clock: for the proposer's time budget and ages in the pool, never in execution. */
  nowMs(): number
}

/** The clock on the wall. What it says decides what this node attests, and never what a block does. */
export interface WallClock {
  /** Whole milliseconds since 1970. */
  wallMs(): number
}

/** The pool's journal: appended before a transaction is answered, rewritten now and then. */
export interface PoolJournal {
  /** Transactions of the last run, oldest first. */
  load(): readonly Uint8Array[]
  append(transactions: readonly Uint8Array[]): void
  /** Replaces the whole journal at once. */
  rewrite(transactions: readonly Uint8Array[]): void
}

/** The wire form of an order, with the wall clock when it came first. */
export interface JournaledOrder {
  /** Milliseconds since 1970. */
  readonly seenMs: number
  readonly raw: Uint8Array
}

/** The journal of the pool of orders: times come back with the bodies, for they are attested and never renewed. */
export interface OrderJournal {
  /** Those of the last run, oldest first. */
  load(): readonly JournaledOrder[]
  append(orders: readonly JournaledOrder[]): void
  /** Replaces the whole journal at once. */
  rewrite(orders: readonly JournaledOrder[]): void
}

/** What this node said with its vote for a block. */
export interface VoteAnswer {
  readonly height: number
  /** CometBFT's hash of the block. */
  readonly hash: Uint8Array
  readonly extension: Uint8Array
}

/** The answers to ExtendVote of the newest height, on disk. */
export interface VoteAnswers {
  /** Those of the last run. */
  load(): readonly VoteAnswer[]
  /** Is synced when it returns. Those of lower heights may go. */
  keep(answer: VoteAnswer): void
}

/** Tells CometBFT of transactions, for gossip only. Bounded; drops what does not fit, for all is offered again. */
export interface Gossip {
  offer(transactions: readonly Uint8Array[]): void
  /**
   * How often something was lost: what waited while CometBFT was away, and orders that it did not take or that were too many.
   * Left out where nothing is lost.
   */
  readonly losses?: number
}

/** Runs questions that execute code or scan logs in worker threads that read at a fixed height. */
export interface HeavyQuestions {
  /**
   * `pending` holds the transactions that the `pending` block would run first. Questions with the same `key` have the same
   * answer: the first that is made is that of all who wait for it.
   */
  run<Name extends QuestionName>(
    name: Name,
    parameters: Questions[Name] | EncodedParameters,
    head: number,
    pending: readonly Uint8Array[],
    key?: string,
  ): Promise<Text>
}

/** Checks signatures beside the thread that executes blocks, where there is a processor for it. */
export interface SignatureThread {
  /** The answers of runSignatureTask, in order; rejects when the thread cannot be used. */
  check(tasks: readonly SignatureTask[]): Promise<readonly (Uint8Array | undefined)[]>
}

/** What the application knows of the consensus engine beside it. */
export interface ConsensusStatus {
  readonly catchingUp: boolean
  readonly peers: number
  /** Height that the network has reached, as far as known. */
  readonly highestHeight: number
}

/** Snapshots of committed heights, kept as files. */
export interface SnapshotShelf {
  /** Newest first. */
  list(): readonly SnapshotDescription[]
  /** Empty when there is none. */
  chunk(height: number, format: number, index: number): Uint8Array
  /** Told of every committed height before the next one is written: a snapshot begins here, and is made elsewhere. */
  committed(height: number): void
  /** The free bytes on the disk of the database; left out where nobody knows. */
  freeBytes?(): number
  /** Throws when the content is damaged or longer than `maxBytes`. */
  decompress(chunk: Uint8Array, maxBytes: number): Uint8Array
}

/** What the bridge's daemon has read of the external chain, in memory. Decides what this node attests, and never what a block does. */
export interface BridgeWatch {
  /** Told at the start and after every commit: the contract of the parameters, undefined for none, and the first id that is not acknowledged yet. */
  follow(contract: BridgeContract | undefined, nextId: number): void
  /** Events of that contract from id `from` on, by id and without a gap, at most `max`. Empty where the daemon watches another contract, or is behind. */
  events(contract: BridgeContract, from: number, max: number): readonly BridgeEvent[]
}

/** The keys with which this validator signs for the bridge: those of former sets among them. */
export interface BridgeKeys {
  /** The addresses of the keys, of 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  /** Signs by the key of an address, in 65 bytes that are always the same. */
  sign(address: Uint8Array, digest: Uint8Array): Uint8Array
}

export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
  /** The same log, its lines under the name of a part; left out where parts are not told apart. */
  of?(part: 'pool' | 'orders'): Log
}

/** The steps from a decided block to its answer, in order: a node that is killed at any of them loses nothing. */
export const BLOCK_STEPS = [
  'finalize-begun',
  'finalize-executed',
  'finalize-sealed',
  'commit-begun',
  'commit-assembled',
  'commit-written',
  'commit-noted',
  'commit-settled',
] as const
/** The steps of a restore from a snapshot, in order. */
export const RESTORE_STEPS = [
  'restore-accepted',
  'restore-chunk-written',
  'restore-complete',
  'restore-loaded',
] as const
export type BlockStep = (typeof BLOCK_STEPS)[number]
export type Step = BlockStep | (typeof RESTORE_STEPS)[number]

/** CometBFT's RPC. */
export interface Consensus {
  /**
   * The JSON result of a route such as `block?height=7`. Never used inside an ABCI call. `accepts` is shown the text of
   * the reply before it is read, and may refuse to have it read here: the promise rejects then.
   */
  consensusRpc(route: string, accepts?: (text: string) => boolean): Promise<unknown>
}

export interface Environment extends Consensus {
  readonly clock: Clock & WallClock
  /** Lets input and output happen between two transactions of a block. */
  yieldToEventLoop(): Promise<void>
  readonly journal: PoolJournal
  /** Left out where orders need not survive the process. */
  readonly orderJournal?: OrderJournal
  /** Left out where no daemon of the bridge runs. */
  readonly bridge?: BridgeWatch
  /** Left out where this node has no key of the bridge. */
  readonly bridgeKeys?: BridgeKeys
  /** The health of the processes that read elsewhere for this node; left out where there are none. */
  daemons?(): readonly DaemonHealth[]
  /** Left out where the node does not vote. */
  readonly voteAnswers?: VoteAnswers
  readonly gossip: Gossip
  readonly heavy: HeavyQuestions
  /** Left out where there is one processor: signatures are checked where they are needed then. */
  readonly signatures?: SignatureThread
  consensusStatus(): ConsensusStatus
  readonly log: Log
  /** Left out where nobody wants figures or traces. */
  readonly witness?: Witness
  /** Raises the counter that worker threads compare heights with, before a block is written. */
  announceHeight(height: number): void
  /** Tells how far a block or a restore has come: tests of crashes end the process at a step. */
  reached(step: Step): void
  /** Left out where snapshots are neither made nor restored. */
  readonly snapshots?: SnapshotShelf
  /** The lowest height of a snapshot that is kept: a node that restores it asks for the blocks after it. */
  oldestSnapshotHeight?(): number | undefined
  /** An unpredictable filter id: 16 random bytes. */
  randomId(): Hex
}
