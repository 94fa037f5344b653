/** Why a frame failed, in geth's words. */
import type { ExecutionFailure } from '../engine.ts'
import { MAX_MEMORY_BYTES, memoryNeed } from '../memory-need.ts'
import { maxStack, minStack, opcodeName } from '../opcodes.ts'
import type { Frame } from './frame.ts'
import type { Failure, Refusal, Signal } from './signals.ts'
import { type Limbs, toBigint, WORD } from './words.ts'

/** Those whose text says nothing of the frame. */
type Plain = Exclude<Failure | Refusal, 'stackBounds' | 'invalidOpcode' | 'initCodeSize'>

const TEXTS: Readonly<Record<Plain, string>> = {
  outOfGas: 'out of gas',
  gasOverflow: 'gas uint64 overflow',
  memoryOverflow: 'out of gas: gas uint64 overflow',
  belowSentry: 'out of gas: not enough gas for reentrancy sentry',
  coldTarget: 'out of gas: out of gas',
  invalidJump: 'invalid jump destination',
  writeProtection: 'write protection',
  returnDataBounds: 'return data out of bounds',
  codeSize: 'max code size exceeded',
  codePrefix: 'invalid code: must not begin with 0xef',
  deposit: 'contract creation code storage out of gas',
  collision: 'contract address collision',
  depth: 'max call depth exceeded',
  balance: 'insufficient balance for transfer',
  nonce: 'nonce uint64 overflow',
}

const stackText = (opcode: number, items: number): string =>
  items < minStack(opcode)
    ? `stack underflow (${items} <=> ${minStack(opcode)})`
    : `stack limit reached ${items} (${maxStack(opcode)})`

const textOf = (signal: Failure | Refusal, frame: Frame, stack: Limbs): string => {
  switch (signal) {
    case 'stackBounds':
      return stackText(frame.opcode, (frame.sp - frame.stackBase) / WORD)
    case 'invalidOpcode':
      return `invalid opcode: ${opcodeName(frame.opcode)}`
    case 'initCodeSize':
      return `out of gas: max initcode size exceeded: size ${toBigint(stack, frame.sp - 3 * WORD)}`
    default:
      return TEXTS[signal]
  }
}

/** Tells why a frame failed; undefined for one that ended well or goes on. */
export const frameFailure = (signal: Signal, frame: Frame, stack: Limbs): ExecutionFailure | undefined => {
  switch (signal) {
    case 'continue':
    case 'enter':
    case 'paused':
    case 'done':
      return undefined
    case 'reverted':
      return { kind: 'revert', message: 'execution reverted' }
    default:
      return { kind: 'other', message: textOf(signal, frame, stack) }
  }
}

/** Tells why a frame never began, or why the code of a creation was refused. */
export const plainFailure = (signal: Plain): ExecutionFailure => ({ kind: 'other', message: TEXTS[signal] })

/** Tells which of the limits of geth's 64 bits an instruction broke whose memory has no price. */
export const memoryFailure = (stack: Limbs, sp: number, opcode: number): Failure => {
  const operands: bigint[] = []
  for (let at = sp - minStack(opcode) * WORD; at < sp; at += WORD) operands.push(toBigint(stack, at))
  const need = memoryNeed(opcode, operands)
  if (need === undefined) return 'gasOverflow'
  return need > MAX_MEMORY_BYTES ? 'memoryOverflow' : 'outOfGas'
}

/** Tells how an instruction fails that could not pay its gas and the memory up to `end`: traces show what it would have cost. */
export const unpaid = (frame: Frame, stack: Limbs, sp: number, opcode: number, end: number): Failure => {
  frame.unpaidEnd = end
  return end > MAX_MEMORY_BYTES ? memoryFailure(stack, sp, opcode) : 'outOfGas'
}
