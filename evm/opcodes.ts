/**
 * The instructions, each named once: whatever speaks of one by its name or its number derives it from here, the rules of
 * the interpreter, the reference, the traces and the assemblers of the tests alike. Only the loop in
 * `interpreter/interpret.ts` writes the numbers again, for the compiler makes a table of jumps from literals alone; a test
 * holds its names against these.
 */
import type { FrameKind } from './engine.ts'

/** The stack holds at most so many items. */
export const STACK_LIMIT = 1024

/**
 * `gas` is the part that depends on nothing. Where a part follows that depends on operands or on the state, the last
 * member says so: geth charges the two apart.
 */
type Row = readonly [opcode: number, pops: number, pushes: number, gas: number, more?: 'and more']

/** Those that a fork of this chain defines. */
const DEFINED = {
  STOP: [0x00, 0, 0, 0],
  ADD: [0x01, 2, 1, 3],
  MUL: [0x02, 2, 1, 5],
  SUB: [0x03, 2, 1, 3],
  DIV: [0x04, 2, 1, 5],
  SDIV: [0x05, 2, 1, 5],
  MOD: [0x06, 2, 1, 5],
  SMOD: [0x07, 2, 1, 5],
  ADDMOD: [0x08, 3, 1, 8],
  MULMOD: [0x09, 3, 1, 8],
  EXP: [0x0a, 2, 1, 0, 'and more'],
  SIGNEXTEND: [0x0b, 2, 1, 5],
  LT: [0x10, 2, 1, 3],
  GT: [0x11, 2, 1, 3],
  SLT: [0x12, 2, 1, 3],
  SGT: [0x13, 2, 1, 3],
  EQ: [0x14, 2, 1, 3],
  ISZERO: [0x15, 1, 1, 3],
  AND: [0x16, 2, 1, 3],
  OR: [0x17, 2, 1, 3],
  XOR: [0x18, 2, 1, 3],
  NOT: [0x19, 1, 1, 3],
  BYTE: [0x1a, 2, 1, 3],
  SHL: [0x1b, 2, 1, 3],
  SHR: [0x1c, 2, 1, 3],
  SAR: [0x1d, 2, 1, 3],
  CLZ: [0x1e, 1, 1, 5],
  KECCAK256: [0x20, 2, 1, 30, 'and more'],
  ADDRESS: [0x30, 0, 1, 2],
  BALANCE: [0x31, 1, 1, 100, 'and more'],
  ORIGIN: [0x32, 0, 1, 2],
  CALLER: [0x33, 0, 1, 2],
  CALLVALUE: [0x34, 0, 1, 2],
  CALLDATALOAD: [0x35, 1, 1, 3],
  CALLDATASIZE: [0x36, 0, 1, 2],
  CALLDATACOPY: [0x37, 3, 0, 3, 'and more'],
  CODESIZE: [0x38, 0, 1, 2],
  CODECOPY: [0x39, 3, 0, 3, 'and more'],
  GASPRICE: [0x3a, 0, 1, 2],
  EXTCODESIZE: [0x3b, 1, 1, 100, 'and more'],
  EXTCODECOPY: [0x3c, 4, 0, 100, 'and more'],
  RETURNDATASIZE: [0x3d, 0, 1, 2],
  RETURNDATACOPY: [0x3e, 3, 0, 3, 'and more'],
  EXTCODEHASH: [0x3f, 1, 1, 100, 'and more'],
  BLOCKHASH: [0x40, 1, 1, 20],
  COINBASE: [0x41, 0, 1, 2],
  TIMESTAMP: [0x42, 0, 1, 2],
  NUMBER: [0x43, 0, 1, 2],
  DIFFICULTY: [0x44, 0, 1, 2],
  GASLIMIT: [0x45, 0, 1, 2],
  CHAINID: [0x46, 0, 1, 2],
  SELFBALANCE: [0x47, 0, 1, 5],
  BASEFEE: [0x48, 0, 1, 2],
  BLOBHASH: [0x49, 1, 1, 3],
  BLOBBASEFEE: [0x4a, 0, 1, 2],
  POP: [0x50, 1, 0, 2],
  MLOAD: [0x51, 1, 1, 3, 'and more'],
  MSTORE: [0x52, 2, 0, 3, 'and more'],
  MSTORE8: [0x53, 2, 0, 3, 'and more'],
  SLOAD: [0x54, 1, 1, 0, 'and more'],
  SSTORE: [0x55, 2, 0, 0, 'and more'],
  JUMP: [0x56, 1, 0, 8],
  JUMPI: [0x57, 2, 0, 10],
  PC: [0x58, 0, 1, 2],
  MSIZE: [0x59, 0, 1, 2],
  GAS: [0x5a, 0, 1, 2],
  JUMPDEST: [0x5b, 0, 0, 1],
  TLOAD: [0x5c, 1, 1, 100],
  TSTORE: [0x5d, 2, 0, 100],
  MCOPY: [0x5e, 3, 0, 3, 'and more'],
  PUSH0: [0x5f, 0, 1, 2],
  PUSH1: [0x60, 0, 1, 3],
  PUSH2: [0x61, 0, 1, 3],
  PUSH3: [0x62, 0, 1, 3],
  PUSH4: [0x63, 0, 1, 3],
  PUSH5: [0x64, 0, 1, 3],
  PUSH6: [0x65, 0, 1, 3],
  PUSH7: [0x66, 0, 1, 3],
  PUSH8: [0x67, 0, 1, 3],
  PUSH9: [0x68, 0, 1, 3],
  PUSH10: [0x69, 0, 1, 3],
  PUSH11: [0x6a, 0, 1, 3],
  PUSH12: [0x6b, 0, 1, 3],
  PUSH13: [0x6c, 0, 1, 3],
  PUSH14: [0x6d, 0, 1, 3],
  PUSH15: [0x6e, 0, 1, 3],
  PUSH16: [0x6f, 0, 1, 3],
  PUSH17: [0x70, 0, 1, 3],
  PUSH18: [0x71, 0, 1, 3],
  PUSH19: [0x72, 0, 1, 3],
  PUSH20: [0x73, 0, 1, 3],
  PUSH21: [0x74, 0, 1, 3],
  PUSH22: [0x75, 0, 1, 3],
  PUSH23: [0x76, 0, 1, 3],
  PUSH24: [0x77, 0, 1, 3],
  PUSH25: [0x78, 0, 1, 3],
  PUSH26: [0x79, 0, 1, 3],
  PUSH27: [0x7a, 0, 1, 3],
  PUSH28: [0x7b, 0, 1, 3],
  PUSH29: [0x7c, 0, 1, 3],
  PUSH30: [0x7d, 0, 1, 3],
  PUSH31: [0x7e, 0, 1, 3],
  PUSH32: [0x7f, 0, 1, 3],
  DUP1: [0x80, 1, 2, 3],
  DUP2: [0x81, 2, 3, 3],
  DUP3: [0x82, 3, 4, 3],
  DUP4: [0x83, 4, 5, 3],
  DUP5: [0x84, 5, 6, 3],
  DUP6: [0x85, 6, 7, 3],
  DUP7: [0x86, 7, 8, 3],
  DUP8: [0x87, 8, 9, 3],
  DUP9: [0x88, 9, 10, 3],
  DUP10: [0x89, 10, 11, 3],
  DUP11: [0x8a, 11, 12, 3],
  DUP12: [0x8b, 12, 13, 3],
  DUP13: [0x8c, 13, 14, 3],
  DUP14: [0x8d, 14, 15, 3],
  DUP15: [0x8e, 15, 16, 3],
  DUP16: [0x8f, 16, 17, 3],
  SWAP1: [0x90, 2, 2, 3],
  SWAP2: [0x91, 3, 3, 3],
  SWAP3: [0x92, 4, 4, 3],
  SWAP4: [0x93, 5, 5, 3],
  SWAP5: [0x94, 6, 6, 3],
  SWAP6: [0x95, 7, 7, 3],
  SWAP7: [0x96, 8, 8, 3],
  SWAP8: [0x97, 9, 9, 3],
  SWAP9: [0x98, 10, 10, 3],
  SWAP10: [0x99, 11, 11, 3],
  SWAP11: [0x9a, 12, 12, 3],
  SWAP12: [0x9b, 13, 13, 3],
  SWAP13: [0x9c, 14, 14, 3],
  SWAP14: [0x9d, 15, 15, 3],
  SWAP15: [0x9e, 16, 16, 3],
  SWAP16: [0x9f, 17, 17, 3],
  LOG0: [0xa0, 2, 0, 0, 'and more'],
  LOG1: [0xa1, 3, 0, 0, 'and more'],
  LOG2: [0xa2, 4, 0, 0, 'and more'],
  LOG3: [0xa3, 5, 0, 0, 'and more'],
  LOG4: [0xa4, 6, 0, 0, 'and more'],
  CREATE: [0xf0, 3, 1, 32_000, 'and more'],
  CALL: [0xf1, 7, 1, 100, 'and more'],
  CALLCODE: [0xf2, 7, 1, 100, 'and more'],
  RETURN: [0xf3, 2, 0, 0, 'and more'],
  DELEGATECALL: [0xf4, 6, 1, 100, 'and more'],
  CREATE2: [0xf5, 4, 1, 32_000, 'and more'],
  STATICCALL: [0xfa, 6, 1, 100, 'and more'],
  REVERT: [0xfd, 2, 0, 0, 'and more'],
  SELFDESTRUCT: [0xff, 1, 0, 5000, 'and more'],
} as const satisfies Readonly<Record<string, Row>>

/** Those that geth has a name for though no fork of this chain defines them. */
const NAMED_ONLY = {
  DATALOAD: 0xd0,
  DATALOADN: 0xd1,
  DATASIZE: 0xd2,
  DATACOPY: 0xd3,
  RJUMP: 0xe0,
  RJUMPI: 0xe1,
  RJUMPV: 0xe2,
  CALLF: 0xe3,
  RETF: 0xe4,
  JUMPF: 0xe5,
  DUPN: 0xe6,
  SWAPN: 0xe7,
  EXCHANGE: 0xe8,
  EOFCREATE: 0xec,
  RETURNCONTRACT: 0xee,
  RETURNDATALOAD: 0xf7,
  EXTCALL: 0xf8,
  EXTDELEGATECALL: 0xf9,
  EXTSTATICCALL: 0xfb,
  INVALID: 0xfe,
} as const

export type OpcodeName = keyof typeof DEFINED | keyof typeof NAMED_ONLY

type Opcodes = { readonly [Name in keyof typeof DEFINED]: (typeof DEFINED)[Name][0] } & typeof NAMED_ONLY

/** The numbers by the names, which are geth's: `OPCODE.SLOAD` is 0x54. */
export const OPCODE = {
  ...Object.fromEntries(Object.entries(DEFINED).map(([name, [opcode]]) => [name, opcode])),
  ...NAMED_ONLY,
} as Opcodes

const rows: readonly (Row | undefined)[] = (() => {
  const table = new Array<Row | undefined>(256).fill(undefined)
  for (const row of Object.values<Row>(DEFINED)) table[row[0]] = row
  return table
})()

const names: readonly string[] = (() => {
  const table = Array.from({ length: 256 }, (_, opcode) => `opcode 0x${opcode.toString(16)} not defined`)
  for (const [name, opcode] of Object.entries<number>(OPCODE)) table[opcode] = name
  return table
})()

/** geth's name: `PUSH1`, or `opcode 0xc not defined`. */
export const opcodeName = (opcode: number): string => names[opcode] as string

/** Tells whether the newest fork defines the instruction. */
export const isDefined = (opcode: number): boolean => rows[opcode] !== undefined

/** Tells how many items the instruction needs on the stack. */
export const minStack = (opcode: number): number => rows[opcode]?.[1] ?? 0

/** Tells how many items the stack may hold at most before the instruction. */
export const maxStack = (opcode: number): number => STACK_LIMIT + (rows[opcode]?.[1] ?? 0) - (rows[opcode]?.[2] ?? 0)

/** The part of the gas that depends on nothing; zero for what is not defined. */
export const constantGas = (opcode: number): number => rows[opcode]?.[3] ?? 0

/** Tells what geth charges before it looks at operands: the constant part where more follows, else nothing. */
export const gasBeforeOperands = (opcode: number): bigint =>
  rows[opcode]?.[4] === undefined ? 0n : BigInt(constantGas(opcode))

const FRAMES = [
  'CREATE',
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'CREATE2',
  'STATICCALL',
] as const satisfies readonly FrameKind[]

/** The instructions that enter a frame. */
export const FRAME_KINDS: ReadonlyMap<number, FrameKind> = new Map(FRAMES.map((name) => [OPCODE[name], name]))
