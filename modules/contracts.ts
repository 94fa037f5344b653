/** The port to contracts of the EVM, for messages of modules that call one. The engine stands behind it. */
import type { Address } from '../core/address.ts'

/** A call without value. */
export interface ContractCall {
  /** Whom the contract sees. */
  readonly from: Address
  readonly to: Address
  /** Whom the contract sees as the origin of it all, in a native transaction: whose message it is, never the caller of a module. */
  readonly origin: Address
  readonly input: Uint8Array
  /** Most that it may use, in gas of the EVM. What the message has left bounds it, too. */
  readonly gas: bigint
  /** It may write nothing. */
  readonly isStatic: boolean
}

export interface ContractAnswer {
  readonly isSuccess: boolean
  /** Returned or reverted with; not to be changed. */
  readonly output: Uint8Array
  /** The message had less gas left than the call may use. A failure then says nothing of the contract. */
  readonly isGasShort: boolean
}

export interface ContractCalls {
  /**
   * The precompile that the message comes through: it calls in its own name, so that contracts move for it what its caller allowed.
   * Undefined in a native transaction, where the signer himself calls.
   */
  readonly spender: Address | undefined
  /**
   * Its writes, logs and events are those of the message. The message pays for it (docs/adr/048). Throws sdk/11, and precompile/1
   * within a call of another message.
   */
  call(call: ContractCall): ContractAnswer
}
