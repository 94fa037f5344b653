/** Programs of the EVM in words, for tests. */
import { bigintToBytes } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { OPCODE, type OpcodeName } from '../opcodes.ts'

export type Part = bigint | OpcodeName | Uint8Array

const byte = (value: number): string => value.toString(16).padStart(2, '0')

const push = (value: Uint8Array): string => byte(OPCODE.PUSH0 + value.length) + bytesToHex(value).slice(2)

/** Numbers and addresses are pushed; the last operand first, as the machine wants them. */
export const code = (...parts: readonly Part[]): Uint8Array =>
  hexToBytes(
    `0x${parts
      .map((part) =>
        typeof part === 'string' ? byte(OPCODE[part]) : push(part instanceof Uint8Array ? part : bigintToBytes(part)),
      )
      .join('')}`,
  )

/** An instruction behind its operands, the first of which is the top of the stack. */
export const op = (opcode: OpcodeName, ...operands: readonly Part[]): Part[] => [...operands.toReversed(), opcode]
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
