/** Hashing, call data, code, return data and copies between them and memory. */
import { keccak256 } from '../../../core/hash.ts'
import { WEIGHT } from '../../weight.ts'
import type { Frame } from '../frame.ts'
import { setBytes, setNumber, toNumber, WORD } from '../words.ts'
import { accessAccount, accessGas } from './access.ts'
import { charge, type Instruction, memoryEnd, memorySlice, operand, wordsOf } from './instruction.ts'

const WORD_GAS = 3
const HASH_WORD_GAS = 6

export const hash: Instruction = (machine, frame) => {
  const { stack } = machine
  const [offset, size] = [operand(frame, 0), operand(frame, 1)]
  const words = wordsOf(toNumber(stack, size))
  const signal = charge(machine, frame, HASH_WORD_GAS * words, memoryEnd(stack, offset, size))
  if (signal !== 'continue') return signal
  machine.weigh(WEIGHT.hash + WEIGHT.hashWord * words)
  setBytes(stack, size, keccak256(memorySlice(machine, frame, offset, size)))
  frame.sp -= WORD
  return 'continue'
}

/** Copies `size` bytes of `source` into memory; behind its end it is zero. */
const copyPadded = (memory: Uint8Array, to: number, source: Uint8Array, from: number, size: number): void => {
  const available = from >= source.length ? 0 : Math.min(size, source.length - from)
  if (available > 0) memory.set(source.subarray(from, from + available), to)
  memory.fill(0, to + available, to + size)
}

/** CALLDATACOPY and CODECOPY: to memory at the first operand, from the second, as many bytes as the third. */
const copyFrom =
  (sourceOf: (frame: Frame) => Uint8Array): Instruction =>
  (machine, frame) => {
    const { stack } = machine
    const [to, from, count] = [operand(frame, 0), operand(frame, 1), operand(frame, 2)]
    const size = toNumber(stack, count)
    const signal = charge(machine, frame, WORD_GAS * wordsOf(size), memoryEnd(stack, to, count))
    if (signal !== 'continue') return signal
    machine.weigh(WEIGHT.copy)
    if (size > 0) {
      const offset = frame.memoryBase + toNumber(stack, to)
      copyPadded(machine.memory.bytes, offset, sourceOf(frame), toNumber(stack, from), size)
    }
    frame.sp -= 3 * WORD
    return 'continue'
  }

export const callDataCopy = copyFrom((frame) => frame.input)
export const codeCopy = copyFrom(({ code }) => code.bytes.subarray(0, code.length))

export const extCodeCopy: Instruction = (machine, frame) => {
  const { stack } = machine
  const [to, from, count] = [operand(frame, 1), operand(frame, 2), operand(frame, 3)]
  const size = toNumber(stack, count)
  const gas = accessGas(machine, operand(frame, 0)) + WORD_GAS * wordsOf(size)
  const signal = charge(machine, frame, gas, memoryEnd(stack, to, count))
  if (signal !== 'continue') return signal
  const entry = accessAccount(machine, operand(frame, 0))
  if (size > 0) {
    const code = machine.codeOf(entry, machine.state.account(entry.address))
    const { bytes, length } = machine.weighCode(entry, code)
    const offset = frame.memoryBase + toNumber(stack, to)
    copyPadded(machine.memory.bytes, offset, bytes.subarray(0, length), toNumber(stack, from), size)
  }
  frame.sp -= 4 * WORD
  return 'continue'
}

export const returnDataSize: Instruction = (machine, frame) => {
  setNumber(machine.stack, frame.sp, frame.returnData.length)
  frame.sp += WORD
  return 'continue'
}

export const returnDataCopy: Instruction = (machine, frame) => {
  const { stack } = machine
  const [to, from, count] = [operand(frame, 0), operand(frame, 1), operand(frame, 2)]
  const size = toNumber(stack, count)
  const signal = charge(machine, frame, WORD_GAS * wordsOf(size), memoryEnd(stack, to, count))
  if (signal !== 'continue') return signal
  machine.weigh(WEIGHT.copy)
  const start = toNumber(stack, from)
  if (start + size > frame.returnData.length) return 'returnDataBounds'
  if (size > 0) {
    machine.memory.bytes.set(frame.returnData.subarray(start, start + size), frame.memoryBase + toNumber(stack, to))
  }
  frame.sp -= 3 * WORD
  return 'continue'
}

export const memoryCopy: Instruction = (machine, frame) => {
  const { stack, memory } = machine
  const [to, from, count] = [operand(frame, 0), operand(frame, 1), operand(frame, 2)]
  const size = toNumber(stack, count)
  const end = Math.max(memoryEnd(stack, to, count), memoryEnd(stack, from, count))
  const signal = charge(machine, frame, WORD_GAS * wordsOf(size), end)
  if (signal !== 'continue') return signal
  machine.weigh(WEIGHT.copy)
  if (size > 0) {
    const start = frame.memoryBase + toNumber(stack, from)
    memory.bytes.copyWithin(frame.memoryBase + toNumber(stack, to), start, start + size)
  }
  frame.sp -= 3 * WORD
  return 'continue'
}
