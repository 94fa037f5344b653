/** Instructions that touch no database, with operands that take longest. */
import type { Program } from './program.ts'

const FULL = `0x${'f'.repeat(64)}`
const UNEVEN = `0x${'9e3779b97f4a7c15f39cc0605cedc835'.repeat(2)}`
const HALF = `0x${'d1b54a32d192ed03d1b54a32d192ed03'}`
const LIMB = '0x9e3779b9'
const LIMB_AND_HALF = '0x8000000180000000'

/** An instruction with two operands, which lie on the stack all the time: y below x. */
const binary = (name: string, x: string, y: string, label = ''): Program => ({
  name: `${name}${label}`,
  setup: `PUSH ${y} PUSH ${x}`,
  unit: `DUP2 DUP2 ${name} POP`,
})

const ternary = (name: string, x: string, y: string, modulus: string, label: string): Program => ({
  name: `${name}${label}`,
  setup: `PUSH ${modulus} PUSH ${y} PUSH ${x}`,
  unit: `DUP3 DUP3 DUP3 ${name} POP`,
})

const DIVISORS: readonly (readonly [label: string, divisor: string])[] = [
  [' 256/32', LIMB],
  [' 256/64', LIMB_AND_HALF],
  [' 256/96', '0x80000001800000008000'],
  [' 256/128', HALF],
  [' 256/160', `0x80000001${'0'.repeat(31)}7`],
  [' 256/192', `0x80000001${'0'.repeat(39)}7`],
  [' 256/224', `0x80000001${'0'.repeat(47)}7`],
  [' 256/256', `0x80000001${'0'.repeat(55)}7`],
]

const ARITHMETIC: readonly Program[] = [
  ...['ADD', 'MUL', 'SUB', 'LT', 'GT', 'SLT', 'SGT', 'EQ', 'AND', 'OR', 'XOR'].map((name) =>
    binary(name, FULL, UNEVEN),
  ),
  ...['DIV', 'SDIV', 'MOD', 'SMOD'].flatMap((name) =>
    DIVISORS.map(([label, divisor]) => binary(name, name.startsWith('S') ? UNEVEN : FULL, divisor, label)),
  ),
  ...['ADDMOD', 'MULMOD'].flatMap((name) =>
    DIVISORS.map(([label, divisor]) => ternary(name, FULL, UNEVEN, divisor, label)),
  ),
  binary('EXP', '0x03', '0x02', ' of 1 byte'),
  binary('EXP', UNEVEN.replace(/5$/, '7'), '0xff', ' of 1 byte, full base'),
  binary('EXP', FULL.replace(/f$/, '7'), `0x${'f'.repeat(32)}`, ' of 16 bytes'),
  binary('EXP', FULL.replace(/f$/, '7'), FULL, ' of 32 bytes'),
  ...['SHL', 'SHR', 'SAR'].map((name) => binary(name, '0x61', FULL)),
  binary('BYTE', '0x1f', UNEVEN),
  binary('SIGNEXTEND', '0x0b', UNEVEN),
  { name: 'NOT', setup: `PUSH ${UNEVEN}`, unit: 'NOT' },
  { name: 'ISZERO', setup: `PUSH ${UNEVEN}`, unit: 'ISZERO' },
  { name: 'CLZ', setup: 'PUSH 1', unit: 'DUP1 CLZ POP' },
]

const PLAIN: readonly Program[] = [
  { name: 'JUMPDEST', unit: 'JUMPDEST', copies: 4_000 },
  { name: 'PUSH0 POP', unit: 'PUSH0 POP', copies: 2_000 },
  { name: 'PUSH1 POP', unit: 'PUSH1 1 POP', copies: 1_000 },
  { name: 'PUSH32 POP', unit: `PUSH32 ${FULL} POP`, copies: 500 },
  { name: 'PUSH31 POP', unit: 'PUSH31 1 POP', copies: 500 },
  { name: 'DUP16 POP', setup: '16 * (PUSH0)', unit: 'DUP16 POP', copies: 1_000 },
  { name: 'SWAP16', setup: '17 * (PUSH0)', unit: 'SWAP16', copies: 4_000 },
  { name: 'PUSH0 JUMPI', unit: 'PUSH0 PUSH0 JUMPI', copies: 1_000 },
  { name: 'JUMP, taken', unit: 'JUMPDEST', copies: 1 },
  { name: 'GAS POP', unit: 'GAS POP', copies: 1_000 },
  { name: 'CALLDATALOAD POP', unit: 'PUSH0 CALLDATALOAD POP', copies: 1_000 },
  { name: 'CALLDATASIZE POP', unit: 'CALLDATASIZE POP', copies: 1_000 },
  { name: 'ADDRESS POP', unit: 'ADDRESS POP', copies: 1_000 },
  { name: 'TIMESTAMP POP', unit: 'TIMESTAMP POP', copies: 1_000 },
  { name: 'CODESIZE POP', unit: 'CODESIZE POP', copies: 1_000 },
  { name: 'RETURNDATASIZE POP', unit: 'RETURNDATASIZE POP', copies: 1_000 },
  { name: 'SELFBALANCE POP', unit: 'SELFBALANCE POP', copies: 1_000 },
  { name: 'BLOBHASH', unit: 'PUSH0 BLOBHASH POP', copies: 1_000 },
]

const MEMORY: readonly Program[] = [
  { name: 'MLOAD', setup: 'PUSH0 PUSH0 MSTORE', unit: 'PUSH0 MLOAD POP', copies: 1_000 },
  { name: 'MSTORE', unit: 'PUSH0 PUSH0 MSTORE', copies: 1_000 },
  { name: 'MSTORE8', unit: 'PUSH0 PUSH0 MSTORE8', copies: 1_000 },
  { name: 'MSTORE, growing by a word', unit: 'PUSH0 MSIZE MSTORE', copies: 200 },
  { name: 'MSTORE, unaligned, 1 MB', setup: 'PUSH0 PUSH 1000000 MSTORE', unit: 'PUSH0 PUSH 999999 MSTORE' },
  ...[0, 1, 32, 1_024, 32_768].flatMap((size): Program[] => [
    {
      name: `MCOPY of ${size}, overlapping`,
      setup: 'PUSH0 PUSH 40000 MSTORE',
      unit: `PUSH ${size} PUSH0 PUSH1 1 MCOPY`,
    },
    {
      name: `CALLDATACOPY of ${size}, absent`,
      setup: 'PUSH0 PUSH 40000 MSTORE',
      unit: `PUSH ${size} PUSH0 PUSH0 CALLDATACOPY`,
    },
    {
      name: `CODECOPY of ${size}`,
      setup: 'PUSH0 PUSH 40000 MSTORE',
      unit: `PUSH ${size} PUSH0 PUSH0 CODECOPY`,
      memory: new Uint8Array(32_768).fill(0xfe),
    },
    {
      name: `EXTCODECOPY of ${size}, warm`,
      setup: 'PUSH0 PUSH 40000 MSTORE',
      unit: `PUSH ${size} PUSH0 PUSH0 ADDRESS EXTCODECOPY`,
      memory: new Uint8Array(32_768).fill(0xfe),
    },
    { name: `KECCAK256 of ${size}`, setup: 'PUSH0 PUSH 40000 MSTORE', unit: `PUSH ${size} PUSH0 KECCAK256 POP` },
  ]),
  { name: 'KECCAK256 of 135', unit: 'PUSH 135 PUSH0 KECCAK256 POP' },
  { name: 'KECCAK256 of 136', unit: 'PUSH 136 PUSH0 KECCAK256 POP' },
  ...[0, 32, 32_768].map(
    (size): Program => ({
      name: `RETURNDATACOPY of ${size}`,
      setup: 'PUSH0 PUSH 40000 MSTORE PUSH0 PUSH0 PUSH 32768 PUSH0 PUSH 4 GAS STATICCALL POP',
      unit: `PUSH ${size} PUSH0 PUSH0 RETURNDATACOPY`,
    }),
  ),
]

const TRANSIENT: readonly Program[] = [
  { name: 'TLOAD, one slot', unit: 'PUSH0 TLOAD POP', copies: 500 },
  { name: 'TLOAD, new slots', unit: 'GAS TLOAD POP', copies: 500 },
  { name: 'TSTORE, one slot', unit: 'GAS PUSH0 TSTORE', copies: 500 },
  { name: 'TSTORE, new slots', unit: 'GAS DUP1 TSTORE', copies: 500 },
  { name: 'SLOAD, warm', unit: 'PUSH0 SLOAD POP', copies: 500 },
  { name: 'SSTORE, warm, changing', unit: 'GAS PUSH0 SSTORE', copies: 500 },
  { name: 'SSTORE, warm, same value', unit: 'PUSH0 PUSH0 SSTORE', copies: 500 },
  { name: 'BALANCE, warm', unit: 'ADDRESS BALANCE POP', copies: 500 },
  { name: 'EXTCODESIZE, warm', unit: 'ADDRESS EXTCODESIZE POP', copies: 500 },
  { name: 'EXTCODEHASH, warm', unit: 'ADDRESS EXTCODEHASH POP', copies: 500 },
]

const LOGS: readonly Program[] = [0, 1, 2, 3, 4].flatMap((topics) =>
  [0, 32, 1_024, 32_768].map(
    (size): Program => ({
      name: `LOG${topics} of ${size}`,
      setup: 'PUSH0 PUSH 40000 MSTORE',
      unit: `${'GAS '.repeat(topics)} PUSH ${size} PUSH0 LOG${topics}`,
    }),
  ),
)

export const INSTRUCTION_PROGRAMS: readonly Program[] = [...ARITHMETIC, ...PLAIN, ...MEMORY, ...TRANSIENT, ...LOGS]
