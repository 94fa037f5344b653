/** A transaction in the pool, whatever its family. */
import type { Address } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import { EMPTY_CODE_HASH, type Hash } from '../../core/hash.ts'
import type { TransactionLimits } from '../../evm/transaction/validity.ts'
import type { AccountState, StateReader } from '../../store/state.ts'
import type { ProposableTransaction } from '../block/choose.ts'
import type { Pool } from './pool.ts'

/** What makes a transaction invalid for good, beside its sender's nonce and balance. */
export interface EntryTerms {
  /** Who signs it, and with which sequence each. The first is the sender. */
  readonly sequences: readonly (readonly [Address, bigint])[]
  /** No block above this height may hold it; 0 for none. */
  readonly timeoutHeight: bigint
}

/** The committed head that an entry is judged by. */
export interface EntryContext {
  readonly state: StateReader
  readonly pool: Pool
  /** CometBFT's chain id. */
  readonly nativeChainId: string
  readonly limits: TransactionLimits
}

export interface PoolEntry extends ProposableTransaction {
  readonly raw: Uint8Array
  /** The hash by which its family knows it. */
  readonly hash: Hash
  /** The account that pays, and whose nonce is used. */
  readonly sender: Address
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** Counts up with every transaction that comes: decides between equal tips. */
  readonly arrival: number
  readonly addedAtMs: number
  /** The fee in anat for a unit of gas. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** Most that it is known to cost its sender, in anat. */
  readonly costAnat: bigint
  /** What it takes in memory, in bytes. */
  readonly memoryBytes: number
  /** Whether eth_subscribe and filters tell of it. */
  readonly isAnnounced: boolean
  /** Whom its authorizations would let run code, as far as their signatures and nonces can still be good (EIP-7702). */
  readonly authorities: readonly Address[]
  /** Undefined where nonce and balance say all. */
  readonly terms: EntryTerms | undefined
  /** Throws a CodedError where no block with these limits, and so much weight in nanoseconds, may hold it. */
  checkLimits(limits: TransactionLimits, maxBlockWeight: number): void
  /** Throws a CodedError where the state stands against it. */
  checkState(context: EntryContext): void
}

/** What a block with this base fee pays the proposer for a gas of the transaction; negative when it cannot enter. */
export const effectiveTip = (entry: PoolEntry, baseFeePerGas: bigint): bigint => {
  const room = entry.maxFeePerGas - baseFeePerGas
  return room < entry.maxPriorityFeePerGas ? room : entry.maxPriorityFeePerGas
}

/** What of an account in committed state decides which of its transactions can execute. */
export interface PoolAccount {
  readonly nonce: bigint
  /** The balance in anat. */
  readonly balance: bigint
  /** Its code is a delegation (EIP-7702): whoever calls it can take its balance. */
  readonly isDelegated: boolean
}

/** Makes it of an account of the state; undefined is one that there is not. */
export const poolAccountOf = (account: AccountState | undefined): PoolAccount => ({
  nonce: account?.nonce ?? 0n,
  balance: account?.balance ?? 0n,
  isDelegated: account !== undefined && !equalBytes(account.codeHash, EMPTY_CODE_HASH),
})
