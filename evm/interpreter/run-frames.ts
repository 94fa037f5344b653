/**
 * Enters and leaves frames, without recursion: 1,024 of them would overflow the stack of JavaScript. Rules of calls and
 * creations as in geth's EVM (Yellow Paper 7 and 8, EIP-150, 161, 170, 684, 3541, 7610, 7702).
 */
import { EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../../core/hash.ts'
import { MAX_CODE_BYTES } from '../../core/limits.ts'
import { MAX_UINT64 } from '../../core/amounts.ts'
import { type AccountState, EMPTY_ACCOUNT } from '../../store/state.ts'
import type { ExecutionFailure } from '../engine.ts'
import type { NativeSubcall, NativeSubcallResult } from '../native-precompiles.ts'
import { OPCODE } from '../opcodes.ts'
import { precompileAddress } from '../precompile-addresses.ts'
import { OUT_OF_GAS, type Precompile } from '../precompiles/precompile.ts'
import { PRECOMPILE_WEIGHT, WEIGHT } from '../weight.ts'
import { Code, NO_CODE } from './code.ts'
import { frameFailure, plainFailure } from './failure.ts'
import { ADDRESS_WORD, CALLER_WORD, type Frame, VALUE_WORD } from './frame.ts'
import { interpret } from './interpret.ts'
import type { Machine } from './machine.ts'
import type { Refusal, Signal } from './signals.ts'
import type { AccountEntry } from './substate.ts'
import { copyWord, setBigint, setBytes, setSmall, WORD } from './words.ts'

const { CREATE, CALL, DELEGATECALL, CREATE2, STATICCALL } = OPCODE
const MAX_DEPTH = 1_024
const CODE_BYTE_GAS = 200
const FORBIDDEN_PREFIX = 0xef

export interface FrameResult {
  readonly failure: ExecutionFailure | undefined
  readonly gasLeft: number
  readonly output: Uint8Array
}

const isCreation = (kind: number): boolean => kind === CREATE || kind === CREATE2

/** Runs the machine's request as the outermost frame. A promise where the machine has a pace and gave way. */
export const runFrames = (machine: Machine): FrameResult | Promise<FrameResult> => {
  const runner = new FrameRunner(machine)
  return runner.run() ?? runner.runLater()
}

/** The same for a machine without a pace. */
export const runFramesAtOnce = (machine: Machine): FrameResult => {
  const result = new FrameRunner(machine).run()
  invariant(result !== undefined, 'an execution without a pace paused')
  return result
}

class FrameRunner {
  readonly #machine: Machine
  #result: FrameResult | undefined
  /** A precompile has called a contract, and waits for it. */
  #isInSubcall = false
  /** How the frame failed that ended last. */
  #lastFailure: ExecutionFailure | undefined

  constructor(machine: Machine) {
    this.#machine = machine
  }

  /** Undefined where it paused. */
  run(): FrameResult | undefined {
    this.#machine.depth = -1
    this.#enter()
    return this.#goOn()
  }

  /** After {@link run} has paused. */
  async runLater(): Promise<FrameResult> {
    for (;;) {
      await this.#machine.pace?.yield()
      const result = this.#goOn()
      if (result !== undefined) return result
    }
  }

  #goOn(): FrameResult | undefined {
    this.#runDownTo(-1)
    invariant(this.#machine.depth >= 0 || this.#result !== undefined, 'the frames ended without a result')
    return this.#result
  }

  /** Runs until the frame of `depth` goes on, or until it pauses. */
  #runDownTo(depth: number): void {
    const machine = this.#machine
    while (machine.depth > depth) {
      const frame = this.#running()
      // Init code may be empty: then no instruction runs, in traces either.
      const signal = frame.code.length === 0 ? 'done' : interpret(machine, frame)
      if (signal === 'paused') return
      machine.tracer?.endSteps(signal, frame)
      if (signal === 'enter') {
        // A creation takes its gas here: in traces its price is without what it forwards.
        if (isCreation(machine.request.kind)) frame.gas -= machine.request.gas
        this.#enter()
      } else this.#leave(frame, signal)
      if (machine.pace?.isYieldDue === true) return
    }
  }

  #running(): Frame {
    return this.#machine.frames[this.#machine.depth] as Frame
  }

  /** Begins the requested frame, or completes it at once where no code runs. */
  #enter(): void {
    const machine = this.#machine
    const { request, state } = machine
    const { target, kind, valueAnat } = request
    invariant(target !== undefined, 'a frame is asked for without a target')
    machine.interrupt?.()
    const caller = machine.depth < 0 ? undefined : this.#running()
    const payer = caller?.address ?? machine.origin
    machine.tracer?.enter(machine, caller)
    if (machine.depth + 1 > MAX_DEPTH) return this.#refuse('depth')
    const held = valueAnat > 0n || isCreation(kind) ? state.account(payer) : undefined
    if (valueAnat > (held?.balance ?? 0n)) return this.#refuse('balance')
    if (isCreation(kind)) return this.#create(target, caller, held ?? EMPTY_ACCOUNT)
    return this.#call(target, caller)
  }

  #call(target: AccountEntry, caller: Frame | undefined): void {
    const machine = this.#machine
    const { request, state } = machine
    const { kind, valueAnat } = request
    const account = state.account(target.address)
    if (target.precompile !== undefined) return this.#runPrecompile(target.precompile, target, caller)
    let code = machine.weighCode(target, machine.codeOf(target, account))
    if (code.delegate !== undefined && machine.rules.hardfork !== 'cancun') code = this.#delegateCode(code)
    if (code.length === 0) {
      // Nothing runs: only the value moves.
      if (kind === CALL || kind === STATICCALL) this.#pay(target, caller)
      return this.#finish(undefined, request.gas, EMPTY_BYTES)
    }
    const frame = this.#open(caller)
    frame.code = code
    if (kind === CALL || kind === STATICCALL) {
      this.#setOwner(frame, target)
      this.#setCaller(frame, caller)
      this.#pay(target, caller)
    } else {
      invariant(caller?.account !== undefined, 'only code can run the code of another account')
      this.#setOwner(frame, caller.account)
      if (kind === DELEGATECALL) {
        copyWord(frame.words, CALLER_WORD, caller.words, CALLER_WORD)
        copyWord(frame.words, VALUE_WORD, caller.words, VALUE_WORD)
        frame.valueAnat = caller.valueAnat
      } else this.#setCaller(frame, caller)
    }
    if (kind !== DELEGATECALL) {
      setBigint(frame.words, VALUE_WORD, valueAnat)
      frame.valueAnat = valueAnat
    }
    frame.input = request.input
    frame.isStatic = kind === STATICCALL || caller?.isStatic === true
  }

  /** One step only: the code of the delegate, even where that delegates on; none of a precompile. */
  #delegateCode({ delegate }: Code): Code {
    const machine = this.#machine
    invariant(delegate !== undefined, 'code delegates without a delegate')
    const entry = machine.substate.accountAt(delegate)
    if (entry.precompile !== undefined) return NO_CODE
    return machine.weighCode(entry, machine.codeOf(entry, machine.state.account(delegate)))
  }

  #create(target: AccountEntry, caller: Frame | undefined, creator: AccountState): void {
    const machine = this.#machine
    const { request, state, substate } = machine
    // The transaction itself has raised the nonce of its sender: beyond 64 bits where an override said the last one.
    if (caller === undefined) {
      if (creator.nonce > MAX_UINT64) return this.#refuse('nonce')
    } else {
      if (creator.nonce >= MAX_UINT64) return this.#refuse('nonce')
      state.setAccount(caller.address, { ...creator, nonce: creator.nonce + 1n })
    }
    // Stays warm whatever becomes of it (EIP-2929).
    substate.warm(target)
    const existing = state.account(target.address)
    if (existing !== undefined && !isVacant(existing)) return this.#finish(plainFailure('collision'), 0, EMPTY_BYTES)
    const frame = this.#open(caller)
    substate.noteCreated(target)
    state.setAccount(target.address, { ...(existing ?? EMPTY_ACCOUNT), nonce: 1n })
    frame.code = new Code(request.input)
    this.#setOwner(frame, target)
    this.#setCaller(frame, caller)
    setBigint(frame.words, VALUE_WORD, request.valueAnat)
    frame.valueAnat = request.valueAnat
    this.#pay(target, caller)
    frame.input = EMPTY_BYTES
    frame.isStatic = false
  }

  /** A fresh frame with a checkpoint behind it. */
  #open(caller: Frame | undefined): Frame {
    const machine = this.#machine
    const { request } = machine
    const stackBase = caller === undefined ? 0 : caller.sp
    const frame = machine.frameAt(machine.depth + 1, stackBase)
    machine.depth++
    frame.kind = request.kind
    frame.stackBase = stackBase
    frame.sp = stackBase
    frame.memoryBase = caller === undefined ? 0 : caller.memoryBase + caller.memorySize
    frame.memorySize = 0
    frame.pc = 0
    frame.gas = request.gas
    frame.gasLimit = request.gas
    frame.returnData = EMPTY_BYTES
    frame.output = EMPTY_BYTES
    frame.outputOffset = request.outputOffset
    frame.outputSize = request.outputSize
    frame.mark = machine.substate.mark()
    machine.checkpoint()
    return frame
  }

  #setOwner(frame: Frame, owner: AccountEntry): void {
    frame.account = owner
    frame.address = owner.address
    setBytes(frame.words, ADDRESS_WORD, owner.address)
  }

  #setCaller(frame: Frame, caller: Frame | undefined): void {
    if (caller === undefined) setBytes(frame.words, CALLER_WORD, this.#machine.origin)
    else copyWord(frame.words, CALLER_WORD, caller.words, ADDRESS_WORD)
  }

  /** Moves the request's value, which the payer was found to have. No value still touches. */
  #pay(target: AccountEntry, caller: Frame | undefined): void {
    const machine = this.#machine
    const { state } = machine
    const { valueAnat } = machine.request
    if (valueAnat > 0n) {
      const payer = caller?.address ?? machine.origin
      const account = state.account(payer)
      invariant(account !== undefined && account.balance >= valueAnat, 'a frame pays what its caller does not have')
      state.setAccount(payer, { ...account, balance: account.balance - valueAnat })
    }
    machine.credit(target, valueAnat)
  }

  #runPrecompile(number: number, target: AccountEntry, caller: Frame | undefined): void {
    const machine = this.#machine
    const { request, substate } = machine
    const precompile = machine.precompiles.get(number)
    const mark = substate.mark()
    machine.checkpoint()
    if (request.kind === CALL || request.kind === STATICCALL) this.#pay(target, caller)
    const { failure, gasLeft, output } =
      precompile === undefined ? this.#runNative(number, caller) : this.#runEthereum(number, precompile)
    if (failure === undefined) machine.commit()
    else {
      machine.revert()
      substate.revert(mark)
    }
    this.#finish(failure, gasLeft, output)
  }

  /** One of Ethereum's. Nothing is computed before it is paid for; its price is a look at the input. */
  #runEthereum(number: number, precompile: Precompile): FrameResult {
    const { request } = this.#machine
    this.#machine.weigh(WEIGHT.precompile)
    const gas = precompile.gasOf(request.input)
    const gasLeft = request.gas - gas
    if (gasLeft < 0) return failedPrecompile(OUT_OF_GAS)
    this.#machine.weigh(gas * (PRECOMPILE_WEIGHT.get(number) ?? WEIGHT.precompileGas))
    const output = precompile.run(request.input)
    return typeof output === 'string' ? failedPrecompile(output) : { failure: undefined, gasLeft, output }
  }

  /** One of the chain's own: it reads and writes the state of this very frame. */
  #runNative(number: number, caller: Frame | undefined): FrameResult {
    const machine = this.#machine
    const { request, nativePrecompiles, substate } = machine
    invariant(nativePrecompiles !== undefined, 'a precompile is named and missing')
    machine.weigh(WEIGHT.precompile)
    const isStatic = request.kind === STATICCALL || caller?.isStatic === true
    const { gasUsed, output, logs, events, failure } = nativePrecompiles.run({
      precompile: precompileAddress(number),
      caller: caller?.address ?? machine.origin,
      value: request.valueAnat,
      input: request.input,
      gas: BigInt(request.gas),
      isStatic,
      isDelegated: request.kind !== CALL && request.kind !== STATICCALL,
      depth: machine.depth + 2,
      state: machine.state,
      ...(this.#isInSubcall
        ? {}
        : { call: (subcall: NativeSubcall) => this.#runSubcall(subcall, isStatic || subcall.isStatic, caller) }),
    })
    substate.logs.push(...logs)
    for (const log of logs) machine.tracer?.log(log)
    substate.nativeEvents.push(...events)
    if (failure?.kind === 'other') {
      machine.weigh(request.gas * WEIGHT.nativeGas)
      return { failure, gasLeft: 0, output: EMPTY_BYTES }
    }
    machine.weigh(Number(gasUsed) * WEIGHT.nativeGas)
    return { failure, gasLeft: request.gas - Number(gasUsed), output }
  }

  /**
   * A call by the precompile that runs, from a frame without code that stands for it: what is called ends into that frame as
   * into any other. The request of the precompile comes back, for it is finished by it.
   */
  #runSubcall(subcall: NativeSubcall, isStatic: boolean, caller: Frame | undefined): NativeSubcallResult {
    const machine = this.#machine
    const { request, substate } = machine
    invariant(!this.#isInSubcall, 'a precompile calls a contract within the call of another')
    const held = { ...request }
    const { pace } = machine
    // The precompile waits for what it called.
    machine.pace = undefined
    const frame = this.#open(caller)
    this.#setOwner(frame, substate.accountAt(subcall.from))
    frame.code = NO_CODE
    frame.input = EMPTY_BYTES
    frame.gas = 0
    frame.isStatic = isStatic
    const target = substate.accountAt(subcall.to)
    machine.weigh(target.isWarm ? WEIGHT.frame : WEIGHT.frame + WEIGHT.coldAccount)
    substate.warm(target)
    request.kind = isStatic ? STATICCALL : CALL
    request.target = target
    request.gas = Number(subcall.gas)
    request.valueAnat = 0n
    request.input = subcall.input
    request.outputOffset = 0
    request.outputSize = 0
    this.#isInSubcall = true
    const { depth } = machine
    this.#enter()
    this.#runDownTo(depth)
    this.#isInSubcall = false
    machine.pace = pace
    machine.depth--
    machine.commit()
    Object.assign(request, held)
    return { gasUsed: subcall.gas - BigInt(frame.gas), output: frame.returnData, failure: this.#lastFailure }
  }

  #refuse(signal: Refusal): void {
    this.#finish(plainFailure(signal), this.#machine.request.gas, EMPTY_BYTES)
  }

  /** Ends the running frame and goes back to its caller. */
  #leave(frame: Frame, ended: Signal): void {
    const machine = this.#machine
    const { substate } = machine
    const signal = ended === 'done' && isCreation(frame.kind) ? this.#deposit(frame) : ended
    machine.depth--
    if (signal === 'done') machine.commit()
    else {
      machine.revert()
      if (frame.mark !== undefined) substate.revert(frame.mark)
    }
    const gasLeft = signal === 'done' || signal === 'reverted' ? frame.gas : 0
    const failure = frameFailure(signal, frame, machine.stack)
    const refusedCode = ended === 'done' && signal !== 'done'
    const output = failure?.kind === 'other' && !refusedCode ? EMPTY_BYTES : frame.output
    const { kind, gasLimit, outputOffset, outputSize, account } = frame
    machine.tracer?.exit(machine.depth + 2, gasLimit - gasLeft, output, failure)
    // Frames are used again: let go of what may be large.
    frame.code = NO_CODE
    frame.input = EMPTY_BYTES
    this.#resume(kind, account, failure, gasLeft, output, outputOffset, outputSize)
  }

  /** Takes the returned code of a creation, or says why not. */
  #deposit(frame: Frame): Signal {
    const { output } = frame
    if (output.length > MAX_CODE_BYTES) return 'codeSize'
    if (output[0] === FORBIDDEN_PREFIX) return 'codePrefix'
    const gas = CODE_BYTE_GAS * output.length
    if (frame.gas < gas) return 'deposit'
    frame.gas -= gas
    const { state } = this.#machine
    const codeHash = state.setCode(output)
    state.setAccount(frame.address, { ...(state.account(frame.address) ?? EMPTY_ACCOUNT), codeHash })
    return 'done'
  }

  /** Completes the request without a frame. */
  #finish(failure: ExecutionFailure | undefined, gasLeft: number, output: Uint8Array): void {
    const machine = this.#machine
    const { kind, target, gas, outputOffset, outputSize } = machine.request
    machine.tracer?.exit(machine.depth + 2, gas - gasLeft, output, failure)
    this.#resume(kind, target, failure, gasLeft, output, outputOffset, outputSize)
  }

  /** Gives the caller what a frame left: a word on its stack, gas, return data. */
  #resume(
    kind: number,
    account: AccountEntry | undefined,
    failure: ExecutionFailure | undefined,
    gasLeft: number,
    output: Uint8Array,
    outputOffset: number,
    outputSize: number,
  ): void {
    const machine = this.#machine
    if (machine.depth < 0) {
      this.#result = { failure, gasLeft, output }
      return
    }
    const frame = this.#running()
    const { stack } = machine
    this.#lastFailure = failure
    frame.gas += gasLeft
    const creates = isCreation(kind)
    if (failure !== undefined) setSmall(stack, frame.sp, 0)
    else if (creates && account !== undefined) setBytes(stack, frame.sp, account.address)
    else setSmall(stack, frame.sp, 1)
    frame.sp += WORD
    const hasOutput = failure === undefined || failure.kind === 'revert'
    frame.returnData = hasOutput && !(creates && failure === undefined) ? output : EMPTY_BYTES
    if (hasOutput && outputSize > 0 && output.length > 0) {
      const copied = output.length > outputSize ? output.subarray(0, outputSize) : output
      machine.memory.bytes.set(copied, frame.memoryBase + outputOffset)
    }
  }
}

const failedPrecompile = (message: string): FrameResult => ({
  failure: { kind: 'other', message },
  gasLeft: 0,
  output: EMPTY_BYTES,
})

/** Where a contract may be created: nothing but a balance (EIP-684, EIP-7610). */
const isVacant = ({ nonce, codeHash, storageRoot }: AccountState): boolean =>
  nonce === 0n && equalBytes(codeHash, EMPTY_CODE_HASH) && equalBytes(storageRoot, EMPTY_TRIE_ROOT)
