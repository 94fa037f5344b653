/** Storage (EIP-2200, 2929, 3529), transient storage (EIP-1153) and logs. */
import { invariant } from '../../../core/errors.ts'
import type { Hash } from '../../../core/hash.ts'
import { OPCODE } from '../../opcodes.ts'
import { WEIGHT } from '../../weight.ts'
import type { Frame } from '../frame.ts'
import type { Machine } from '../machine.ts'
import type { LogBytes } from '../log-bytes.ts'
import type { AccountEntry, Slot } from '../substate.ts'
import { copyWord, isEqual, isZero, type Limbs, toNumber, WORD, writeBytes } from '../words.ts'
import { COLD_SLOT_GAS, WARM_GAS } from './access.ts'
import { charge, type Instruction, memoryEnd, memorySlice, operand } from './instruction.ts'

const SENTRY_GAS = 2_300
const SET_GAS = 20_000
const RESET_GAS = 5_000 - COLD_SLOT_GAS
const CLEARING_REFUND = 4_800
const LOG_GAS = 375
const LOG_BYTE_GAS = 8
const { LOG0 } = OPCODE

const ownerOf = (frame: Frame): AccountEntry => {
  invariant(frame.account !== undefined, 'a frame runs without an account')
  return frame.account
}

/** The access is paid for. */
const accessSlot = (machine: Machine, slot: Slot): void => {
  if (slot.isWarm) return
  machine.weigh(WEIGHT.coldSlot)
  machine.substate.warm(slot)
}

/** Warm or cold is known without the state: what is not paid for is not read. */
export const loadStorage: Instruction = (machine, frame) => {
  const { substate, stack } = machine
  const at = frame.sp - WORD
  const owner = ownerOf(frame)
  const known = substate.knownSlot(owner, stack, at)
  frame.gas -= known?.isWarm === true ? WARM_GAS : COLD_SLOT_GAS
  if (frame.gas < 0) return 'outOfGas'
  const slot = substate.slot(owner, stack, at, known)
  accessSlot(machine, slot)
  copyWord(stack, at, substate.words, slot.at)
  return 'continue'
}

/** Gas of a write beside the access, and what it changes of the refund. */
const priceWrite = (machine: Machine, owner: AccountEntry, slot: Slot, valueAt: number): number => {
  const { substate, stack } = machine
  const { words } = substate
  if (isEqual(words, slot.at, stack, valueAt)) return WARM_GAS
  const clears = isZero(stack, valueAt)
  if (substate.isOriginal(slot)) {
    const isNew = substate.isOriginallyZero(slot)
    machine.weighChange(owner, isNew)
    if (isNew) return SET_GAS
    if (clears) substate.refund += CLEARING_REFUND
    return RESET_GAS
  }
  if (!substate.isOriginallyZero(slot)) {
    if (isZero(words, slot.at)) substate.refund -= CLEARING_REFUND
    else if (clears) substate.refund += CLEARING_REFUND
  }
  if (substate.wasOriginally(slot, stack, valueAt)) {
    substate.refund += (substate.isOriginallyZero(slot) ? SET_GAS : RESET_GAS) - WARM_GAS
  }
  return WARM_GAS
}

export const writeStorage: Instruction = (machine, frame) => {
  const { substate, stack } = machine
  // What is left pays for the read of a cold slot.
  if (frame.gas <= SENTRY_GAS) return 'belowSentry'
  const valueAt = operand(frame, 1)
  const owner = ownerOf(frame)
  const slot = substate.slot(owner, stack, operand(frame, 0))
  const accessGas = slot.isWarm ? 0 : COLD_SLOT_GAS
  accessSlot(machine, slot)
  frame.gas -= accessGas + priceWrite(machine, owner, slot, valueAt)
  if (frame.gas < 0) return 'outOfGas'
  if (frame.isStatic) return 'writeProtection'
  if (!isEqual(substate.words, slot.at, stack, valueAt)) substate.setSlot(slot, stack, valueAt)
  frame.sp -= 2 * WORD
  return 'continue'
}

const transientSlot = (machine: Machine, frame: Frame, at: number): Slot => {
  const { substate, stack } = machine
  const owner = ownerOf(frame)
  const known = substate.knownTransient(owner, stack, at)
  if (known !== undefined) return known
  machine.weigh(WEIGHT.transientSlot)
  return substate.addTransient(owner, stack, at)
}

export const loadTransient: Instruction = (machine, frame) => {
  const at = frame.sp - WORD
  const slot = transientSlot(machine, frame, at)
  copyWord(machine.stack, at, machine.substate.words, slot.at)
  return 'continue'
}

export const writeTransient: Instruction = (machine, frame) => {
  if (frame.isStatic) return 'writeProtection'
  const slot = transientSlot(machine, frame, operand(frame, 0))
  machine.substate.setSlot(slot, machine.stack, operand(frame, 1))
  frame.sp -= 2 * WORD
  return 'continue'
}

const NO_TOPICS: readonly Hash[] = []

/** The topics, which stand below each other on the stack from `at` on. */
const topicsOf = (logBytes: LogBytes, stack: Limbs, at: number, count: number): readonly Hash[] =>
  Array.from({ length: count }, (_, index) => writeBytes(logBytes.reserve(4 * WORD), stack, at - index * WORD))

/** LOG0 to LOG4. */
export const log: Instruction = (machine, frame) => {
  const { stack } = machine
  const [offset, size] = [operand(frame, 0), operand(frame, 1)]
  const count = frame.opcode - LOG0
  const gas = LOG_GAS * (count + 1) + LOG_BYTE_GAS * toNumber(stack, size)
  const signal = charge(machine, frame, gas, memoryEnd(stack, offset, size))
  if (signal !== 'continue') return signal
  if (frame.isStatic) return 'writeProtection'
  machine.weigh(WEIGHT.log + WEIGHT.logTopic * count)
  const { logBytes } = machine.substate
  const topics = count === 0 ? NO_TOPICS : topicsOf(logBytes, stack, operand(frame, 2), count)
  const made = { address: frame.address, topics, data: logBytes.keep(memorySlice(machine, frame, offset, size)) }
  machine.substate.logs.push(made)
  machine.tracer?.log(made)
  frame.sp -= (2 + count) * WORD
  return 'continue'
}
