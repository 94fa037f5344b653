/** Instructions that enter other frames, and SELFDESTRUCT. */
import { contractAddress, contractAddress2 } from '../../../core/address.ts'
import { MAX_INIT_CODE_BYTES } from '../../../core/limits.ts'
import { OPCODE } from '../../opcodes.ts'
import { WEIGHT } from '../../weight.ts'
import { isEmptyAccount } from '../../transition/fees.ts'
import type { Frame } from '../frame.ts'
import { memoryFailure } from '../failure.ts'
import type { Machine } from '../machine.ts'
import { expansionGas } from '../memory.ts'
import type { Signal } from '../signals.ts'
import type { AccountEntry } from '../substate.ts'
import { isZero, toBigint, toBytes, toNumber, WORD } from '../words.ts'
import { accessAccount, accessGas, COLD_ACCOUNT_GAS, COLD_SURCHARGE_GAS, WARM_GAS } from './access.ts'
import { charge, type Instruction, memoryEnd, memorySlice, operand, wordsOf } from './instruction.ts'

const { CALL, CALLCODE, CREATE2 } = OPCODE
const VALUE_GAS = 9_000
const NEW_ACCOUNT_GAS = 25_000
const STIPEND_GAS = 2_300
const INIT_CODE_WORD_GAS = 2
const HASH_WORD_GAS = 6

/** EIP-150: all but a 64th can go to another frame. */
const allButA64th = (gas: number): number => gas - Math.floor(gas / 64)

/** Tells the gas of a look at the delegate whose code a call of `target` runs (EIP-7702). */
const delegateGas = (machine: Machine, target: AccountEntry): number => {
  if (machine.rules.hardfork === 'cancun') return 0
  const { delegate } = machine.codeOf(target, machine.state.account(target.address))
  if (delegate === undefined) return 0
  const entry = machine.substate.accountAt(delegate)
  if (entry.isWarm) return WARM_GAS
  machine.weigh(WEIGHT.coldAccount)
  machine.substate.warm(entry)
  return COLD_ACCOUNT_GAS
}

/** EIP-161: value that goes where nothing is. */
const newAccountGas = (machine: Machine, target: AccountEntry): number => {
  const account = machine.state.account(target.address)
  return account === undefined || isEmptyAccount(account) ? NEW_ACCOUNT_GAS : 0
}

/**
 * CALL, CALLCODE, DELEGATECALL and STATICCALL. Order of charges as in geth: access to the target and its delegate are
 * taken at once, for the 64th is reckoned from what they leave.
 */
export const call: Instruction = (machine, frame) => {
  const { stack, request } = machine
  const kind = frame.opcode
  const pays = kind === CALL || kind === CALLCODE
  const inputAt = operand(frame, pays ? 3 : 2)
  const [sizeAt, outputAt, outputSizeAt] = [inputAt - WORD, inputAt - 2 * WORD, inputAt - 3 * WORD]
  const end = Math.max(memoryEnd(stack, inputAt, sizeAt), memoryEnd(stack, outputAt, outputSizeAt))
  const memoryGas = expansionGas(frame.memorySize, end)
  if (memoryGas === Infinity && memoryFailure(stack, frame.sp, kind) === 'gasOverflow') return 'gasOverflow'

  let gas = accessGas(machine, operand(frame, 1))
  if (frame.gas < gas) return 'coldTarget'
  const target = accessAccount(machine, operand(frame, 1))
  gas += delegateGas(machine, target)
  if (frame.gas < gas) return 'coldTarget'
  const valueAt = operand(frame, 2)
  const givesValue = pays && !isZero(stack, valueAt)
  if (givesValue) gas += VALUE_GAS + (kind === CALL ? newAccountGas(machine, target) : 0)
  const available = frame.gas - gas - memoryGas
  // The charge fails then, whatever is asked.
  if (available < 0) frame.unpaidCall = toBigint(stack, operand(frame, 0))
  const forwarded = available < 0 ? 0 : Math.min(toNumber(stack, operand(frame, 0)), allButA64th(available))
  const signal = charge(machine, frame, gas + forwarded, end)
  if (signal !== 'continue') return signal
  if (frame.isStatic && givesValue && kind === CALL) return 'writeProtection'
  machine.weigh(givesValue ? WEIGHT.frame + WEIGHT.changedAccount : WEIGHT.frame)

  request.kind = kind
  request.target = target
  request.gas = givesValue ? forwarded + STIPEND_GAS : forwarded
  request.valueAnat = givesValue ? toBigint(stack, valueAt) : 0n
  request.input = memorySlice(machine, frame, inputAt, sizeAt)
  request.outputSize = toNumber(stack, outputSizeAt)
  request.outputOffset = request.outputSize === 0 ? 0 : toNumber(stack, outputAt)
  frame.sp -= (pays ? 7 : 6) * WORD
  return 'enter'
}

/** CREATE and CREATE2. */
export const create: Instruction = (machine, frame) => {
  const { stack, request } = machine
  const salted = frame.opcode === CREATE2
  const [offsetAt, sizeAt] = [operand(frame, 1), operand(frame, 2)]
  const size = toNumber(stack, sizeAt)
  const end = memoryEnd(stack, offsetAt, sizeAt)
  if (expansionGas(frame.memorySize, end) === Infinity) return memoryFailure(stack, frame.sp, frame.opcode)
  if (size > MAX_INIT_CODE_BYTES) return 'initCodeSize'
  const gas = (INIT_CODE_WORD_GAS + (salted ? HASH_WORD_GAS : 0)) * wordsOf(size)
  const signal = charge(machine, frame, gas, end)
  if (signal !== 'continue') return signal
  if (frame.isStatic) return 'writeProtection'

  machine.weigh(
    WEIGHT.coldAccount + WEIGHT.changedAccount + (salted ? WEIGHT.hash + WEIGHT.hashWord * wordsOf(size) : 0),
  )
  const initCode = memorySlice(machine, frame, offsetAt, sizeAt)
  const address = salted
    ? contractAddress2(frame.address, toBytes(stack, operand(frame, 3)), initCode)
    : contractAddress(frame.address, machine.state.account(frame.address)?.nonce ?? 0n)
  request.kind = frame.opcode
  request.target = machine.substate.accountAt(address)
  request.gas = allButA64th(frame.gas)
  request.valueAnat = toBigint(stack, operand(frame, 0))
  request.input = initCode
  request.outputOffset = 0
  request.outputSize = 0
  frame.sp -= (salted ? 4 : 3) * WORD
  return 'enter'
}

/** The constant part, charged before, has paid for a look at the heir. */
const selfDestructGas = (machine: Machine, frame: Frame, heir: AccountEntry): number => {
  machine.weigh(heir.isWarm ? WEIGHT.changedAccount : WEIGHT.coldAccount + WEIGHT.changedAccount)
  const access = heir.isWarm ? 0 : COLD_SURCHARGE_GAS + WARM_GAS
  machine.substate.warm(heir)
  const held = machine.state.account(frame.address)?.balance ?? 0n
  return access + (held === 0n ? 0 : newAccountGas(machine, heir))
}

/**
 * Gives the balance away, where the heir may have it; the account goes only in the transaction that created it (EIP-6780), and what it then gives
 * to itself is burnt.
 */
export const selfDestruct: Instruction = (machine, frame): Signal => {
  const { state, substate } = machine
  const heir = substate.account(machine.stack, frame.sp - WORD)
  frame.gas -= selfDestructGas(machine, frame, heir)
  if (frame.gas < 0) return 'outOfGas'
  if (frame.isStatic) return 'writeProtection'
  const { account: entry } = frame
  const account = state.account(frame.address)
  if (entry !== undefined && account !== undefined) {
    const isOwnHeir = heir === entry
    const refusal = account.balance === 0n ? undefined : machine.nativePrecompiles?.heirRefusal(heir.address)
    if (refusal !== undefined) {
      frame.output = refusal
      return 'reverted'
    }
    machine.tracer?.selfDestruct(frame.address, heir.address, account.balance)
    if (!isOwnHeir || entry.isCreated) {
      state.setAccount(frame.address, { ...account, balance: 0n })
      if (isOwnHeir) substate.burntAnat += account.balance
      else machine.credit(heir, account.balance)
    }
    if (entry.isCreated) substate.noteDestroyed(entry)
  }
  frame.sp -= WORD
  return 'done'
}
