/** How much memory an instruction needs, from its operands, with the limits of geth's 64 bits. */
import { MAX_UINT64 } from '../core/amounts.ts'
import { OPCODE } from './opcodes.ts'

/** The most bytes of memory: above them geth's cost formula would overflow. */
export const MAX_MEMORY_BYTES = 0x1fffffffe0n

/** Positions on the stack, from its top, of offset and size of the memory that an instruction touches. */
const MEMORY_OPERANDS = new Map<number, readonly (readonly [offset: number, size: number | bigint])[]>([
  [OPCODE.KECCAK256, [[0, 1]]],
  [OPCODE.CALLDATACOPY, [[0, 2]]],
  [OPCODE.CODECOPY, [[0, 2]]],
  [OPCODE.EXTCODECOPY, [[1, 3]]],
  [OPCODE.RETURNDATACOPY, [[0, 2]]],
  [OPCODE.MLOAD, [[0, 32n]]],
  [OPCODE.MSTORE, [[0, 32n]]],
  [OPCODE.MSTORE8, [[0, 1n]]],
  [
    OPCODE.MCOPY,
    [
      [0, 2],
      [1, 2],
    ],
  ],
  [OPCODE.LOG0, [[0, 1]]],
  [OPCODE.LOG1, [[0, 1]]],
  [OPCODE.LOG2, [[0, 1]]],
  [OPCODE.LOG3, [[0, 1]]],
  [OPCODE.LOG4, [[0, 1]]],
  [OPCODE.CREATE, [[1, 2]]],
  [
    OPCODE.CALL,
    [
      [3, 4],
      [5, 6],
    ],
  ],
  [
    OPCODE.CALLCODE,
    [
      [3, 4],
      [5, 6],
    ],
  ],
  [OPCODE.RETURN, [[0, 1]]],
  [
    OPCODE.DELEGATECALL,
    [
      [2, 3],
      [4, 5],
    ],
  ],
  [OPCODE.CREATE2, [[1, 2]]],
  [
    OPCODE.STATICCALL,
    [
      [2, 3],
      [4, 5],
    ],
  ],
  [OPCODE.REVERT, [[0, 1]]],
])

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

/** Cost of so many words of memory. */
export const memoryGas = (words: bigint): bigint => words * 3n + (words * words) / 512n
