/** The chain's own precompiles under the library, whose precompiles know nothing of the frame that they run in. */
import { type EVM, EVMError, type ExecResult, type Message, type PrecompileFunc } from '@ethereumjs/evm'
import { bigintToBytes, EMPTY_BYTES, equalBytes, padLeft } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { bytesToUnprefixedHex } from '../../core/hex.ts'
import type { StateReader } from '../../store/state.ts'
import { delegationOf } from '../delegation.ts'
import type { ExecutionFailure } from '../engine.ts'
import type { NativePrecompiles } from '../native-precompiles.ts'
import { OPCODE } from '../opcodes.ts'
import type { EthereumjsState } from './state-adapter.ts'

/** Carries the failure through the library, which looks at `error` alone. */
export class NativeFailure extends EVMError {
  readonly failure: ExecutionFailure

  constructor(failure: ExecutionFailure) {
    super(failure.kind === 'revert' ? EVMError.errorMessages.REVERT : EVMError.errorMessages.OUT_OF_GAS)
    this.failure = failure
  }
}

type OpcodeHandler = EVM['_opcodeMap'][number]['opHandler']
type RunState = Parameters<OpcodeHandler>[0]

const { SELFDESTRUCT } = OPCODE

/** Tells the precompile which frame runs it: the library loads the code of a call right before it runs it. */
export class NativeFrames {
  readonly #state: EthereumjsState
  readonly #precompiles = new Map<string, PrecompileFunc>()
  #native: NativePrecompiles | undefined
  #frame: Message | undefined

  constructor(evm: EVM, state: EthereumjsState) {
    this.#state = state
    const load = evm['_loadCode'].bind(evm)
    evm['_loadCode'] = async (message: Message): Promise<void> => {
      await load(message)
      this.#frame = message
      if (this.#native !== undefined && message.isCompiled !== true) this.#emptyDelegates(evm, message)
    }
    const entry = evm['_opcodeMap'][SELFDESTRUCT]
    invariant(entry !== undefined, 'the library knows no SELFDESTRUCT')
    const { opHandler } = entry
    entry.opHandler = (run, common) => {
      this.#refuseHeir(run)
      return opHandler(run, common)
    }
  }

  /** Prepares the next execution, and returns what answers at which address, without 0x. */
  begin(native: NativePrecompiles | undefined): ReadonlyMap<string, PrecompileFunc> {
    this.#native = native
    this.#frame = undefined
    this.#precompiles.clear()
    for (const address of native?.addresses ?? []) {
      this.#precompiles.set(bytesToUnprefixedHex(address), ({ gasLimit }) => this.#run(address, gasLimit))
    }
    return this.#precompiles
  }

  /** Throws the library's revert. */
  #refuseHeir({ stack, interpreter }: RunState): void {
    if (this.#native === undefined) return
    const heir = padLeft(bigintToBytes(BigInt.asUintN(160, stack.peek(1)[0] ?? 0n)), 20)
    const refusal = this.#native.heirRefusal(heir)
    const balance = this.#state.writer.account(interpreter.getAddress().bytes)?.balance ?? 0n
    if (refusal !== undefined && balance > 0n) interpreter.revert(refusal)
  }

  #run(precompile: Uint8Array, gas: bigint): ExecResult {
    const message = this.#frame
    const state = this.#state.writer
    invariant(message !== undefined && this.#native !== undefined, 'a native precompile runs without a frame')
    const { to, codeAddress } = message
    const isCallCode = to !== undefined && !equalBytes(to.bytes, codeAddress.bytes)
    const isDelegated = message.delegatecall || isCallCode
    const { gasUsed, output, logs, events, failure } = this.#native.run({
      precompile,
      // For a DELEGATECALL the library names the caller of the frame that makes it.
      caller: isDelegated && to !== undefined ? to.bytes : message.caller.bytes,
      value: message.value,
      input: message.data,
      gas,
      isStatic: message.isStatic,
      isDelegated,
      depth: message.depth + 1,
      state,
    })
    if (failure === undefined) {
      this.#state.nativeEvents.push(...events)
      return {
        executionGasUsed: gasUsed,
        returnValue: output,
        logs: logs.map(({ address, topics, data }) => [address, [...topics], data]),
      }
    }
    const isRevert = failure.kind === 'revert'
    return {
      executionGasUsed: isRevert ? gasUsed : gas,
      returnValue: isRevert ? output : EMPTY_BYTES,
      exceptionError: new NativeFailure(failure),
    }
  }

  /** EIP-7702: an account that delegates to a precompile runs no code, whatever stands at that address. */
  #emptyDelegates(evm: EVM, message: Message): void {
    const state: StateReader = this.#state.writer
    const account = state.account(message.codeAddress.bytes)
    const delegate = account === undefined ? undefined : delegationOf(state.code(account.codeHash))
    if (delegate === undefined || !this.#precompiles.has(bytesToUnprefixedHex(delegate))) return
    if (evm.common.isActivatedEIP(7702)) message.code = EMPTY_BYTES
  }
}
