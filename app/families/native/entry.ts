/** A native transaction in the pool. */
import type { Address } from '../../../core/address.ts'
import type { Hash } from '../../../core/hash.ts'
import { exceedsBlockGasLimit } from '../../../evm/errors.ts'
import type { TransactionLimits } from '../../../evm/transaction/validity.ts'
import type { EntryContext, EntryTerms, PoolEntry } from '../../pool/entry.ts'
import { checkFeeFunds, checkNativeWeight, checkPoolSigners } from './pool-checks.ts'
import type { PreparedTransaction } from './prepare.ts'
import { NativeTransactionInBlock } from './transaction.ts'
import { mostNativeWeight } from './weight.ts'

/** What it takes in memory with its decoded messages, for each byte on the wire: 8 to 10, measured. */
const MEMORY_FACTOR = 10

export interface NativeEntryFields {
  readonly prepared: PreparedTransaction
  readonly nonce: bigint
  /** The price in anat for a unit of gas. */
  readonly gasPrice: bigint
  readonly feeAnat: bigint
  readonly arrival: number
  readonly addedAtMs: number
}

const termsOf = ({ signers, transaction }: PreparedTransaction): EntryTerms => ({
  sequences: signers.map((address, index) => [address, transaction.signerInfos[index]?.sequence ?? 0n] as const),
  timeoutHeight: transaction.timeoutHeight,
})

export class NativeEntry implements PoolEntry {
  readonly transaction: NativeTransactionInBlock
  readonly raw: Uint8Array
  readonly hash: Hash
  /** The first signer. */
  readonly sender: Address
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly arrival: number
  readonly addedAtMs: number
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** The fee: what its messages move is known when they run. */
  readonly costAnat: bigint
  readonly memoryBytes: number
  readonly rlpBytes = 0
  readonly mostWeight: number
  readonly isAnnounced = false
  readonly authorities: readonly Address[] = []
  readonly terms: EntryTerms

  constructor({ prepared, nonce, gasPrice, feeAnat, arrival, addedAtMs }: NativeEntryFields) {
    const { raw, hash, fee } = prepared.transaction
    this.transaction = new NativeTransactionInBlock(prepared)
    this.raw = raw
    this.hash = hash
    this.sender = prepared.payer
    this.nonce = nonce
    this.gasLimit = fee.gasLimit
    this.arrival = arrival
    this.addedAtMs = addedAtMs
    this.maxFeePerGas = gasPrice
    this.maxPriorityFeePerGas = gasPrice
    this.costAnat = feeAnat
    this.memoryBytes = MEMORY_FACTOR * raw.length
    this.mostWeight = mostNativeWeight(prepared)
    this.terms = termsOf(prepared)
  }

  checkLimits(limits: TransactionLimits, maxBlockWeight: number): void {
    if (this.gasLimit > limits.blockGasLimit) throw exceedsBlockGasLimit()
    checkNativeWeight(this.transaction.prepared, maxBlockWeight)
  }

  checkState(context: EntryContext): void {
    const { state, pool } = context
    checkPoolSigners(this.transaction.prepared, state, pool, context)
    checkFeeFunds(state, this.sender, this.costAnat)
  }
}
