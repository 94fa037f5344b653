/**
 * Steps and frames for tracers. A step is told once its cost is known: when the next one begins or the frame stops for
 * any reason, and always before the frame that it enters.
 */
import type { Address } from '../../core/address.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import type { ExecuteOptions, ExecutionFailure, Log, Step } from '../engine.ts'
import { memoryGas } from '../memory-need.ts'
import { FRAME_KINDS, OPCODE, opcodeName } from '../opcodes.ts'
import { accessOf } from '../state-access.ts'
import { frameFailure } from './failure.ts'
import type { Frame } from './frame.ts'
import type { Machine } from './machine.ts'
import { isBeforeRunning, isUnpriced, type Signal } from './signals.ts'
import { toBigint, toTrimmedBytes, WORD } from './words.ts'

const { SLOAD, SSTORE } = OPCODE

const wordsOf = (bytes: number): bigint => BigInt(Math.ceil(bytes / 32))

/** Tells the gas of memory that was never paid for and so may cost more than a number can count. */
const unpaidGas = (memoryBytes: number, end: number): bigint =>
  end <= memoryBytes ? 0n : memoryGas(wordsOf(end)) - memoryGas(wordsOf(memoryBytes))

/**
 * Tells what a call would have given another frame, had it been able to pay `cost` of `gas`. In geth (core/vm, callGas) what
 * is left is a number of 64 bits that wraps around: almost all of them.
 */
const unpaidForward = (asked: bigint | undefined, gas: bigint, cost: bigint): bigint => {
  if (asked === undefined) return 0n
  const left = BigInt.asUintN(64, gas - cost)
  const most = left - left / 64n
  return asked < most ? asked : most
}

export class Tracer {
  readonly #machine: Machine
  readonly #options: ExecuteOptions
  /** The refund that was earned before the first frame. */
  readonly #baseRefund: bigint
  #pending: (Omit<Step, 'gasCost' | 'refund' | 'failure'> & { readonly gas: number }) | undefined

  constructor(machine: Machine, options: ExecuteOptions, baseRefund: bigint) {
    this.#machine = machine
    this.#options = options
    this.#baseRefund = baseRefund
  }

  /** Called before an instruction, with the registers of the loop. */
  step(frame: Frame, pc: number, opcode: number, sp: number, gas: number, memoryBytes: number): void {
    const { onAccess, onStep, stepsOf, memoryOf } = this.#options
    if (this.#pending !== undefined) this.#flush(BigInt(this.#pending.gas - gas), undefined)
    if (onAccess !== undefined) this.#access(onAccess, frame, opcode, sp)
    if (onStep === undefined) return
    if (stepsOf?.(opcode) === false) return
    frame.unpaidEnd = 0
    frame.unpaidCall = undefined
    const { stack: limbs, memory } = this.#machine
    const stack: bigint[] = []
    for (let at = frame.stackBase; at < sp; at += WORD) stack.push(toBigint(limbs, at))
    this.#pending = {
      pc,
      opcode,
      opcodeName: opcodeName(opcode),
      gas,
      gasLeft: BigInt(gas),
      depth: frame.depth + 1,
      stack,
      memoryBytes,
      memory:
        memoryOf?.(opcode) === false
          ? EMPTY_BYTES
          : memory.bytes.slice(frame.memoryBase, frame.memoryBase + memoryBytes),
      address: frame.address,
      returnData: frame.returnData,
      slotValue: this.#slotValue(frame, opcode, sp),
    }
  }

  #slotValue({ account, stackBase }: Frame, opcode: number, sp: number): Uint8Array | undefined {
    if ((opcode !== SLOAD && opcode !== SSTORE) || sp === stackBase || account === undefined) return undefined
    const { substate, stack } = this.#machine
    const slot = substate.slot(account, stack, sp - WORD)
    return toTrimmedBytes(substate.words, slot.at)
  }

  #access(tell: NonNullable<ExecuteOptions['onAccess']>, frame: Frame, opcode: number, sp: number): void {
    const { stack } = this.#machine
    const items = (sp - frame.stackBase) / WORD
    const access = accessOf(opcode, items, (position) => toBigint(stack, sp - (position + 1) * WORD), frame.address)
    if (access !== undefined) tell(access)
  }

  /** Called after the last instruction for now: the frame ended, failed or enters another. */
  endSteps(signal: Signal, frame: Frame): void {
    if (this.#pending === undefined) return
    const { constantGas } = this.#machine.rules
    const { gas, gasLeft, memoryBytes } = this.#pending
    const failure = isBeforeRunning(signal) ? frameFailure(signal, frame, this.#machine.stack)?.message : undefined
    if (isUnpriced(signal)) return this.#flush(BigInt(constantGas[frame.opcode] as number), failure)
    const cost = BigInt(gas - frame.gas) + unpaidGas(memoryBytes, frame.unpaidEnd)
    return this.#flush(cost + unpaidForward(frame.unpaidCall, gasLeft, cost), failure)
  }

  #flush(gasCost: bigint, failure: string | undefined): void {
    const step = this.#pending
    if (step === undefined) return
    this.#pending = undefined
    const refund = this.#baseRefund + BigInt(this.#machine.substate.refund)
    this.#options.onStep?.({ ...step, gasCost, refund, failure })
  }

  /** The machine's request begins. */
  enter({ request, depth, origin }: Machine, caller: Frame | undefined): void {
    const { onEnter } = this.#options
    const kind = FRAME_KINDS.get(request.kind)
    if (onEnter === undefined || kind === undefined || request.target === undefined) return
    onEnter({
      kind,
      depth: depth + 2,
      from: caller?.address ?? origin,
      to: request.target.address,
      gas: BigInt(request.gas),
      value: kind === 'DELEGATECALL' ? (caller?.valueAnat ?? 0n) : request.valueAnat,
      // A copy: it is a view of the caller's memory.
      input: request.input.slice(),
    })
  }

  log(log: Log): void {
    this.#options.onLog?.(log)
  }

  selfDestruct(from: Address, to: Address, value: bigint): void {
    this.#options.onSelfDestruct?.(from, to, value)
  }

  exit(depth: number, gasUsed: number, output: Uint8Array, failure: ExecutionFailure | undefined): void {
    const returnData = output.length === 0 ? EMPTY_BYTES : output.slice()
    this.#options.onExit?.({ depth, gasUsed: BigInt(gasUsed), returnData, failure })
  }
}
