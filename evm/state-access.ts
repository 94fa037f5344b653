/** Which operands of instructions name what an access list holds (EIP-2930): those that geth's list tracer looks at. */
import { type Address, toAddress } from '../core/address.ts'
import { bigintToBytes, padLeft } from '../core/bytes.ts'
import type { StateAccess } from './engine.ts'
import { OPCODE } from './opcodes.ts'

export interface Operand {
  readonly kind: StateAccess['kind']
  /** 0 is the top of the stack. */
  readonly position: number
  /** Nothing is named when the stack has fewer items. */
  readonly minStack: number
}

const SLOT: Operand = { kind: 'slot', position: 0, minStack: 1 }
const ACCOUNT: Operand = { kind: 'account', position: 0, minStack: 1 }
const CALLEE: Operand = { kind: 'account', position: 1, minStack: 5 }

const OPERANDS: readonly (Operand | undefined)[] = Object.assign(Array.from<Operand | undefined>({ length: 256 }), {
  [OPCODE.BALANCE]: ACCOUNT,
  [OPCODE.EXTCODESIZE]: ACCOUNT,
  [OPCODE.EXTCODECOPY]: ACCOUNT,
  [OPCODE.EXTCODEHASH]: ACCOUNT,
  [OPCODE.SLOAD]: SLOT,
  [OPCODE.SSTORE]: SLOT,
  [OPCODE.CALL]: CALLEE,
  [OPCODE.CALLCODE]: CALLEE,
  [OPCODE.DELEGATECALL]: CALLEE,
  [OPCODE.STATICCALL]: CALLEE,
  [OPCODE.SELFDESTRUCT]: ACCOUNT,
})

/** The operand of an instruction that names an account; undefined where none does. */
export const accountOperand = (opcode: number): Operand | undefined => {
  const operand = OPERANDS[opcode]
  return operand?.kind === 'account' ? operand : undefined
}

/** `item` reads the stack by position from the top; `address` is the account on whose storage the code runs. */
export const accessOf = (
  opcode: number,
  stackItems: number,
  item: (position: number) => bigint,
  address: Address,
): StateAccess | undefined => {
  const operand = OPERANDS[opcode]
  if (operand === undefined || stackItems < operand.minStack) return undefined
  const value = item(operand.position)
  return operand.kind === 'slot'
    ? { kind: 'slot', address, slot: value }
    : { kind: 'account', address: toAddress(padLeft(bigintToBytes(BigInt.asUintN(160, value)), 20)) }
}
