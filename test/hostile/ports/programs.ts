/** Contracts that use up what they may. */
import { assemble } from '../../e2e/parity/assemble.ts'

export const LOOP = assemble('again: @again JUMP')

/** A megabyte of memory in each frame, which calls itself with the gas that is left. */
export const MEMORY = assemble('0x100000 MLOAD POP 0 0 0 0 0 ADDRESS GAS CALL STOP')

/** Hashes a megabyte in each step. */
export const HASH = assemble('again: 0x100000 0 KECCAK256 POP @again JUMP')

/** A number of 256 bytes to the power of one of 32 bytes, modulo one of 256 bytes. */
export const MODEXP = assemble(`
  0x0100 0 MSTORE 0x20 0x20 MSTORE 0x0100 0x40 MSTORE
  0 NOT 0x60 MSTORE 0 NOT 0x0160 MSTORE 0 NOT 0x0180 MSTORE
  again: 0 0 0x0280 0 5 GAS STATICCALL POP @again JUMP`)

/** Logs without data and topics until little gas is left: 39,000 for 16 million. */
export const LOGS = assemble('again: 0 0 LOG0 10002 GAS GT @again JUMPI STOP')
