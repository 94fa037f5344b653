/** Ethereum transactions of types 0 (legacy), 1 (EIP-2930), 2 (EIP-1559) and 4 (EIP-7702), decoded. */
import type { Address } from '../../core/address.ts'
import type { Hash } from '../../core/hash.ts'

export interface AccessListEntry {
  readonly address: Address
  /** 32 bytes each. */
  readonly storageKeys: readonly Uint8Array[]
}

/** One tuple of EIP-7702. Invalid ones are legal in a transaction: they are skipped when it runs. */
export interface Authorization {
  readonly chainId: bigint
  readonly address: Address
  readonly nonce: bigint
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

interface Common {
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** Undefined creates a contract. */
  readonly to: Address | undefined
  readonly value: bigint
  readonly data: Uint8Array
  /** v of a legacy transaction, yParity of the others. */
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
}

export interface LegacyTransaction extends Common {
  readonly type: 0
  readonly gasPrice: bigint
  /** Undefined when unprotected (before EIP-155). */
  readonly chainId: bigint | undefined
}
export interface AccessListTransaction extends Common {
  readonly type: 1
  readonly chainId: bigint
  readonly gasPrice: bigint
  readonly accessList: readonly AccessListEntry[]
}
export interface DynamicFeeTransaction extends Common {
  readonly type: 2
  readonly chainId: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly accessList: readonly AccessListEntry[]
}
export interface SetCodeTransaction extends Common {
  readonly type: 4
  readonly chainId: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly accessList: readonly AccessListEntry[]
  readonly authorizationList: readonly Authorization[]
}

export type Transaction = LegacyTransaction | AccessListTransaction | DynamicFeeTransaction | SetCodeTransaction

/** A decoded transaction with what is computed from it once. */
export interface SignedTransaction {
  readonly transaction: Transaction
  /** The wire form (EIP-2718). */
  readonly raw: Uint8Array
  /** keccak256 of the wire form. */
  readonly hash: Hash
  readonly sender: Address
}
