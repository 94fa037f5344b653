/** The instructions outside the loop, by opcode. */
import { OPCODE } from '../../opcodes.ts'
import { callDataCopy, codeCopy, extCodeCopy, hash, memoryCopy, returnDataCopy, returnDataSize } from './data.ts'
import {
  address,
  balance,
  blobHash,
  blockHash,
  codeSize,
  exponent,
  extCodeHash,
  extCodeSize,
  fromContext,
  leadingZeros,
  selfBalance,
} from './environment.ts'
import type { Instruction } from './instruction.ts'
import { loadStorage, loadTransient, log, writeStorage, writeTransient } from './storage.ts'
import { call, create, selfDestruct } from './system.ts'

const { CLZ } = OPCODE

const DEFINED: readonly (readonly [opcode: number, instruction: Instruction])[] = [
  [OPCODE.EXP, exponent],
  [OPCODE.KECCAK256, hash],
  [OPCODE.ADDRESS, address],
  [OPCODE.BALANCE, balance],
  [OPCODE.ORIGIN, fromContext('origin')],
  [OPCODE.CALLDATACOPY, callDataCopy],
  [OPCODE.CODESIZE, codeSize],
  [OPCODE.CODECOPY, codeCopy],
  [OPCODE.GASPRICE, fromContext('gasPrice')],
  [OPCODE.EXTCODESIZE, extCodeSize],
  [OPCODE.EXTCODECOPY, extCodeCopy],
  [OPCODE.RETURNDATASIZE, returnDataSize],
  [OPCODE.RETURNDATACOPY, returnDataCopy],
  [OPCODE.EXTCODEHASH, extCodeHash],
  [OPCODE.BLOCKHASH, blockHash],
  [OPCODE.COINBASE, fromContext('coinbase')],
  [OPCODE.TIMESTAMP, fromContext('timestamp')],
  [OPCODE.NUMBER, fromContext('number')],
  [OPCODE.DIFFICULTY, fromContext('prevRandao')],
  [OPCODE.GASLIMIT, fromContext('gasLimit')],
  [OPCODE.CHAINID, fromContext('chainId')],
  [OPCODE.SELFBALANCE, selfBalance],
  [OPCODE.BASEFEE, fromContext('baseFee')],
  [OPCODE.BLOBHASH, blobHash],
  [OPCODE.BLOBBASEFEE, fromContext('blobBaseFee')],
  [OPCODE.SLOAD, loadStorage],
  [OPCODE.SSTORE, writeStorage],
  [OPCODE.TLOAD, loadTransient],
  [OPCODE.TSTORE, writeTransient],
  [OPCODE.MCOPY, memoryCopy],
  [OPCODE.LOG0, log],
  [OPCODE.LOG1, log],
  [OPCODE.LOG2, log],
  [OPCODE.LOG3, log],
  [OPCODE.LOG4, log],
  [OPCODE.CREATE, create],
  [OPCODE.CALL, call],
  [OPCODE.CALLCODE, call],
  [OPCODE.DELEGATECALL, call],
  [OPCODE.CREATE2, create],
  [OPCODE.STATICCALL, call],
  [OPCODE.SELFDESTRUCT, selfDestruct],
]

const invalid: Instruction = () => 'invalidOpcode'

export const INSTRUCTIONS: readonly Instruction[] = (() => {
  const table = new Array<Instruction>(256).fill(invalid)
  for (const [opcode, instruction] of DEFINED) table[opcode] = instruction
  table[CLZ] = (machine, frame) => (machine.rules.isDefined[CLZ] === 1 ? leadingZeros(machine, frame) : 'invalidOpcode')
  return table
})()
