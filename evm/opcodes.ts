/** Names and stack needs of the instructions, as geth has them: traces and failure texts show both. */

/** First opcode of a run of instructions with equal stack needs: taken from the stack, put on it, names. */
const RUNS: readonly (readonly [first: number, pops: number, pushes: number, names: string])[] = [
  [0x00, 0, 0, 'STOP'],
  [0x01, 2, 1, 'ADD MUL SUB DIV SDIV MOD SMOD'],
  [0x08, 3, 1, 'ADDMOD MULMOD'],
  [0x0a, 2, 1, 'EXP SIGNEXTEND'],
  [0x10, 2, 1, 'LT GT SLT SGT EQ'],
  [0x15, 1, 1, 'ISZERO'],
  [0x16, 2, 1, 'AND OR XOR'],
  [0x19, 1, 1, 'NOT'],
  [0x1a, 2, 1, 'BYTE SHL SHR SAR'],
  [0x1e, 1, 1, 'CLZ'],
  [0x20, 2, 1, 'KECCAK256'],
  [0x30, 0, 1, 'ADDRESS'],
  [0x31, 1, 1, 'BALANCE'],
  [0x32, 0, 1, 'ORIGIN CALLER CALLVALUE'],
  [0x35, 1, 1, 'CALLDATALOAD'],
  [0x36, 0, 1, 'CALLDATASIZE'],
  [0x37, 3, 0, 'CALLDATACOPY'],
  [0x38, 0, 1, 'CODESIZE'],
  [0x39, 3, 0, 'CODECOPY'],
  [0x3a, 0, 1, 'GASPRICE'],
  [0x3b, 1, 1, 'EXTCODESIZE'],
  [0x3c, 4, 0, 'EXTCODECOPY'],
  [0x3d, 0, 1, 'RETURNDATASIZE'],
  [0x3e, 3, 0, 'RETURNDATACOPY'],
  [0x3f, 1, 1, 'EXTCODEHASH BLOCKHASH'],
  [0x41, 0, 1, 'COINBASE TIMESTAMP NUMBER DIFFICULTY GASLIMIT CHAINID SELFBALANCE BASEFEE'],
  [0x49, 1, 1, 'BLOBHASH'],
  [0x4a, 0, 1, 'BLOBBASEFEE'],
  [0x50, 1, 0, 'POP'],
  [0x51, 1, 1, 'MLOAD'],
  [0x52, 2, 0, 'MSTORE MSTORE8'],
  [0x54, 1, 1, 'SLOAD'],
  [0x55, 2, 0, 'SSTORE'],
  [0x56, 1, 0, 'JUMP'],
  [0x57, 2, 0, 'JUMPI'],
  [0x58, 0, 1, 'PC MSIZE GAS'],
  [0x5b, 0, 0, 'JUMPDEST'],
  [0x5c, 1, 1, 'TLOAD'],
  [0x5d, 2, 0, 'TSTORE'],
  [0x5e, 3, 0, 'MCOPY'],
  [0x5f, 0, 1, Array.from({ length: 33 }, (_, size) => `PUSH${size}`).join(' ')],
  [0xf0, 3, 1, 'CREATE'],
  [0xf1, 7, 1, 'CALL CALLCODE'],
  [0xf3, 2, 0, 'RETURN'],
  [0xf4, 6, 1, 'DELEGATECALL'],
  [0xf5, 4, 1, 'CREATE2'],
  [0xfa, 6, 1, 'STATICCALL'],
  [0xfd, 2, 0, 'REVERT'],
  [0xff, 1, 0, 'SELFDESTRUCT'],
]

/** Instructions that geth has a name for though no fork of this chain defines them. */
const NAMED_ONLY: readonly (readonly [first: number, names: string])[] = [
  [0xd0, 'DATALOAD DATALOADN DATASIZE DATACOPY'],
  [0xe0, 'RJUMP RJUMPI RJUMPV CALLF RETF JUMPF DUPN SWAPN EXCHANGE'],
  [0xec, 'EOFCREATE'],
  [0xee, 'RETURNCONTRACT'],
  [0xf7, 'RETURNDATALOAD EXTCALL EXTDELEGATECALL'],
  [0xfb, 'EXTSTATICCALL'],
  [0xfe, 'INVALID'],
]

export const STACK_LIMIT = 1024

const names = Array.from({ length: 256 }, (_, opcode) => `opcode 0x${opcode.toString(16)} not defined`)
const pops = new Uint8Array(256)
const pushes = new Uint8Array(256)

const define = (opcode: number, name: string, taken: number, put: number): void => {
  names[opcode] = name
  pops[opcode] = taken
  pushes[opcode] = put
}

for (const [first, taken, put, run] of RUNS) {
  run.split(' ').forEach((name, index) => define(first + index, name, taken, put))
}
for (const [first, run] of NAMED_ONLY) run.split(' ').forEach((name, index) => define(first + index, name, 0, 0))
for (let n = 1; n <= 16; n++) {
  define(0x7f + n, `DUP${n}`, n, n + 1)
  define(0x8f + n, `SWAP${n}`, n + 1, n + 1)
}
for (let n = 0; n <= 4; n++) define(0xa0 + n, `LOG${n}`, n + 2, 0)

/** geth's name: `PUSH1`, or `opcode 0xc not defined`. */
export const opcodeName = (opcode: number): string => names[opcode] as string

/** Items that the instruction needs on the stack. */
export const minStack = (opcode: number): number => pops[opcode] as number

/** The most items that the stack may hold before the instruction. */
export const maxStack = (opcode: number): number => STACK_LIMIT + (pops[opcode] as number) - (pushes[opcode] as number)

/** The part of the gas that geth charges before it looks at operands, for instructions that have another part. */
const CONSTANT_GAS: ReadonlyMap<number, bigint> = new Map([
  [0x20, 30n],
  [0x31, 100n],
  [0x37, 3n],
  [0x39, 3n],
  [0x3b, 100n],
  [0x3c, 100n],
  [0x3e, 3n],
  [0x3f, 100n],
  [0x51, 3n],
  [0x52, 3n],
  [0x53, 3n],
  [0x5e, 3n],
  [0xf0, 32_000n],
  [0xf1, 100n],
  [0xf2, 100n],
  [0xf4, 100n],
  [0xf5, 32_000n],
  [0xfa, 100n],
  [0xff, 5_000n],
])

/** Zero for instructions whose gas is constant altogether. */
export const constantGas = (opcode: number): bigint => CONSTANT_GAS.get(opcode) ?? 0n
