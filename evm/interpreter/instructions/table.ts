/** The instructions outside the loop, by opcode. */
import { INVALID_OPCODE } from '../signals.ts'
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

const CLZ = 0x1e

const DEFINED: readonly (readonly [opcode: number, instruction: Instruction])[] = [
  [0x0a, exponent],
  [0x20, hash],
  [0x30, address],
  [0x31, balance],
  [0x32, fromContext('origin')],
  [0x37, callDataCopy],
  [0x38, codeSize],
  [0x39, codeCopy],
  [0x3a, fromContext('gasPrice')],
  [0x3b, extCodeSize],
  [0x3c, extCodeCopy],
  [0x3d, returnDataSize],
  [0x3e, returnDataCopy],
  [0x3f, extCodeHash],
  [0x40, blockHash],
  [0x41, fromContext('coinbase')],
  [0x42, fromContext('timestamp')],
  [0x43, fromContext('number')],
  [0x44, fromContext('prevRandao')],
  [0x45, fromContext('gasLimit')],
  [0x46, fromContext('chainId')],
  [0x47, selfBalance],
  [0x48, fromContext('baseFee')],
  [0x49, blobHash],
  [0x4a, fromContext('blobBaseFee')],
  [0x54, loadStorage],
  [0x55, writeStorage],
  [0x5c, loadTransient],
  [0x5d, writeTransient],
  [0x5e, memoryCopy],
  [0xa0, log],
  [0xa1, log],
  [0xa2, log],
  [0xa3, log],
  [0xa4, log],
  [0xf0, create],
  [0xf1, call],
  [0xf2, call],
  [0xf4, call],
  [0xf5, create],
  [0xfa, call],
  [0xff, selfDestruct],
]

const invalid: Instruction = () => INVALID_OPCODE

export const INSTRUCTIONS: readonly Instruction[] = (() => {
  const table = new Array<Instruction>(256).fill(invalid)
  for (const [opcode, instruction] of DEFINED) table[opcode] = instruction
  table[CLZ] = (machine, frame) => (machine.rules.isDefined[CLZ] === 1 ? leadingZeros(machine, frame) : INVALID_OPCODE)
  return table
})()
