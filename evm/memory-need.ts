/** How much memory an instruction needs, from its operands, with the limits of geth's 64 bits. */
import { MAX_UINT64 } from '../core/amounts.ts'

/** Above this many bytes of memory geth's cost formula would overflow. */
export const MAX_MEMORY_BYTES = 0x1fffffffe0n

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
