/** What questions about executions and logs carry: calls, overrides, tracers, criteria. */
import type { Hex } from '../../core/hex.ts'

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
  | {
      readonly name: 'erc7562Tracer'
      readonly withLog: boolean
      /** Numbers of instructions that are not counted; geth's own choice when left out. */
      readonly ignoredOpcodes: readonly number[] | undefined
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
