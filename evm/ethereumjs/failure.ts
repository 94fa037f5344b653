/** Why a frame failed, in geth's words: from the library's coarser error and the instruction that it stopped at. */
import { EVMError, type ExecResult } from '@ethereumjs/evm'
import { MAX_UINT64 } from '../../core/amounts.ts'
import { bigintToBytes, padLeft } from '../../core/bytes.ts'
import { MAX_INIT_CODE_BYTES } from '../../core/limits.ts'
import type { ExecutionFailure } from '../engine.ts'
import { constantGas, maxStack, minStack, opcodeName } from '../opcodes.ts'

const { errorMessages } = EVMError
type RunState = NonNullable<ExecResult['runState']>

const OUT_OF_GAS = 'out of gas'
const SENTRY_FAILURE = `${OUT_OF_GAS}: not enough gas for reentrancy sentry`
const GAS_OVERFLOW = 'gas uint64 overflow'
/** Above this many bytes of memory geth's cost formula would overflow. */
export const MAX_MEMORY_BYTES = 0x1fffffffe0n
/** EIP-2200. */
const SSTORE_SENTRY_GAS = 2_300n
/** Warm access is the constant part of a call's cost; the rest of a cold access comes first in the dynamic part. */
const WARM_ACCESS_GAS = 100n
const COLD_SURCHARGE_GAS = 2_500n

/** Positions on the stack, from its top, of offset and size of the memory that an instruction touches. */
const MEMORY_OPERANDS: ReadonlyMap<number, readonly (readonly [offset: number, size: number | bigint])[]> = new Map([
  [0x20, [[0, 1]]],
  [0x37, [[0, 2]]],
  [0x39, [[0, 2]]],
  [0x3c, [[1, 3]]],
  [0x3e, [[0, 2]]],
  [0x51, [[0, 32n]]],
  [0x52, [[0, 32n]]],
  [0x53, [[0, 1n]]],
  [
    0x5e,
    [
      [0, 2],
      [1, 2],
    ],
  ],
  [0xa0, [[0, 1]]],
  [0xa1, [[0, 1]]],
  [0xa2, [[0, 1]]],
  [0xa3, [[0, 1]]],
  [0xa4, [[0, 1]]],
  [0xf0, [[1, 2]]],
  [
    0xf1,
    [
      [3, 4],
      [5, 6],
    ],
  ],
  [
    0xf2,
    [
      [3, 4],
      [5, 6],
    ],
  ],
  [0xf3, [[0, 1]]],
  [
    0xf4,
    [
      [2, 3],
      [4, 5],
    ],
  ],
  [0xf5, [[1, 2]]],
  [
    0xfa,
    [
      [2, 3],
      [4, 5],
    ],
  ],
  [0xfd, [[0, 1]]],
])
const CALL_OPCODES: ReadonlySet<number> = new Set([0xf1, 0xf2, 0xf4, 0xfa])
const CREATE_OPCODES: ReadonlySet<number> = new Set([0xf0, 0xf5])

/** The memory that the instruction needs, in bytes; undefined when geth's 64 bits overflow. */
export const memoryNeed = (opcode: number, stack: readonly bigint[]): bigint | undefined => {
  const item = (position: number): bigint => stack[stack.length - 1 - position] ?? 0n
  let need = 0n
  for (const [offsetAt, sizeAt] of MEMORY_OPERANDS.get(opcode) ?? []) {
    const size = typeof sizeAt === 'bigint' ? sizeAt : item(sizeAt)
    if (size === 0n) continue
    const end = item(offsetAt) + size
    if (end > MAX_UINT64 - 31n) return undefined
    if (end > need) need = end
  }
  return need
}

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

const outOfGas = (runState: RunState, opcode: number): string => {
  const { gasLeft } = runState
  const stack = runState.stack.getStack()
  const need = memoryNeed(opcode, stack)
  if (need === undefined) return GAS_OVERFLOW
  // Out of gas for the cost itself, the library leaves none.
  if (opcode === 0x55 && gasLeft > 0n && gasLeft <= SSTORE_SENTRY_GAS) return SENTRY_FAILURE
  if (CALL_OPCODES.has(opcode) && isColdTargetFailure(runState, stack)) return `${OUT_OF_GAS}: ${OUT_OF_GAS}`
  if (need > MAX_MEMORY_BYTES) return `${OUT_OF_GAS}: ${GAS_OVERFLOW}`
  const size = stack[stack.length - 3] ?? 0n
  if (CREATE_OPCODES.has(opcode) && size > BigInt(MAX_INIT_CODE_BYTES)) return initCodeFailure(size)
  // The library takes reading beyond the return data for a lack of gas.
  if (opcode === 0x3e && (stack[stack.length - 2] ?? 0n) + size > BigInt(runState.returnBytes.length)) {
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
  [errorMessages.INITCODE_SIZE_VIOLATION]: 'max initcode size exceeded',
  [errorMessages.OUT_OF_RANGE]: 'invalid input length',
  [errorMessages.BLS_12_381_INPUT_EMPTY]: 'invalid input length',
  [errorMessages.BLS_12_381_POINT_NOT_ON_CURVE]: 'invalid point: not on curve',
  [errorMessages.BLS_12_381_FP_NOT_IN_FIELD]: 'invalid fp.Element encoding',
  [errorMessages.INVALID_COMMITMENT]: 'mismatched versioned hash',
  [errorMessages.INVALID_INPUTS]: 'error verifying kzg proof',
  [errorMessages.INVALID_PROOF]: 'error verifying kzg proof',
}

/** A failure of the code that a creation returned: the interpreter itself ended well. */
const depositFailure = (code: Uint8Array): string =>
  code[0] === 0xef ? 'invalid code: must not begin with 0xef' : 'contract creation code storage out of gas'

/** Only precompiles fail without an interpreter; the library has one error for most of what they refuse. */
const describePrecompile = (error: string): string =>
  error === errorMessages.REVERT ? 'point is not on curve' : (TEXTS[error] ?? error)

const describe = (error: string, runState: RunState): string => {
  // The library adds where it was.
  if (error.startsWith(errorMessages.INVALID_JUMP)) return 'invalid jump destination'
  const { opCode, stack } = runState
  switch (error) {
    case errorMessages.OUT_OF_GAS: {
      // Set only by RETURN; it is typed on the result, which the library mixes into the state of the run.
      const returned = (runState as { returnValue?: Uint8Array }).returnValue
      if (returned !== undefined) return depositFailure(returned)
      // geth looks at the stack before the gas.
      return stackFailure(opCode, stack.length) ?? outOfGas(runState, opCode)
    }
    case errorMessages.STATIC_STATE_CHANGE:
      // geth finds a forbidden write when it runs it, after it has charged for it.
      if (opCode === 0x55 && runState.gasLeft <= SSTORE_SENTRY_GAS) return SENTRY_FAILURE
      if (runState.gasLeft < constantGas(opCode)) return OUT_OF_GAS
      return memoryNeed(opCode, stack.getStack()) === undefined ? GAS_OVERFLOW : 'write protection'
    case errorMessages.STACK_UNDERFLOW:
    case errorMessages.STACK_OVERFLOW:
      return stackFailure(opCode, stack.length) ?? error
    case errorMessages.INVALID_OPCODE:
      // The library takes every undefined opcode for INVALID; the counter still stands on it.
      return `invalid opcode: ${opcodeName(runState.code[runState.programCounter] ?? opCode)}`
    case errorMessages.INITCODE_SIZE_VIOLATION:
      return CREATE_OPCODES.has(opCode) ? `${OUT_OF_GAS}: max initcode size exceeded` : (TEXTS[error] ?? error)
    default:
      return TEXTS[error] ?? error
  }
}

export const failureOf = (result: ExecResult): ExecutionFailure | undefined => {
  const error = result.exceptionError?.error
  if (error === undefined) return undefined
  const { runState } = result
  if (runState === undefined) return { kind: 'other', message: describePrecompile(error) }
  return error === errorMessages.REVERT
    ? { kind: 'revert', message: 'execution reverted' }
    : { kind: 'other', message: describe(error, runState) }
}
