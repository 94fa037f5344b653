/** Why a frame failed, in geth's words. */
import type { ExecutionFailure } from '../engine.ts'
import { MAX_MEMORY_BYTES, memoryNeed } from '../memory-need.ts'
import { maxStack, minStack, opcodeName } from '../opcodes.ts'
import type { Frame } from './frame.ts'
import {
  BALANCE,
  BELOW_SENTRY,
  CODE_PREFIX,
  CODE_SIZE,
  COLD_TARGET,
  COLLISION,
  DEPOSIT,
  DEPTH,
  GAS_OVERFLOW,
  INIT_CODE_SIZE,
  INVALID_JUMP,
  INVALID_OPCODE,
  MEMORY_OVERFLOW,
  NONCE,
  OUT_OF_GAS,
  RETURN_DATA_BOUNDS,
  REVERTED,
  type Signal,
  STACK_BOUNDS,
  WRITE_PROTECTION,
} from './signals.ts'
import { type Limbs, toBigint, WORD } from './words.ts'

const TEXTS: ReadonlyMap<Signal, string> = new Map([
  [OUT_OF_GAS, 'out of gas'],
  [GAS_OVERFLOW, 'gas uint64 overflow'],
  [MEMORY_OVERFLOW, 'out of gas: gas uint64 overflow'],
  [BELOW_SENTRY, 'out of gas: not enough gas for reentrancy sentry'],
  [COLD_TARGET, 'out of gas: out of gas'],
  [INVALID_JUMP, 'invalid jump destination'],
  [WRITE_PROTECTION, 'write protection'],
  [RETURN_DATA_BOUNDS, 'return data out of bounds'],
  [CODE_SIZE, 'max code size exceeded'],
  [CODE_PREFIX, 'invalid code: must not begin with 0xef'],
  [DEPOSIT, 'contract creation code storage out of gas'],
  [COLLISION, 'contract address collision'],
  [DEPTH, 'max call depth exceeded'],
  [BALANCE, 'insufficient balance for transfer'],
  [NONCE, 'nonce uint64 overflow'],
])

const stackText = (opcode: number, items: number): string =>
  items < minStack(opcode)
    ? `stack underflow (${items} <=> ${minStack(opcode)})`
    : `stack limit reached ${items} (${maxStack(opcode)})`

const textOf = (signal: Signal, frame: Frame, stack: Limbs): string => {
  switch (signal) {
    case STACK_BOUNDS:
      return stackText(frame.opcode, (frame.sp - frame.stackBase) / WORD)
    case INVALID_OPCODE:
      return `invalid opcode: ${opcodeName(frame.opcode)}`
    case INIT_CODE_SIZE:
      return `out of gas: max initcode size exceeded: size ${toBigint(stack, frame.sp - 3 * WORD)}`
    default:
      return TEXTS.get(signal) ?? ''
  }
}

/** Undefined for a frame that ended well. */
export const frameFailure = (signal: Signal, frame: Frame, stack: Limbs): ExecutionFailure | undefined => {
  if (signal === REVERTED) return { kind: 'revert', message: 'execution reverted' }
  return signal < OUT_OF_GAS ? undefined : { kind: 'other', message: textOf(signal, frame, stack) }
}

/** Of a frame that never began, or of a creation whose code was refused. */
export const plainFailure = (signal: Signal): ExecutionFailure => ({ kind: 'other', message: TEXTS.get(signal) ?? '' })

/** The limits of geth's 64 bits: which of them an instruction broke whose memory has no price. */
export const memoryFailure = (stack: Limbs, sp: number, opcode: number): Signal => {
  const operands: bigint[] = []
  for (let at = sp - minStack(opcode) * WORD; at < sp; at += WORD) operands.push(toBigint(stack, at))
  const need = memoryNeed(opcode, operands)
  if (need === undefined) return GAS_OVERFLOW
  return need > MAX_MEMORY_BYTES ? MEMORY_OVERFLOW : OUT_OF_GAS
}

/** Of an instruction that could not pay its gas and the memory up to `end`: traces show what it would have cost. */
export const unpaid = (frame: Frame, stack: Limbs, sp: number, opcode: number, end: number): Signal => {
  frame.unpaidEnd = end
  return end > MAX_MEMORY_BYTES ? memoryFailure(stack, sp, opcode) : OUT_OF_GAS
}
