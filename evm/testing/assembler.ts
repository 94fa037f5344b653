/** Programs of the EVM in words, for tests. */
import { bigintToBytes } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'

const OPCODES = {
  STOP: '00',
  EXP: '0a',
  KECCAK256: '20',
  ADDRESS: '30',
  BALANCE: '31',
  CALLER: '33',
  CALLDATALOAD: '35',
  CALLDATASIZE: '36',
  CALLDATACOPY: '37',
  CODECOPY: '39',
  EXTCODESIZE: '3b',
  EXTCODECOPY: '3c',
  RETURNDATASIZE: '3d',
  RETURNDATACOPY: '3e',
  EXTCODEHASH: '3f',
  BLOCKHASH: '40',
  NUMBER: '43',
  SELFBALANCE: '47',
  POP: '50',
  MLOAD: '51',
  MSTORE: '52',
  MSTORE8: '53',
  SLOAD: '54',
  SSTORE: '55',
  JUMP: '56',
  JUMPI: '57',
  MSIZE: '59',
  GAS: '5a',
  JUMPDEST: '5b',
  TLOAD: '5c',
  TSTORE: '5d',
  MCOPY: '5e',
  DUP1: '80',
  SWAP1: '90',
  SWAP16: '9f',
  LOG0: 'a0',
  LOG1: 'a1',
  LOG2: 'a2',
  LOG3: 'a3',
  LOG4: 'a4',
  CREATE: 'f0',
  CALL: 'f1',
  CALLCODE: 'f2',
  RETURN: 'f3',
  DELEGATECALL: 'f4',
  CREATE2: 'f5',
  STATICCALL: 'fa',
  REVERT: 'fd',
  INVALID: 'fe',
  SELFDESTRUCT: 'ff',
} as const
export type Opcode = keyof typeof OPCODES
export type Part = bigint | Opcode | Uint8Array

const push = (value: Uint8Array): string => (0x5f + value.length).toString(16) + bytesToHex(value).slice(2)

/** Numbers and addresses are pushed; the last operand first, as the machine wants them. */
export const code = (...parts: readonly Part[]): Uint8Array =>
  hexToBytes(
    `0x${parts
      .map((part) =>
        typeof part === 'string' ? OPCODES[part] : push(part instanceof Uint8Array ? part : bigintToBytes(part)),
      )
      .join('')}`,
  )

/** An instruction behind its operands, the first of which is the top of the stack. */
export const op = (opcode: Opcode, ...operands: readonly Part[]): Part[] => [...operands.toReversed(), opcode]
/** Puts bytes of code into memory from 0 on. */
export const load = (bytes: Uint8Array): Part[] => {
  const parts: Part[] = []
  for (let at = 0; at < bytes.length; at += 32) {
    const word = new Uint8Array(32)
    word.set(bytes.subarray(at, at + 32))
    parts.push(...op('MSTORE', BigInt(at), word))
  }
  return parts
}
