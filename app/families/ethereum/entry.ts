/** An Ethereum transaction in the pool. */
import type { Address } from '../../../core/address.ts'
import type { Hash } from '../../../core/hash.ts'
import { exceedsBlockGasLimit } from '../../../evm/errors.ts'
import type { SignedTransaction } from '../../../evm/transaction/transaction.ts'
import {
  checkEnvelope,
  checkGas,
  checkWithState,
  feeCap,
  tipCap,
  transactionCost,
  type TransactionLimits,
} from '../../../evm/transaction/validity.ts'
import type { EntryContext, PoolEntry } from '../../pool/entry.ts'
import type { Pool } from '../../pool/pool.ts'
import { EthereumTransaction } from './transaction.ts'

/** What an item of an access or authorization list takes in memory once it is decoded, measured. */
const ACCESS_ENTRY_BYTES = 250
const STORAGE_KEY_BYTES = 100
const AUTHORIZATION_BYTES = 350
/** Typed transactions are byte strings in the Ethereum block: up to this many bytes before each. */
const RLP_PREFIX_BYTES = 4

/** A list of short items takes several times its length on the wire. */
const memoryBytesOf = ({ raw, transaction }: SignedTransaction): number => {
  let bytes = raw.length
  if (transaction.type === 0) return bytes
  for (const { storageKeys } of transaction.accessList) {
    bytes += ACCESS_ENTRY_BYTES + STORAGE_KEY_BYTES * storageKeys.length
  }
  return transaction.type === 4 ? bytes + AUTHORIZATION_BYTES * transaction.authorizationList.length : bytes
}

export interface EthereumEntryFields {
  readonly signed: SignedTransaction
  readonly authorities: readonly Address[]
  readonly arrival: number
  readonly addedAtMs: number
}

export class EthereumEntry implements PoolEntry {
  readonly transaction: EthereumTransaction
  readonly raw: Uint8Array
  readonly hash: Hash
  readonly sender: Address
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly arrival: number
  readonly addedAtMs: number
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** Gas limit times fee cap, plus value. */
  readonly costAnat: bigint
  readonly memoryBytes: number
  readonly rlpBytes: number
  /** The most weight is known only once it has run. */
  readonly mostWeight = undefined
  readonly isAnnounced = true
  readonly authorities: readonly Address[]
  readonly terms = undefined

  constructor({ signed, authorities, arrival, addedAtMs }: EthereumEntryFields) {
    const { raw, hash, sender, transaction } = signed
    this.transaction = new EthereumTransaction(signed)
    this.raw = raw
    this.hash = hash
    this.sender = sender
    this.nonce = transaction.nonce
    this.gasLimit = transaction.gasLimit
    this.arrival = arrival
    this.addedAtMs = addedAtMs
    this.maxFeePerGas = feeCap(transaction)
    this.maxPriorityFeePerGas = tipCap(transaction)
    this.costAnat = transactionCost(transaction)
    this.memoryBytes = memoryBytesOf(signed)
    this.rlpBytes = raw.length + RLP_PREFIX_BYTES
    this.authorities = authorities
  }

  get signed(): SignedTransaction {
    return this.transaction.signed
  }

  checkLimits(limits: TransactionLimits): void {
    if (this.gasLimit > limits.blockGasLimit) throw exceedsBlockGasLimit()
    checkEnvelope(this.signed.transaction, limits)
    checkGas(this.signed.transaction, limits)
  }

  checkState({ state }: EntryContext): void {
    checkWithState(state, this.sender, this.signed.transaction)
  }
}

export const isEthereum = (entry: PoolEntry): entry is EthereumEntry => entry instanceof EthereumEntry

/** The pool's transaction with this keccak256; undefined where there is none of Ethereum. */
export const ethereumIn = (pool: Pool, hash: Hash): EthereumEntry | undefined => {
  const entry = pool.get(hash)
  return entry !== undefined && isEthereum(entry) ? entry : undefined
}
