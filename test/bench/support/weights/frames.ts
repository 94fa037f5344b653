/** Calls, creations, reverts and destructions. */
import type { Overlay } from '../../../../store/overlay.ts'
import { assemble, toBytes } from './assemble.ts'
import { addressOf, setCode } from './bench-machine.ts'
import type { Program } from './program.ts'

const word = (address: Uint8Array): string => `PUSH20 0x${Buffer.from(address).toString('hex')}`
const helper = (number: number, code: string): Pick<Program, 'prepare'> => ({
  prepare: (state: Overlay) => setCode(state, addressOf(number), toBytes(assemble(code))),
})

const callOf = (address: string, gas: string, value = 'PUSH0'): string =>
  `PUSH0 PUSH0 PUSH0 PUSH0 ${value} ${address} ${gas} CALL POP`
const staticCallOf = (address: string, gas: string, opcode = 'STATICCALL'): string =>
  `PUSH0 PUSH0 PUSH0 PUSH0 ${address} ${gas} ${opcode} POP`

const HELPER = word(addressOf(1))
/** Init code that returns as many bytes of zeros as the word at the end of memory says. */
const returning = (bytes: number): string => `PUSH ${bytes} PUSH0 RETURN`
/** Puts init code at the beginning of memory. */
const inMemory = (initCode: string): string => {
  const hex = assemble(initCode)
  const bytes = hex.length / 2
  return `PUSH${bytes} 0x${hex} PUSH0 MSTORE`
}
const initAt = (initCode: string): readonly [offset: number, size: number] => {
  const bytes = assemble(initCode).length / 2
  return [32 - bytes, bytes]
}
const creating = (initCode: string): Pick<Program, 'setup' | 'unit'> => {
  const [offset, size] = initAt(initCode)
  return { setup: inMemory(initCode), unit: `PUSH ${size} PUSH ${offset} PUSH0 CREATE POP` }
}

const CALLS: readonly Program[] = [
  { name: 'CALL, warm, no code', unit: callOf('PUSH 0xff', 'PUSH0') },
  { name: 'CALL with value, warm, itself, no gas', unit: callOf('ADDRESS', 'PUSH0', 'PUSH 1') },
  { name: 'CALL, warm, STOP', unit: callOf(HELPER, 'GAS'), ...helper(1, 'STOP') },
  { name: 'STATICCALL, warm, STOP', unit: staticCallOf(HELPER, 'GAS'), ...helper(1, 'STOP') },
  { name: 'DELEGATECALL, warm, STOP', unit: staticCallOf(HELPER, 'GAS', 'DELEGATECALL'), ...helper(1, 'STOP') },
  { name: 'CALL, warm, INVALID without gas', unit: callOf(HELPER, 'PUSH0'), ...helper(1, 'INVALID') },
  { name: 'CALL, warm, underflow', unit: callOf(HELPER, 'PUSH0'), ...helper(1, 'POP') },
  { name: 'CALL, warm, REVERT', unit: callOf(HELPER, 'GAS'), ...helper(1, 'PUSH0 PUSH0 REVERT') },
  {
    name: 'CALL, more value than there is',
    unit: callOf(HELPER, 'PUSH0', 'GASLIMIT GASLIMIT MUL GASLIMIT MUL'),
    ...helper(1, 'STOP'),
  },
  {
    name: 'CALL with 24 KB of input, RETURN of it',
    setup: 'PUSH0 PUSH 24544 MSTORE',
    unit: `PUSH0 PUSH0 PUSH 24576 PUSH0 PUSH0 ${HELPER} GAS CALL POP`,
    ...helper(1, 'CALLDATASIZE PUSH0 PUSH0 CALLDATACOPY CALLDATASIZE PUSH0 RETURN'),
  },
  { name: 'CALL itself down to the limit, again and again', isWhole: true, unit: callOf('ADDRESS', 'GAS'), copies: 1 },
  {
    name: 'frame with 100 TSTOREs that reverts',
    unit: callOf(HELPER, 'GAS'),
    copies: 10,
    ...helper(1, `${'GAS GAS TSTORE '.repeat(100)} PUSH0 PUSH0 REVERT`),
  },
  {
    name: 'frame with 100 LOG0s that reverts',
    unit: callOf(HELPER, 'GAS'),
    copies: 10,
    ...helper(1, `${'PUSH0 PUSH0 LOG0 '.repeat(100)} PUSH0 PUSH0 REVERT`),
  },
  {
    name: 'frame with 100 value transfers that reverts',
    unit: callOf(HELPER, 'GAS'),
    copies: 10,
    ...helper(
      1,
      `${callOf('PUSH 0xff', 'PUSH0', 'PUSH 1').repeat(0)}${`${callOf('ORIGIN', 'PUSH0', 'PUSH 1')} `.repeat(100)} PUSH0 PUSH0 REVERT`,
    ),
  },
]

const CREATIONS: readonly Program[] = [
  { name: 'CREATE, empty', unit: 'PUSH0 PUSH0 PUSH0 CREATE POP' },
  { name: 'CREATE2, empty', unit: 'GAS PUSH0 PUSH0 PUSH0 CREATE2 POP' },
  {
    name: 'CREATE2, collision',
    isWhole: true,
    setup: 'PUSH0 PUSH0 PUSH0 PUSH0 CREATE2 POP',
    unit: 'PUSH0 PUSH0 PUSH0 PUSH0 CREATE2 POP',
    copies: 1,
  },
  { name: 'CREATE of 1 byte', ...creating(returning(1)) },
  { name: 'CREATE of 24 KB', ...creating(returning(24_576)), copies: 4, gas: 16_000_000n },
  {
    name: 'CREATE, init code of 48 KB that fails',
    isWhole: true,
    setup: 'PUSH0 PUSH 49120 MSTORE PUSH 0xfe PUSH0 MSTORE8',
    unit: 'PUSH 49152 PUSH0 PUSH0 CREATE POP',
    copies: 1,
  },
  {
    name: 'CREATE, init code of 48 KB that jumps',
    setup:
      'PUSH0 PUSH 49120 MSTORE PUSH32 0x6003565b00000000000000000000000000000000000000000000000000000000 PUSH0 MSTORE',
    unit: 'PUSH 49152 PUSH0 PUSH0 CREATE POP',
  },
  {
    name: 'CREATE2, init code of 48 KB, STOP',
    setup: 'PUSH0 PUSH 49120 MSTORE',
    unit: 'GAS PUSH 49152 PUSH0 PUSH0 CREATE2 POP',
  },
  { name: 'CREATE that destroys itself', ...creating('ORIGIN SELFDESTRUCT') },
  {
    name: 'CREATE that runs out of its deposit',
    isWhole: true,
    ...creating(returning(24_576)),
    unit: 'PUSH 5 PUSH 27 PUSH0 CREATE POP',
    copies: 1,
    gas: 4_000_000n,
  },
]

const DESTRUCTIONS: readonly Program[] = [
  { name: 'SELFDESTRUCT, not new', unit: callOf(HELPER, 'GAS'), ...helper(1, 'ORIGIN SELFDESTRUCT') },
]

export const FRAME_PROGRAMS: readonly Program[] = [...CALLS, ...CREATIONS, ...DESTRUCTIONS]
