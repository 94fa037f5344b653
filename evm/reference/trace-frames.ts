/** The library's events as steps and frames. Listeners cost much: they are attached only while someone traces. */
import {
  type EVM,
  EVMError,
  type EVMResult,
  type InterpreterStep,
  type Message as LibraryMessage,
} from '@ethereumjs/evm'
import { contractAddress, contractAddress2, toAddress } from '../../core/address.ts'
import { bigintToBytes, EMPTY_BYTES, padLeft } from '../../core/bytes.ts'
import { MAX_INIT_CODE_BYTES } from '../../core/limits.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { ExecuteOptions, FrameEntry, FrameKind, Step } from '../engine.ts'
import { MAX_MEMORY_BYTES, memoryNeed } from '../memory-need.ts'
import { FRAME_KINDS, gasBeforeOperands, minStack, OPCODE, opcodeName } from '../opcodes.ts'
import { accessOf } from '../state-access.ts'
import { failureOf, type StepGas } from './failure.ts'
import { type GasContext, unchargedGas } from './uncharged-gas.ts'

type RunState = NonNullable<EVMResult['execResult']['runState']>

const CALL_STIPEND_GAS = 2_300n
const MAX_DEPTH = 1024
const { STOP, RETURNDATACOPY, SLOAD, SSTORE, LOG0, LOG1, LOG2, LOG3, LOG4 } = OPCODE
const { CREATE, CALL, RETURN, CREATE2, REVERT, SELFDESTRUCT } = OPCODE

/** What a call gives to its frame: the gas asked for, at most all but a 64th of what is left (EIP-150). */
const forwardedGas = (kind: FrameKind, step: InterpreterStep, cost: bigint): bigint => {
  const available = step.gasLeft - cost
  if (available < 0n) return 0n
  const most = available - available / 64n
  if (kind === 'CREATE' || kind === 'CREATE2') return most
  const asked = step.stack[step.stack.length - 1] ?? 0n
  return asked < most ? asked : most
}

const WRITES: ReadonlySet<number> = new Set([SSTORE, LOG0, LOG1, LOG2, LOG3, LOG4, CREATE, CALL, CREATE2])

/**
 * The gas cost as geth shows it: that of a call holds what it forwards, and of what cannot be paid only the constant
 * part counts.
 */
const gasCostOf = (context: GasContext, opcode: number, step: InterpreterStep, isStatic: boolean): bigint => {
  const fee = step.opcode.dynamicFee ?? 0n
  const constant = gasBeforeOperands(opcode)
  const need = memoryNeed(opcode, step.stack)
  if (step.stack.length < minStack(opcode)) return constant > 0n ? constant : fee
  if (step.gasLeft < constant || need === undefined || need > MAX_MEMORY_BYTES) return constant
  const createdBytes = opcode === CREATE || opcode === CREATE2 ? (step.stack[step.stack.length - 3] ?? 0n) : 0n
  if (createdBytes > MAX_INIT_CODE_BYTES) return constant
  // The library had no cost: a write in a static frame, or a read beyond the return data.
  const valueless = opcode === CALL && (step.stack[step.stack.length - 3] ?? 0n) === 0n
  const refused = (isStatic && WRITES.has(opcode) && !valueless) || (opcode === RETURNDATACOPY && fee === constant)
  const cost = (refused ? unchargedGas(context, opcode, step) : undefined) ?? fee
  const kind = FRAME_KINDS.get(opcode)
  if (kind === undefined || kind === 'CREATE' || kind === 'CREATE2') return cost
  return cost < constant ? constant : cost + forwardedGas(kind, step, cost)
}

const slotValueOf = (
  state: StateReader,
  opcode: number,
  { stack, address }: InterpreterStep,
): Uint8Array | undefined => {
  if ((opcode !== SLOAD && opcode !== SSTORE) || stack.length === 0) return undefined
  return state.storage(address.bytes, padLeft(bigintToBytes(topOf(stack, 0)), 32))
}

const toStep = (
  state: StateReader,
  event: InterpreterStep,
  opcode: number,
  gasCost: bigint,
  baseRefund: bigint,
): Step => ({
  pc: event.pc,
  opcode,
  opcodeName: opcodeName(opcode),
  gasLeft: event.gasLeft,
  gasCost,
  depth: event.depth + 1,
  stack: event.stack,
  memoryBytes: Number(event.memoryWordCount) * 32,
  memory: event.memory,
  refund: event.gasRefund + baseRefund,
  address: event.address.bytes,
  returnData: EMPTY_BYTES,
  slotValue: slotValueOf(state, opcode, event),
  failure: undefined,
})

/** The step that a run stands at, where the library has no event for it. */
const stepOfRun = (run: RunState, opcode: number, depth: number, refund: bigint): Step => {
  const memoryBytes = Number(run.memoryWordCount) * 32
  return {
    pc: run.programCounter,
    opcode,
    opcodeName: opcodeName(opcode),
    gasLeft: run.gasLeft,
    gasCost: 0n,
    depth,
    stack: run.stack.getStack(),
    memoryBytes,
    memory: run.memory.read(0, memoryBytes),
    refund,
    address: run.env.address.bytes,
    returnData: EMPTY_BYTES,
    slotValue: undefined,
    failure: undefined,
  }
}

/** geth steps on the STOP that stands behind the end of every code; the library just ends. */
const endsImplicitly = ({ opCode, programCounter, code }: RunState): boolean =>
  programCounter >= code.length && opCode !== STOP && opCode !== RETURN && opCode !== SELFDESTRUCT

/** The library looks at the operands of REVERT before it tells of the step, and finds none. */
const isUnseenRevert = ({ opCode }: RunState, error: string): boolean =>
  opCode === REVERT && error === EVMError.errorMessages.STACK_UNDERFLOW

/** Code that a creation returned and that was not taken. */
const refusedCode = (run: RunState | undefined): Uint8Array =>
  (run as { returnValue?: Uint8Array } | undefined)?.returnValue ?? EMPTY_BYTES

const topOf = (stack: readonly bigint[], position: number): bigint => stack[stack.length - 1 - position] ?? 0n

const effectOf = (options: ExecuteOptions, opcode: number, event: InterpreterStep): (() => void) | undefined => {
  const { onLog, onSelfDestruct } = options
  const { stack, address, account } = event
  if (opcode === SELFDESTRUCT && onSelfDestruct !== undefined) {
    const heir = toAddress(padLeft(bigintToBytes(BigInt.asUintN(160, topOf(stack, 0))), 20))
    return () => onSelfDestruct(address.bytes, heir, account.balance)
  }
  if (opcode < LOG0 || opcode > LOG4 || onLog === undefined) return undefined
  const topics = Array.from({ length: opcode - LOG0 }, (_, index) =>
    padLeft(bigintToBytes(topOf(stack, 2 + index)), 32),
  )
  const data = padded(event.memory, Number(topOf(stack, 0)), Number(topOf(stack, 1)))
  return () => onLog({ address: address.bytes, topics, data })
}

class FrameTracer {
  readonly #context: GasContext
  readonly #options: ExecuteOptions
  readonly #baseRefund: bigint
  /** The open frames. */
  readonly #messages: LibraryMessage[] = []
  /** The kind that the last step asked for: a message does not say which instruction it came from. */
  #kind: FrameKind = 'CALL'
  #last: StepGas | undefined
  /** A frame that the library will refuse without a message; it counts once the next event shows that it did. */
  #refused: { readonly entry: FrameEntry; readonly message: string } | undefined
  /** What the last step does if it does not fail: the library tells of it before it runs. */
  #effect: (() => void) | undefined

  constructor(context: GasContext, options: ExecuteOptions, baseRefund: bigint) {
    this.#context = context
    this.#options = options
    this.#baseRefund = baseRefund
  }

  readonly step = (event: InterpreterStep): void => {
    this.#flushRefused()
    this.#flushEffect()
    // The event shows every undefined opcode as INVALID: look into the code.
    const message = this.#messages.at(-1)
    const code = message?.code
    const opcode = code instanceof Uint8Array ? (code[event.pc] ?? event.opcode.code) : event.opcode.code
    const gasCost = gasCostOf(this.#context, opcode, event, message?.isStatic === true)
    this.#last = { gasLeft: event.gasLeft, gasCost }
    const { onStep, stepsOf } = this.#options
    if (onStep !== undefined && stepsOf?.(opcode) !== false) {
      onStep(toStep(this.#context.state, event, opcode, gasCost, this.#baseRefund))
    }
    this.#access(event, opcode)
    this.#effect = effectOf(this.#options, opcode, event)
    const kind = FRAME_KINDS.get(opcode)
    if (kind === undefined) return
    this.#kind = kind
    if (this.#options.onEnter !== undefined) this.#refused = this.#refusal(kind, event)
  }

  #access({ stack, address }: InterpreterStep, opcode: number): void {
    const { onAccess } = this.#options
    if (onAccess === undefined) return
    const access = accessOf(opcode, stack.length, (position) => stack[stack.length - 1 - position] ?? 0n, address.bytes)
    if (access !== undefined) onAccess(access)
  }

  readonly enter = (message: LibraryMessage): void => {
    this.#refused = undefined
    this.#flushEffect()
    this.#messages.push(message)
    this.#options.onEnter?.(this.#entry(message))
  }

  readonly exit = (result: EVMResult): void => {
    const { execResult } = result
    const { runState } = execResult
    const depth = this.#messages.length
    const refund = (execResult.gasRefund ?? 0n) + this.#baseRefund
    if (execResult.exceptionError === undefined) {
      this.#flushRefused()
      this.#flushEffect()
      if (this.#messages.at(-1)?.isCompiled === true) {
        for (const [address, topics, data] of execResult.logs ?? []) this.#options.onLog?.({ address, topics, data })
      }
      if (runState !== undefined && endsImplicitly(runState))
        this.#options.onStep?.(stepOfRun(runState, STOP, depth, refund))
    } else if (runState !== undefined && isUnseenRevert(runState, execResult.exceptionError.error)) {
      this.#options.onStep?.(stepOfRun(runState, REVERT, depth, refund))
    }
    this.#refused = undefined
    this.#effect = undefined
    const failure = failureOf(execResult, this.#last)
    this.#last = undefined
    this.#options.onExit?.({
      depth,
      gasUsed: execResult.executionGasUsed,
      returnData: failure?.kind === 'other' ? refusedCode(runState) : execResult.returnValue.slice(),
      failure,
    })
    this.#messages.pop()
  }

  #entry(message: LibraryMessage): FrameEntry {
    const { caller, to, data, salt } = message
    // A copy: the data is a view of the caller's memory.
    const common = { depth: message.depth + 1, gas: message.gasLimit, value: message.value, input: data.slice() }
    if (to === undefined) {
      // The creator's nonce has been raised already.
      const nonce = (this.#context.state.account(caller.bytes)?.nonce ?? 1n) - 1n
      const address =
        salt === undefined ? contractAddress(caller.bytes, nonce) : contractAddress2(caller.bytes, salt, data)
      return { kind: salt === undefined ? 'CREATE' : 'CREATE2', from: caller.bytes, to: address, ...common }
    }
    const kind = message.depth === 0 ? 'CALL' : this.#kind
    const from = kind === 'DELEGATECALL' ? to.bytes : caller.bytes
    return { kind, from, to: message.codeAddress.bytes, ...common }
  }

  #refusal(kind: FrameKind, event: InterpreterStep): { entry: FrameEntry; message: string } | undefined {
    const item = (position: number): bigint => event.stack[event.stack.length - 1 - position] ?? 0n
    const creates = kind === 'CREATE' || kind === 'CREATE2'
    const pays = kind === 'CALL' || kind === 'CALLCODE'
    const value = creates ? item(0) : pays ? item(2) : 0n
    const tooDeep = event.depth >= MAX_DEPTH
    if (!tooDeep && value <= event.account.balance) return undefined
    const stipend = pays && value > 0n ? CALL_STIPEND_GAS : 0n
    const at = creates ? 1 : pays ? 3 : 2
    const from = event.address.bytes
    const input = padded(event.memory, Number(item(at)), Number(item(at + 1)))
    const entry = {
      kind,
      depth: event.depth + 2,
      from,
      to: !creates
        ? toAddress(padLeft(bigintToBytes(BigInt.asUintN(160, item(1))), 20))
        : kind === 'CREATE'
          ? contractAddress(from, event.account.nonce)
          : contractAddress2(from, padLeft(bigintToBytes(item(3)), 32), input),
      gas: forwardedGas(kind, event, event.opcode.dynamicFee ?? 0n) + stipend,
      value,
      input,
    }
    return { entry, message: tooDeep ? 'max call depth exceeded' : 'insufficient balance for transfer' }
  }

  #flushEffect(): void {
    this.#effect?.()
    this.#effect = undefined
  }

  #flushRefused(): void {
    if (this.#refused === undefined) return
    const { entry, message } = this.#refused
    this.#refused = undefined
    this.#options.onEnter?.(entry)
    const failure = { kind: 'other', message } as const
    this.#options.onExit?.({ depth: entry.depth, gasUsed: 0n, returnData: EMPTY_BYTES, failure })
  }
}

/** Largest piece of memory shown where it has not been paid for yet. */
const MAX_REFUSED_INPUT_BYTES = 1 << 20

const padded = (memory: Uint8Array, offset: number, size: number): Uint8Array => {
  if (size === 0 || size > MAX_REFUSED_INPUT_BYTES) return EMPTY_BYTES
  const out = new Uint8Array(size)
  if (offset < memory.length) out.set(memory.subarray(offset, offset + size))
  return out
}

/** Attaches what `options` ask for; the result detaches it. `baseRefund` was earned before the first frame. */
export const traceFrames = (
  evm: EVM,
  state: StateWriter,
  options: ExecuteOptions,
  baseRefund: bigint,
): (() => void) => {
  const { onStep, onAccess, onEnter, onExit, onLog, onSelfDestruct } = options
  if ((onStep ?? onAccess ?? onEnter ?? onExit ?? onLog ?? onSelfDestruct) === undefined) return () => undefined
  const tracer = new FrameTracer({ evm, state }, options, baseRefund)
  evm.events.on('step', tracer.step)
  evm.events.on('beforeMessage', tracer.enter)
  evm.events.on('afterMessage', tracer.exit)
  return () => {
    evm.events.off('step', tracer.step)
    evm.events.off('beforeMessage', tracer.enter)
    evm.events.off('afterMessage', tracer.exit)
  }
}
