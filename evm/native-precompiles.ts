/** The port to the chain's own precompiled contracts: unlike Ethereum's they see who calls, and write the state. */
import type { Address } from '../core/address.ts'
import type { StateWriter } from '../store/state.ts'
import type { ExecutionFailure, Log } from './engine.ts'

/** A call that a precompile makes while it runs. It moves no value. */
export interface NativeSubcall {
  /** Whom the called contract sees: the precompile answers for it. */
  readonly from: Address
  readonly to: Address
  readonly input: Uint8Array
  /** Most that it may use; the precompile has taken it from its own. */
  readonly gas: bigint
  readonly isStatic: boolean
}

export interface NativeSubcallResult {
  readonly gasUsed: bigint
  /** Returned or reverted with; not to be changed. */
  readonly output: Uint8Array
  readonly failure: ExecutionFailure | undefined
}

/** A frame that runs one of them, inside its own checkpoint: what it writes goes with the frame that fails. */
export interface NativeCall {
  /** One of {@link NativePrecompiles.addresses}, also where an override of a call has moved it. */
  readonly precompile: Address
  /** The account whose code calls, or the sender of the transaction. */
  readonly caller: Address
  /** The value in anat, which has moved to the precompile already. */
  readonly value: bigint
  /** A view of the caller's memory: not to be kept. */
  readonly input: Uint8Array
  readonly gas: bigint
  /** It, or a frame around it, must not write. */
  readonly isStatic: boolean
  /** Reached by DELEGATECALL or CALLCODE: its code would act as the caller, and must fail. */
  readonly isDelegated: boolean
  /** 1 for the outermost frame. */
  readonly depth: number
  readonly state: StateWriter
  /**
   * Runs a contract in a frame below this one, whose writes and logs go with it. Absent within such a call, so that precompiles
   * and contracts that call each other never stack up, and in the reference. What it throws is not to be caught: the execution ends.
   */
  readonly call?: (subcall: NativeSubcall) => NativeSubcallResult
}

/** What a call tells the chain beside logs. Has the shape of the events in modules/module.ts, which are not seen here. */
export interface NativeEvent {
  readonly type: string
  readonly attributes: readonly { readonly key: string; readonly value: string; readonly index: boolean }[]
}

export interface NativeResult {
  /** At most the gas that was given. All of it where the call fails otherwise than by a revert. */
  readonly gasUsed: bigint
  /** Returned, or reverted with. */
  readonly output: Uint8Array
  /** Kept only if this frame and all around it are. */
  readonly logs: readonly Log[]
  readonly events: readonly NativeEvent[]
  readonly failure: ExecutionFailure | undefined
}

export interface NativePrecompiles {
  /**
   * The same list in every execution: engines keep tables by it. All but the last two bytes are zero, and no precompile
   * of Ethereum has the rest. Warm from the start (EIP-2929), as Ethereum's are.
   */
  readonly addresses: readonly Address[]
  /**
   * What a frame reverts with whose SELFDESTRUCT would leave coins to an address that takes none, for nobody could ever
   * have them again; undefined where they may go there. That instruction runs no code of its heir, which could refuse.
   */
  heirRefusal(heir: Address): Uint8Array | undefined
  /** Synchronous. What it throws stops the execution, comes out of `execute`, and leaves the state as it was. */
  run(call: NativeCall): NativeResult
}
