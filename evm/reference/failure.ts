/** Why a frame failed, in geth's words: from the library's coarser error and the instruction that it stopped at. */
import { EVMError, type ExecResult } from '@ethereumjs/evm'
import { bigintToBytes, isZeroBytes, padLeft } from '../../core/bytes.ts'
import { MAX_INIT_CODE_BYTES } from '../../core/limits.ts'
import type { ExecutionFailure, Message } from '../engine.ts'
import { MAX_MEMORY_BYTES, memoryNeed } from '../memory-need.ts'
import { maxStack, minStack, OPCODE, opcodeName } from '../opcodes.ts'
import { numberOfPrecompile } from '../precompile-addresses.ts'
import type { PrecompileTable } from '../precompiles/table.ts'
import { NativeFailure } from './native-precompiles.ts'

const { errorMessages } = EVMError
type RunState = NonNullable<ExecResult['runState']>

/** The gas of the last step of a frame, before it was charged: the library keeps what is left after. */
export interface StepGas {
  readonly gasLeft: bigint
  readonly gasCost: bigint
}

const OUT_OF_GAS = 'out of gas'
const SENTRY_FAILURE = `${OUT_OF_GAS}: not enough gas for reentrancy sentry`
const GAS_OVERFLOW = 'gas uint64 overflow'
/** EIP-2200. */
const SSTORE_SENTRY_GAS = 2_300n
const CREATE_GAS = 32_000n
/** Warm access is the constant part of a call's cost; the rest of a cold access comes first in the dynamic part. */
const WARM_ACCESS_GAS = 100n
const COLD_SURCHARGE_GAS = 2_500n

const CALL_OPCODES: ReadonlySet<number> = new Set([
  OPCODE.CALL,
  OPCODE.CALLCODE,
  OPCODE.DELEGATECALL,
  OPCODE.STATICCALL,
])
const CREATE_OPCODES: ReadonlySet<number> = new Set([OPCODE.CREATE, OPCODE.CREATE2])

const stackFailure = (opcode: number, stackLength: number): string | undefined => {
  if (stackLength < minStack(opcode)) return `stack underflow (${stackLength} <=> ${minStack(opcode)})`
  if (stackLength > maxStack(opcode)) return `stack limit reached ${stackLength} (${maxStack(opcode)})`
  return undefined
}

/** geth charges for a cold target before the rest of a call, and names the error twice when that fails. */
const isColdTargetFailure = (runState: RunState, stack: readonly bigint[]): boolean => {
  const { gasLeft } = runState
  if (gasLeft < WARM_ACCESS_GAS || gasLeft >= WARM_ACCESS_GAS + COLD_SURCHARGE_GAS) return false
  const target = BigInt.asUintN(160, stack[stack.length - 2] ?? 0n)
  return !runState.interpreter.journal.isWarmedAddress(padLeft(bigintToBytes(target), 20))
}

/** A charge that fails leaves the library with no gas: without `last`, none left means that, not the sentry. */
const isBelowSentry = (gasLeft: bigint, last: StepGas | undefined): boolean =>
  gasLeft <= SSTORE_SENTRY_GAS && (last !== undefined || gasLeft > 0n)

const outOfGas = (runState: RunState, opcode: number, last: StepGas | undefined): string => {
  const gasLeft = last?.gasLeft ?? runState.gasLeft
  const stack = runState.stack.getStack()
  const need = memoryNeed(opcode, stack)
  if (need === undefined) return GAS_OVERFLOW
  if (opcode === OPCODE.SSTORE && isBelowSentry(gasLeft, last)) return SENTRY_FAILURE
  if (CALL_OPCODES.has(opcode) && isColdTargetFailure(runState, stack)) return `${OUT_OF_GAS}: ${OUT_OF_GAS}`
  if (need > MAX_MEMORY_BYTES) return `${OUT_OF_GAS}: ${GAS_OVERFLOW}`
  const size = stack[stack.length - 3] ?? 0n
  if (CREATE_OPCODES.has(opcode) && gasLeft >= CREATE_GAS && size > BigInt(MAX_INIT_CODE_BYTES))
    return initCodeFailure(size)
  // The library takes reading beyond the return data for a lack of gas.
  if (
    opcode === OPCODE.RETURNDATACOPY &&
    (stack[stack.length - 2] ?? 0n) + size > BigInt(runState.returnBytes.length)
  ) {
    return 'return data out of bounds'
  }
  return OUT_OF_GAS
}

const initCodeFailure = (size: bigint): string => `${OUT_OF_GAS}: max initcode size exceeded: size ${size}`

const TEXTS: Readonly<Record<string, string>> = {
  [errorMessages.CODESIZE_EXCEEDS_MAXIMUM]: 'max code size exceeded',
  [errorMessages.CREATE_COLLISION]: 'contract address collision',
  [errorMessages.INSUFFICIENT_BALANCE]: 'insufficient balance for transfer',
  [errorMessages.INVALID_BYTECODE_RESULT]: 'invalid code: must not begin with 0xef',
  [errorMessages.OUT_OF_RANGE]: 'invalid input length',
  [errorMessages.BLS_12_381_INPUT_EMPTY]: 'invalid input length',
  [errorMessages.BLS_12_381_POINT_NOT_ON_CURVE]: 'invalid point: not on curve',
  [errorMessages.BLS_12_381_FP_NOT_IN_FIELD]: 'invalid fp.Element encoding',
  [errorMessages.INVALID_COMMITMENT]: 'mismatched versioned hash',
  [errorMessages.INVALID_INPUTS]: 'error verifying kzg proof',
  [errorMessages.INVALID_PROOF]: "error verifying kzg proof: can't verify opening proof",
}

/** A failure of the code that a creation returned: the interpreter itself ended well. */
const depositFailure = (code: Uint8Array): string =>
  code[0] === 0xef ? 'invalid code: must not begin with 0xef' : 'contract creation code storage out of gas'

/** Only precompiles fail without an interpreter; the library has one error for most of what they refuse. */
const describePrecompile = (error: string): string =>
  error === errorMessages.REVERT ? 'point is not on curve' : (TEXTS[error] ?? error)

const describe = (error: string, runState: RunState, last: StepGas | undefined): string => {
  // The library adds where it was.
  if (error.startsWith(errorMessages.INVALID_JUMP)) return 'invalid jump destination'
  const { opCode, stack } = runState
  switch (error) {
    case errorMessages.OUT_OF_GAS: {
      // Set only by RETURN; it is typed on the result, which the library mixes into the state of the run.
      const returned = (runState as { returnValue?: Uint8Array }).returnValue
      if (returned !== undefined) return depositFailure(returned)
      // geth looks at the stack before the gas.
      return stackFailure(opCode, stack.length) ?? outOfGas(runState, opCode, last)
    }
    case errorMessages.STATIC_STATE_CHANGE:
      // geth finds a forbidden write when it runs it, after it has charged for it. Top frames are never static.
      if (opCode === OPCODE.SSTORE && runState.gasLeft <= SSTORE_SENTRY_GAS) return SENTRY_FAILURE
      if (memoryNeed(opCode, stack.getStack()) === undefined) return GAS_OVERFLOW
      return last !== undefined && last.gasCost > last.gasLeft ? OUT_OF_GAS : 'write protection'
    case errorMessages.STACK_UNDERFLOW:
    case errorMessages.STACK_OVERFLOW:
      return stackFailure(opCode, stack.length) ?? error
    case errorMessages.INVALID_OPCODE:
      // The library takes every undefined opcode for INVALID; the counter still stands on it.
      return `invalid opcode: ${opcodeName(runState.code[runState.programCounter] ?? opCode)}`
    case errorMessages.INITCODE_SIZE_VIOLATION:
      // Thrown by the instruction, which has taken its operands: they still lie above the stack.
      return initCodeFailure(stack['_store'][stack.length + (opCode === OPCODE.CREATE2 ? 1 : 0)] ?? 0n)
    default:
      return TEXTS[error] ?? error
  }
}

/**
 * Tells the failure. Where `last`, from a tracer, is left out, an SSTORE below the sentry with no gas at all passes for
 * one that could not be paid.
 */
export const failureOf = (result: ExecResult, last?: StepGas): ExecutionFailure | undefined => {
  const error = result.exceptionError?.error
  if (error === undefined) return undefined
  const { runState } = result
  if (result.exceptionError instanceof NativeFailure) return result.exceptionError.failure
  if (runState === undefined) return { kind: 'other', message: describePrecompile(error) }
  return error === errorMessages.REVERT
    ? { kind: 'revert', message: 'execution reverted' }
    : { kind: 'other', message: describe(error, runState, last) }
}

/** Tells why the outermost frame failed, which may be a precompile: geth says more of its input than the library does. */
export const topFailure = (
  result: ExecResult,
  message: Message,
  gas: bigint,
  table: PrecompileTable,
): ExecutionFailure | undefined => {
  const failure = failureOf(result)
  if (failure === undefined || result.runState !== undefined || message.to === undefined) return failure
  const precompile = isZeroBytes(message.to.subarray(0, 18)) ? table.get(numberOfPrecompile(message.to)) : undefined
  if (precompile === undefined) return failure
  const output = gas < precompile.gasOf(message.data) ? OUT_OF_GAS : precompile.run(message.data)
  return typeof output === 'string' ? { ...failure, message: output } : failure
}
