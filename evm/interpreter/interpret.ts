/**
 * The loop over instructions. Those that run most often are cases of one switch over local variables, which the
 * just-in-time compiler keeps in registers; all others are functions in a table and see the frame. An instruction is
 * charged as geth does it: stack bounds, the constant part of its gas, then what depends on its operands.
 */
import {
  add,
  addModulo,
  divide,
  modulo,
  multiply,
  multiplyModulo,
  signedDivide,
  signedModulo,
  signExtend,
  subtract,
} from './arithmetic.ts'
import { and, byteAt, isLess, isSignedLess, not, or, shiftLeft, shiftRight, shiftRightSigned, xor } from './bits.ts'
import { CALLER_WORD, type Frame, VALUE_WORD } from './frame.ts'
import { INSTRUCTIONS } from './instructions/table.ts'
import { type Machine, PAUSE } from './machine.ts'
import { WEIGHT } from '../weight.ts'
import { expansionGas } from './memory.ts'
import { unpaid } from './failure.ts'
import type { Signal } from './signals.ts'
import { copyWord, isEqual, isZero, loadPadded, loadWord, setNumber, setSmall, storeWord, toNumber } from './words.ts'

/** Leaves the loop with the registers put back. No closure: it would move them from registers to the heap. */
const leave = (frame: Frame, pc: number, sp: number, gas: number, opcode: number, signal: Signal): Signal => {
  frame.opcode = opcode
  frame.pc = pc
  frame.sp = sp
  frame.gas = gas
  return signal
}

/** Runs the frame until it ends, pauses or asks for another: then it goes on here, with what the other left. */
export const interpret = (machine: Machine, frame: Frame): Signal => {
  const { code, stackBase, memoryBase } = frame
  const { bytes, view: codeView } = code
  const { stack, memory, tracer } = machine
  const { constantGas, minimum, range } = machine.rules
  let { view } = memory
  let { pc, sp, gas, memorySize } = frame
  // Where nobody watches, gas never falls below this.
  let lookBelow = machine.isWatched ? gas - machine.gasALook : -1

  for (;;) {
    const opcode = bytes[pc] as number
    if (tracer !== undefined) tracer.step(frame, pc, opcode, sp, gas, memorySize)
    if ((sp - stackBase - (minimum[opcode] as number)) >>> 0 > (range[opcode] as number)) {
      return leave(frame, pc, sp, gas, opcode, 'stackBounds')
    }
    gas -= constantGas[opcode] as number
    if (gas < 0) return leave(frame, pc, sp, gas, opcode, 'outOfGas')
    pc++
    switch (opcode) {
      case 0x00: // STOP
        return leave(frame, pc, sp, gas, opcode, 'done')
      case 0x01: // ADD
        sp -= 8
        add(stack, sp)
        break
      case 0x02: // MUL
        sp -= 8
        multiply(stack, sp)
        break
      case 0x03: // SUB
        sp -= 8
        subtract(stack, sp)
        break
      case 0x04: // DIV
        machine.weigh(WEIGHT.division)
        sp -= 8
        divide(stack, sp)
        break
      case 0x05: // SDIV
        machine.weigh(WEIGHT.division)
        sp -= 8
        signedDivide(stack, sp)
        break
      case 0x06: // MOD
        machine.weigh(WEIGHT.division)
        sp -= 8
        modulo(stack, sp)
        break
      case 0x07: // SMOD
        machine.weigh(WEIGHT.division)
        sp -= 8
        signedModulo(stack, sp)
        break
      case 0x08: // ADDMOD
        machine.weigh(WEIGHT.modularArithmetic)
        addModulo(stack, sp - 8)
        sp -= 16
        break
      case 0x09: // MULMOD
        machine.weigh(WEIGHT.modularArithmetic)
        multiplyModulo(stack, sp - 8)
        sp -= 16
        break
      case 0x0b: // SIGNEXTEND
        sp -= 8
        signExtend(stack, sp)
        break
      case 0x10: // LT
        sp -= 8
        setSmall(stack, sp - 8, isLess(stack, sp, sp - 8))
        break
      case 0x11: // GT
        sp -= 8
        setSmall(stack, sp - 8, isLess(stack, sp - 8, sp))
        break
      case 0x12: // SLT
        sp -= 8
        setSmall(stack, sp - 8, isSignedLess(stack, sp, sp - 8))
        break
      case 0x13: // SGT
        sp -= 8
        setSmall(stack, sp - 8, isSignedLess(stack, sp - 8, sp))
        break
      case 0x14: // EQ
        sp -= 8
        setSmall(stack, sp - 8, isEqual(stack, sp, stack, sp - 8) ? 1 : 0)
        break
      case 0x15: // ISZERO
        setSmall(stack, sp - 8, isZero(stack, sp - 8) ? 1 : 0)
        break
      case 0x16: // AND
        sp -= 8
        and(stack, sp)
        break
      case 0x17: // OR
        sp -= 8
        or(stack, sp)
        break
      case 0x18: // XOR
        sp -= 8
        xor(stack, sp)
        break
      case 0x19: // NOT
        not(stack, sp - 8)
        break
      case 0x1a: // BYTE
        sp -= 8
        byteAt(stack, sp)
        break
      case 0x1b: // SHL
        sp -= 8
        shiftLeft(stack, sp)
        break
      case 0x1c: // SHR
        sp -= 8
        shiftRight(stack, sp)
        break
      case 0x1d: // SAR
        sp -= 8
        shiftRightSigned(stack, sp)
        break
      case 0x33: // CALLER
        copyWord(stack, sp, frame.words, CALLER_WORD)
        sp += 8
        break
      case 0x34: // CALLVALUE
        copyWord(stack, sp, frame.words, VALUE_WORD)
        sp += 8
        break
      case 0x35: // CALLDATALOAD
        machine.weigh(WEIGHT.callDataLoad)
        loadPadded(stack, sp - 8, frame.input, toNumber(stack, sp - 8))
        break
      case 0x36: // CALLDATASIZE
        setSmall(stack, sp, frame.input.length)
        sp += 8
        break
      case 0x50: // POP
        sp -= 8
        break
      case 0x51: // MLOAD
      case 0x52: // MSTORE
      case 0x53: {
        // MSTORE8
        const offset = toNumber(stack, sp - 8)
        const end = offset + (opcode === 0x53 ? 1 : 32)
        if (end > memorySize) {
          const left = gas - expansionGas(memorySize, end)
          if (left < 0) return leave(frame, pc, sp, gas, opcode, unpaid(frame, stack, sp, opcode, end))
          gas = left
          frame.memorySize = memorySize = memory.grow(memoryBase, memorySize, end)
          view = memory.view
        }
        if (opcode === 0x51) loadWord(stack, sp - 8, view, memoryBase + offset)
        else {
          if (opcode === 0x52) storeWord(view, memoryBase + offset, stack, sp - 16)
          else view.setUint8(memoryBase + offset, stack[sp - 16] as number)
          sp -= 16
        }
        break
      }
      case 0x56: {
        // JUMP
        const target = toNumber(stack, sp - 8)
        if (!(target < code.length) || code.jumpDestinations[target] !== 1)
          return leave(frame, pc, sp, gas, opcode, 'invalidJump')
        sp -= 8
        pc = target
        if (gas < lookBelow) {
          lookBelow = machine.look(gas)
          if (lookBelow === PAUSE) return leave(frame, pc, sp, gas, opcode, 'paused')
        }
        break
      }
      case 0x57: // JUMPI
        if (!isZero(stack, sp - 16)) {
          const target = toNumber(stack, sp - 8)
          if (!(target < code.length) || code.jumpDestinations[target] !== 1)
            return leave(frame, pc, sp, gas, opcode, 'invalidJump')
          pc = target
          if (gas < lookBelow) {
            lookBelow = machine.look(gas)
            if (lookBelow === PAUSE) return leave(frame, pc, sp - 16, gas, opcode, 'paused')
          }
        }
        sp -= 16
        break
      case 0x58: // PC
        setSmall(stack, sp, pc - 1)
        sp += 8
        break
      case 0x59: // MSIZE
        setNumber(stack, sp, memorySize)
        sp += 8
        break
      case 0x5a: // GAS
        setNumber(stack, sp, gas)
        sp += 8
        break
      case 0x5b: // JUMPDEST
        break
      case 0x5f: // PUSH0
        setSmall(stack, sp, 0)
        sp += 8
        break
      case 0x60: // PUSH1
        setSmall(stack, sp, bytes[pc] as number)
        sp += 8
        pc += 1
        break
      case 0x61: // PUSH2
        setSmall(stack, sp, codeView.getUint16(pc))
        sp += 8
        pc += 2
        break
      case 0x62: // PUSH3
        setSmall(stack, sp, codeView.getUint32(pc) >>> 8)
        sp += 8
        pc += 3
        break
      case 0x63: // PUSH4
        setSmall(stack, sp, codeView.getInt32(pc))
        sp += 8
        pc += 4
        break
      case 0x64: // PUSH5 to PUSH32
      case 0x65:
      case 0x66:
      case 0x67:
      case 0x68:
      case 0x69:
      case 0x6a:
      case 0x6b:
      case 0x6c:
      case 0x6d:
      case 0x6e:
      case 0x6f:
      case 0x70:
      case 0x71:
      case 0x72:
      case 0x73:
      case 0x74:
      case 0x75:
      case 0x76:
      case 0x77:
      case 0x78:
      case 0x79:
      case 0x7a:
      case 0x7b:
      case 0x7c:
      case 0x7d:
      case 0x7e:
      case 0x7f: {
        const size = opcode - 0x5f
        setSmall(stack, sp, 0)
        let end = pc + size
        let at = sp
        for (; end - 4 >= pc; end -= 4) stack[at++] = codeView.getInt32(end - 4)
        // What is left stands in the highest bytes of the four at `pc`.
        if (end > pc) stack[at] = codeView.getInt32(pc) >>> (32 - 8 * (end - pc))
        sp += 8
        pc += size
        break
      }
      case 0x80: // DUP1 to DUP16
      case 0x81:
      case 0x82:
      case 0x83:
      case 0x84:
      case 0x85:
      case 0x86:
      case 0x87:
      case 0x88:
      case 0x89:
      case 0x8a:
      case 0x8b:
      case 0x8c:
      case 0x8d:
      case 0x8e:
      case 0x8f:
        copyWord(stack, sp, stack, sp - (opcode - 0x7f) * 8)
        sp += 8
        break
      case 0x90: // SWAP1 to SWAP16
      case 0x91:
      case 0x92:
      case 0x93:
      case 0x94:
      case 0x95:
      case 0x96:
      case 0x97:
      case 0x98:
      case 0x99:
      case 0x9a:
      case 0x9b:
      case 0x9c:
      case 0x9d:
      case 0x9e:
      case 0x9f: {
        const other = sp - (opcode - 0x8e) * 8
        for (let i = 0; i < 8; i++) {
          const limb = stack[sp - 8 + i] as number
          stack[sp - 8 + i] = stack[other + i] as number
          stack[other + i] = limb
        }
        break
      }
      case 0xf3: // RETURN
      case 0xfd: {
        // REVERT
        const size = toNumber(stack, sp - 16)
        const offset = size === 0 ? 0 : toNumber(stack, sp - 8)
        const end = size === 0 ? 0 : offset + size
        if (end > memorySize) {
          const left = gas - expansionGas(memorySize, end)
          if (left < 0) return leave(frame, pc, sp, gas, opcode, unpaid(frame, stack, sp, opcode, end))
          gas = left
          frame.memorySize = memorySize = memory.grow(memoryBase, memorySize, end)
        }
        frame.output = memory.bytes.slice(memoryBase + offset, memoryBase + offset + size)
        return leave(frame, pc, sp, gas, opcode, opcode === 0xf3 ? 'done' : 'reverted')
      }
      default: {
        frame.opcode = opcode
        frame.pc = pc
        frame.sp = sp
        frame.gas = gas
        const signal = (INSTRUCTIONS[opcode] as (machine: Machine, frame: Frame) => Signal)(machine, frame)
        if (signal !== 'continue') return signal
        sp = frame.sp
        gas = frame.gas
        memorySize = frame.memorySize
        view = memory.view
        if (gas < lookBelow) {
          lookBelow = machine.look(gas)
          if (lookBelow === PAUSE) return leave(frame, pc, sp, gas, opcode, 'paused')
        }
      }
    }
  }
}
