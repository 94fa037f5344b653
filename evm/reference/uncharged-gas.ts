/** The gas of instructions that the library refuses before it knows their cost; geth charges first and refuses then. */
import type { EVM, InterpreterStep } from '@ethereumjs/evm'
import type { Address } from '../../core/address.ts'
import { bigintToBytes, bytesToBigint, padLeft } from '../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { delegationOf } from '../delegation.ts'
import { memoryGas, memoryNeed } from '../memory-need.ts'
import { OPCODE } from '../opcodes.ts'
import { isEmptyAccount } from '../transition/fees.ts'

const WARM_ACCESS_GAS = 100n
const COLD_ACCOUNT_GAS = 2_600n
const COLD_SLOT_GAS = 2_100n
const SSTORE_SENTRY_GAS = 2_300n
const SET_SLOT_GAS = 20_000n
const RESET_SLOT_GAS = 2_900n
const VALUE_GAS = 9_000n
const NEW_ACCOUNT_GAS = 25_000n
const CREATE_GAS = 32_000n

export interface GasContext {
  readonly evm: EVM
  readonly state: StateReader & Pick<StateWriter, 'originalStorage'>
}

const words = (bytes: bigint): bigint => (bytes + 31n) / 32n

const expansionGas = (opcode: number, { stack, memoryWordCount }: InterpreterStep): bigint => {
  const need = words(memoryNeed(opcode, stack) ?? 0n)
  return need <= memoryWordCount ? 0n : memoryGas(need) - memoryGas(memoryWordCount)
}

const sstoreGas = ({ evm, state }: GasContext, step: InterpreterStep, slot: Uint8Array, value: bigint): bigint => {
  // The sentry of EIP-2200 comes before any cost.
  if (step.gasLeft <= SSTORE_SENTRY_GAS) return 0n
  const address = step.address.bytes
  const access = evm.journal.isWarmedStorage(address, slot) ? 0n : COLD_SLOT_GAS
  const current = bytesToBigint(state.storage(address, slot))
  const original = bytesToBigint(state.originalStorage(address, slot))
  if (current === value || current !== original) return access + WARM_ACCESS_GAS
  return access + (original === 0n ? SET_SLOT_GAS : RESET_SLOT_GAS)
}

const accessGas = ({ evm }: GasContext, address: Address): bigint =>
  evm.journal.isWarmedAddress(address) ? WARM_ACCESS_GAS : COLD_ACCOUNT_GAS

/** The gas of a CALL that gives value, without what it forwards. */
const callGas = (context: GasContext, target: Address): bigint => {
  const account = context.state.account(target)
  const delegate = account === undefined ? undefined : delegationOf(context.state.code(account.codeHash))
  const resolution = delegate === undefined ? 0n : accessGas(context, delegate)
  const creation = account === undefined || isEmptyAccount(account) ? NEW_ACCOUNT_GAS : 0n
  return accessGas(context, target) + resolution + VALUE_GAS + creation
}

/** Undefined for instructions that are never refused so, and for those whose access the library noted before it failed. */
export const unchargedGas = (context: GasContext, opcode: number, step: InterpreterStep): bigint | undefined => {
  const item = (position: number): bigint => step.stack[step.stack.length - 1 - position] ?? 0n
  const memory = expansionGas(opcode, step)
  switch (opcode) {
    case OPCODE.RETURNDATACOPY:
      return 3n + 3n * words(item(2)) + memory
    case OPCODE.SSTORE:
      return sstoreGas(context, step, padLeft(bigintToBytes(item(0)), 32), item(1))
    case OPCODE.LOG0:
    case OPCODE.LOG1:
    case OPCODE.LOG2:
    case OPCODE.LOG3:
    case OPCODE.LOG4:
      return 375n * BigInt(opcode - OPCODE.LOG0 + 1) + 8n * item(1) + memory
    case OPCODE.CREATE:
      return CREATE_GAS + 2n * words(item(2)) + memory
    case OPCODE.CREATE2:
      return CREATE_GAS + 8n * words(item(2)) + memory
    case OPCODE.CALL:
      return callGas(context, padLeft(bigintToBytes(BigInt.asUintN(160, item(1))), 20)) + memory
    default:
      return undefined
  }
}
