/** What an instruction costs and needs before it is looked at, for each fork. */
import type { Hardfork } from '../engine.ts'
import { maxStack, minStack, STACK_LIMIT } from '../opcodes.ts'
import { WORD } from './words.ts'

/** The part of the gas that depends on nothing, by first opcode of a run. */
const CONSTANT_RUNS: readonly (readonly [first: number, last: number, gas: number])[] = [
  [0x01, 0x01, 3],
  [0x02, 0x02, 5],
  [0x03, 0x03, 3],
  [0x04, 0x07, 5],
  [0x08, 0x09, 8],
  [0x0b, 0x0b, 5],
  [0x10, 0x1d, 3],
  [0x1e, 0x1e, 5],
  [0x20, 0x20, 30],
  [0x30, 0x30, 2],
  [0x31, 0x31, 100],
  [0x32, 0x34, 2],
  [0x35, 0x35, 3],
  [0x36, 0x36, 2],
  [0x37, 0x37, 3],
  [0x38, 0x38, 2],
  [0x39, 0x39, 3],
  [0x3a, 0x3a, 2],
  [0x3b, 0x3c, 100],
  [0x3d, 0x3d, 2],
  [0x3e, 0x3e, 3],
  [0x3f, 0x3f, 100],
  [0x40, 0x40, 20],
  [0x41, 0x46, 2],
  [0x47, 0x47, 5],
  [0x48, 0x48, 2],
  [0x49, 0x49, 3],
  [0x4a, 0x4a, 2],
  [0x50, 0x50, 2],
  [0x51, 0x53, 3],
  [0x56, 0x56, 8],
  [0x57, 0x57, 10],
  [0x58, 0x5a, 2],
  [0x5b, 0x5b, 1],
  [0x5c, 0x5d, 100],
  [0x5e, 0x5e, 3],
  [0x5f, 0x5f, 2],
  [0x60, 0x9f, 3],
  [0xf0, 0xf0, 32_000],
  [0xf1, 0xf2, 100],
  [0xf4, 0xf4, 100],
  [0xf5, 0xf5, 32_000],
  [0xfa, 0xfa, 100],
  [0xff, 0xff, 5_000],
]

/** STOP, the instructions of EXP, SLOAD and SSTORE, LOG0 to LOG4, RETURN and REVERT have no constant part. */
const PRICED_LATER: readonly number[] = [0x00, 0x0a, 0x54, 0x55, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf3, 0xfd]

const CLZ = 0x1e

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
  for (const opcode of PRICED_LATER) isDefined[opcode] = 1
  for (const [first, last, gas] of CONSTANT_RUNS) {
    constantGas.fill(gas, first, last + 1)
    isDefined.fill(1, first, last + 1)
  }
  // EIP-7939.
  if (hardfork !== 'osaka') {
    constantGas[CLZ] = 0
    isDefined[CLZ] = 0
  }
  for (let opcode = 0; opcode < 256; opcode++) {
    if (isDefined[opcode] === 0) continue
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
