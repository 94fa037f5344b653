/** What an instruction costs and needs before it is looked at, for each fork. */
import type { Hardfork } from '../engine.ts'
import {
  constantGas as gasOf,
  isDefined as isInstruction,
  maxStack,
  minStack,
  OPCODE,
  STACK_LIMIT,
} from '../opcodes.ts'
import { WORD } from './words.ts'

const { CLZ } = OPCODE

export interface Rules {
  readonly hardfork: Hardfork
  readonly constantGas: Int32Array
  /** Limbs that the stack must hold. */
  readonly minimum: Int32Array
  /** How many more it may hold: one comparison checks both bounds. */
  readonly range: Int32Array
  readonly isDefined: Uint8Array
}

const createRules = (hardfork: Hardfork): Rules => {
  const constantGas = new Int32Array(256)
  const minimum = new Int32Array(256)
  const range = new Int32Array(256).fill(STACK_LIMIT * WORD)
  const isDefined = new Uint8Array(256)
  for (let opcode = 0; opcode < 256; opcode++) {
    // EIP-7939.
    if (!isInstruction(opcode) || (opcode === CLZ && hardfork !== 'osaka')) continue
    isDefined[opcode] = 1
    constantGas[opcode] = gasOf(opcode)
    minimum[opcode] = minStack(opcode) * WORD
    range[opcode] = (maxStack(opcode) - minStack(opcode)) * WORD
  }
  return { hardfork, constantGas, minimum, range, isDefined }
}

export const RULES: Readonly<Record<Hardfork, Rules>> = {
  cancun: createRules('cancun'),
  prague: createRules('prague'),
  osaka: createRules('osaka'),
}
