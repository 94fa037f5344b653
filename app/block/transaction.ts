/** A transaction as a block sees it, whatever its family: it applies itself, and says what came of it. */
import { EMPTY_BYTES } from '../../core/bytes.ts'
import type { CodedError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import type { BlockEnvironment, ExecuteOptions, ExecutionResult } from '../../evm/engine.ts'
import type { NativePrecompiles } from '../../evm/native-precompiles.ts'
import type { SignedTransaction } from '../../evm/transaction/transaction.ts'
import type { Attestations } from '../../modules/attestations.ts'
import type { Overlay } from '../../store/overlay.ts'
import type { Chain } from './chain.ts'
import type { TransactionResult } from '../ports.ts'
import type { BlockContent } from '../records/content.ts'
import type { Receipt } from '../records/receipt.ts'

/** The result of a transaction that has nothing to tell. */
export const NO_RESULT: TransactionResult = {
  code: 0,
  codespace: '',
  log: '',
  data: EMPTY_BYTES,
  gasWanted: 0n,
  gasUsed: 0n,
  events: EMPTY_BYTES,
}

/** What the engine tells while it executes an Ethereum transaction. */
export type ExecutionHooks = Omit<ExecuteOptions, 'fees' | 'checks' | 'precompileMoves' | 'nativePrecompiles'>

/** The block around a transaction, as the ones before it left it. */
export interface TransactionScope {
  readonly chain: Chain
  readonly content: Omit<BlockContent, 'transactions'>
  readonly overlay: Overlay
  readonly environment: BlockEnvironment
  readonly nativePrecompiles: NativePrecompiles
  /** Gas of the block that is left for transactions of all families. */
  readonly gasLeft: bigint
  /** Weight that is left, in nanoseconds (evm/weight.ts). */
  readonly weightLeft: number
  /** Gas of the transactions in the Ethereum block so far, and how many logs they made. */
  readonly ethereumGasUsed: bigint
  readonly logCount: number
  /** What the vote extensions in this transaction attest, or why they may not stand here. */
  attested(raw: Uint8Array): Attestations | string
  /** What the batch of the block came to for the transaction at this place; undefined where it is in none. */
  batchResult(): TransactionResult | undefined
}

/** The part of an outcome that stands in the Ethereum block. */
export interface EthereumOutcome {
  readonly signed: SignedTransaction
  readonly result: ExecutionResult
  readonly receipt: Receipt
}

/** A transaction that was valid at its place; what it asked for may have failed. */
export interface AppliedTransaction {
  readonly kind: 'applied'
  /** Gas of the block that it used. */
  readonly gasUsed: bigint
  /** The weight in nanoseconds. */
  readonly weight: number
  /** The gas that its weight is compared with: before what came back, and of calls of contracts their own. */
  readonly workGas: bigint
  /** What the vote extensions of the last commit say, of the transaction that brings them. */
  readonly attestations?: Attestations
  /** Undefined for a family whose transactions are not in the Ethereum block. */
  readonly ethereum: EthereumOutcome | undefined
  /** What ABCI is told. `ethereumIndex` is the place in the Ethereum block, of those that stand there. */
  result(ethereumIndex: number): TransactionResult
  /** SHA-256 under which the result is stored and found; undefined where a receipt says all, or there is nothing to find. */
  storedHash(): Hash | undefined
}

/** A transaction that was not valid at its place: it changed nothing and is not in the Ethereum block. */
export interface InvalidTransaction {
  readonly kind: 'invalid'
  readonly error: CodedError
}

export type TransactionOutcome = AppliedTransaction | InvalidTransaction

export const invalid = (error: CodedError): InvalidTransaction => ({ kind: 'invalid', error })

/** A decoded transaction of any family. */
export interface BlockTransaction {
  /** The signed transaction of an Ethereum one. */
  readonly signed?: SignedTransaction
  /**
   * Applies it on top of the scope. One that is invalid leaves no trace; what a hook throws stops it and leaves none
   * either. Throws only for faults of the node or of the engine.
   */
  apply(scope: TransactionScope, hooks: ExecutionHooks): TransactionOutcome | Promise<TransactionOutcome>
}

/** Decodes a transaction, or finds it decoded. Throws a CodedError. */
export type Decode = (raw: Uint8Array) => BlockTransaction
