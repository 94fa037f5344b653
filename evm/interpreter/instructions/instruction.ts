/** What the instructions outside the loop share. */
import { unpaid } from '../failure.ts'
import type { Frame } from '../frame.ts'
import type { Machine } from '../machine.ts'
import { expansionGas } from '../memory.ts'
import type { Signal } from '../signals.ts'
import { type Limbs, toNumber, WORD } from '../words.ts'

/**
 * Runs with the constant part of the gas charged and the program counter behind the opcode. It charges the rest, grows
 * memory, and only then takes its operands: a failure that depends on operands still finds them.
 */
export type Instruction = (machine: Machine, frame: Frame) => Signal

/** End of the memory that `size` bytes at `offset` take; no size takes none, wherever it is. */
export const memoryEnd = (stack: Limbs, offsetAt: number, sizeAt: number): number => {
  const size = toNumber(stack, sizeAt)
  return size === 0 ? 0 : toNumber(stack, offsetAt) + size
}

export const wordsOf = (bytes: number): number => Math.ceil(bytes / 32)

/** Charges `gas` and the memory up to `end`, and grows it. */
export const charge = (machine: Machine, frame: Frame, gas: number, end: number): Signal => {
  const left = frame.gas - gas - expansionGas(frame.memorySize, end)
  if (!(left >= 0)) {
    frame.gas -= gas
    return unpaid(frame, machine.stack, frame.sp, frame.opcode, end)
  }
  frame.gas = left
  if (end > frame.memorySize) frame.memorySize = machine.memory.grow(frame.memoryBase, frame.memorySize, end)
  return 'continue'
}

/** The bytes of the frame's memory that two operands name; a view. */
export const memorySlice = (machine: Machine, frame: Frame, offsetAt: number, sizeAt: number): Uint8Array => {
  const size = toNumber(machine.stack, sizeAt)
  const offset = size === 0 ? 0 : frame.memoryBase + toNumber(machine.stack, offsetAt)
  return machine.memory.bytes.subarray(offset, offset + size)
}

export const operand = (frame: Frame, position: number): number => frame.sp - (position + 1) * WORD
