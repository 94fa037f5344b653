/** The port to the Ethereum virtual machine. */
import type { Address } from '../core/address.ts'
import type { CodedError } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import type { StateWriter } from '../store/state.ts'
import type { NativeEvent, NativePrecompiles } from './native-precompiles.ts'
import type { AccessListEntry, Authorization } from './transaction/transaction.ts'

/** Forks that the chain can be at; chosen by timestamp in genesis. */
export const HARDFORKS = ['cancun', 'prague', 'osaka'] as const
export type Hardfork = (typeof HARDFORKS)[number]

/** The members of a block that its code can see. */
export interface BlockEnvironment {
  readonly number: number
  /** Seconds. */
  readonly timestamp: number
  readonly coinbase: Address
  readonly gasLimit: bigint
  readonly baseFeePerGas: bigint
  readonly blobBaseFee: bigint
  readonly prevRandao: Hash
  readonly chainId: bigint
  readonly hardfork: Hardfork
  /** Hash of one of the last 256 blocks; the engine asks only for those. */
  blockHash(number: number): Hash | undefined
}

/** A transaction or a call, independent of its wire form. */
export interface Message {
  readonly type: number
  readonly sender: Address
  readonly to: Address | undefined
  readonly nonce: bigint
  readonly gasLimit: bigint
  readonly value: bigint
  readonly data: Uint8Array
  /** gasPrice of types 0 and 1. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly accessList: readonly AccessListEntry[]
  readonly authorizationList: readonly Authorization[]
  /** The hashes of the blobs of type 3: only state tests and calls have them. */
  readonly blobVersionedHashes: readonly Hash[]
  readonly maxFeePerBlobGas: bigint | undefined
}

export interface Log {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Uint8Array
}

/** Why a frame failed, in geth's words: `execution reverted`, `out of gas`, `invalid opcode: INVALID`, ... */
export interface ExecutionFailure {
  readonly kind: 'revert' | 'other'
  readonly message: string
}

export interface ExecutionResult {
  readonly gasUsed: bigint
  /** Gas used before refunds: what a gas estimate must at least allow for. */
  readonly gasBeforeRefund: bigint
  readonly returnData: Uint8Array
  readonly logs: readonly Log[]
  /** The events of calls to native precompiles; frames that failed have none. */
  readonly nativeEvents: readonly NativeEvent[]
  /** Undefined on success. */
  readonly failure: ExecutionFailure | undefined
  readonly createdAddress: Address | undefined
  /** Wei a gas, after EIP-1559. */
  readonly effectiveGasPrice: bigint
  /** Balance of accounts that destroyed themselves in the transaction that created them: it leaves the supply. */
  readonly burntAnat: bigint
  /** What it made this node do, in the unit of evm/weight.ts; no result depends on it. */
  readonly weight: number
}

/** One step of the interpreter before its instruction runs, for tracers (EIP-3155). */
export interface Step {
  readonly pc: number
  readonly opcode: number
  readonly opcodeName: string
  readonly gasLeft: bigint
  /** Cost of the instruction, dynamic part included. */
  readonly gasCost: bigint
  /** 1 for the outermost frame. */
  readonly depth: number
  readonly stack: readonly bigint[]
  readonly memoryBytes: number
  /** A copy of the memory; empty where `memoryOf` leaves it out. */
  readonly memory: Uint8Array
  readonly refund: bigint
  /** Whose code runs, and on whose storage. */
  readonly address: Address
  /** What the last frame gave back that this one entered; the reference does not tell it. */
  readonly returnData: Uint8Array
  /** What the slot holds that SLOAD or SSTORE names, without leading zeros. */
  readonly slotValue: Uint8Array | undefined
  /** Why the instruction failed before it could run, for gas or for the stack, in geth's words; not told by the reference. */
  readonly failure: string | undefined
}

/** What an instruction names in its operands: a slot of the account on whose storage the code runs, or an account. */
export type StateAccess =
  | { readonly kind: 'slot'; readonly address: Address; readonly slot: bigint }
  | { readonly kind: 'account'; readonly address: Address }

export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2'

/** A call or creation that begins, as geth's call tracer shows it. */
export interface FrameEntry {
  readonly kind: FrameKind
  /** 1 for the outermost frame. */
  readonly depth: number
  /** The account that calls: of a DELEGATECALL the one whose storage is used. */
  readonly from: Address
  /** The account whose code runs, or the new contract. */
  readonly to: Address
  readonly gas: bigint
  readonly value: bigint
  /** Call data or init code. */
  readonly input: Uint8Array
}

export interface FrameExit {
  readonly depth: number
  readonly gasUsed: bigint
  /** Data returned or reverted with, or the code of a new contract. */
  readonly returnData: Uint8Array
  readonly failure: ExecutionFailure | undefined
}

/** A precompiled contract that answers at another address; without `to` at none. */
export interface PrecompileMove {
  readonly from: Address
  readonly to: Address | undefined
}

/** Asked every few hundred microseconds while code runs, and after every frame. */
export interface ExecutionPace {
  /** The thread was kept long enough. */
  readonly isYieldDue: boolean
  yield(): Promise<void>
}

export interface ExecuteOptions {
  /**
   * `collect`: base fee and tip go to the coinbase (this chain). `burn`: the base fee is destroyed (Ethereum, state
   * tests). `none`: nothing is charged at a zero gas price (calls); at any other price it is `collect`.
   */
  readonly fees: 'collect' | 'burn' | 'none'
  /**
   * Calls are not checked for nonce, a sender with code (EIP-3607) or EIP-7825; for funds they are, as in geth. `nonce`:
   * as calls, but for the nonce (simulations that validate).
   */
  readonly checks: 'transaction' | 'nonce' | 'call'
  /** The moves that the state overrides of a call ask for; they are applied in order. */
  readonly precompileMoves?: readonly PrecompileMove[]
  /** The chain's own precompiles; without them their addresses are ordinary ones. */
  readonly nativePrecompiles?: NativePrecompiles
  /** Most that it may weigh (evm/weight.ts): above it it is refused with `overWeight`, and nothing was changed. */
  readonly weightLimit?: number
  /**
   * Called every few hundred microseconds while code runs, and before every frame: what it throws ends the execution,
   * and nothing was changed then. Blocks are executed without it. The reference does not call it.
   */
  readonly interrupt?: () => void
  /**
   * Where a long execution gives way to what else its thread has to do: its outcome is a promise then, and what is told is
   * told as if it had not. Other executions over other states may run meanwhile. What is traced, and the reference, do not
   * give way.
   */
  readonly pace?: ExecutionPace
  readonly onStep?: (step: Step) => void
  /** Opcodes whose steps are told, and those whose steps carry the memory; all when left out. */
  readonly stepsOf?: (opcode: number) => boolean
  readonly memoryOf?: (opcode: number) => boolean
  /** Called for every instruction that names a slot or an account, one that then fails too; far cheaper than steps. */
  readonly onAccess?: (access: StateAccess) => void
  /** Every frame that begins and ends, properly nested; refused ones (depth, balance) too. */
  readonly onEnter?: (entry: FrameEntry) => void
  readonly onExit?: (exit: FrameExit) => void
  /** Every log when it is made, between the frames above; those of frames that fail later, too. */
  readonly onLog?: (log: Log) => void
  /** Every SELFDESTRUCT with the balance that it gives away, also to itself. */
  readonly onSelfDestruct?: (from: Address, to: Address, value: bigint) => void
}

export type ExecutionOutcome =
  | { readonly valid: true; readonly result: ExecutionResult }
  /** The transaction cannot stand at this place of the block; nothing was changed. */
  | { readonly valid: false; readonly error: CodedError }

/** A call of a contract by a native message, which moves no value and is paid for there. */
export interface ContractCall {
  /** Whom the contract sees as caller. Its nonce stays. */
  readonly from: Address
  /** Whom it sees as origin. */
  readonly origin: Address
  readonly to: Address
  readonly input: Uint8Array
  /** The gas limit, below 2^53. */
  readonly gas: bigint
  readonly isStatic: boolean
  /**
   * The limit has the meaning that it has in {@link ExecuteOptions}: above it `overWeight` is thrown, and nothing was
   * changed.
   */
  readonly weightLimit: number
  readonly nativePrecompiles: NativePrecompiles
  /** Called as {@link ExecuteOptions} says. */
  readonly interrupt?: () => void
}

export interface ContractCallResult {
  /** The gas before refunds: there are none. */
  readonly gasUsed: bigint
  /** Returned or reverted with. */
  readonly output: Uint8Array
  readonly failure: ExecutionFailure | undefined
  readonly logs: readonly Log[]
  readonly nativeEvents: readonly NativeEvent[]
  readonly burntAnat: bigint
  /** The weight in the unit of evm/weight.ts, with what the gas stands for. */
  readonly weight: number
}

/**
 * Runs transactions over a state. One execution at a time per state: the second throws an invariant.
 * The result is a value or a promise of one: an engine that computes synchronously need not wait.
 */
export interface Engine {
  execute(
    state: StateWriter,
    block: BlockEnvironment,
    message: Message,
    options: ExecuteOptions,
  ): ExecutionOutcome | Promise<ExecutionOutcome>
  /** A call by the system (EIP-2935, EIP-4788): no fees, no nonce, 30,000,000 gas; nothing happens without code. */
  systemCall(state: StateWriter, block: BlockEnvironment, to: Address, data: Uint8Array): void | Promise<void>
  /** A call by a native message: without fee, intrinsic gas and nonce. Always at once, for messages run at once. */
  callContract(state: StateWriter, block: BlockEnvironment, call: ContractCall): ContractCallResult
}
