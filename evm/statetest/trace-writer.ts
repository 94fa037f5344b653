/** Steps as the lines of EIP-3155, the way geth's `evm --trace --trace.format=json` writes them. */
import { bytesToUnprefixedHex, quantityToHex } from '../../core/hex.ts'
import type { ExecuteOptions, FrameExit, Step } from '../engine.ts'
import { memoryNeed } from '../memory-need.ts'
import { minStack, OPCODE } from '../opcodes.ts'

const { CALL, SELFDESTRUCT } = OPCODE

/** Failures before an instruction runs: geth writes its step once, with the error. Others it writes a second time. */
const BEFORE_RUNNING = /^(out of gas|gas uint64 overflow|stack underflow|stack limit reached)/

/** Go's encoder writes these three so. */
const escapeHtml = (json: string): string =>
  json.replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)

/** The code that a creation returns can be refused: then no step failed. */
const AFTER_RUNNING = /^(max code size exceeded|invalid code|contract creation code)/

const lineOf = (step: Step, stack: readonly bigint[], memoryBytes: number, error?: string): string =>
  escapeHtml(
    JSON.stringify({
      pc: step.pc,
      op: step.opcode,
      gas: quantityToHex(step.gasLeft),
      gasCost: quantityToHex(step.gasCost),
      memSize: memoryBytes,
      stack: stack.map(quantityToHex),
      depth: step.depth,
      refund: Number(step.refund),
      opName: step.opcodeName,
      ...(error === undefined ? {} : { error }),
    }),
  )

/** The stack as a failing instruction leaves it: most took their operands, a forbidden or unknown one looked at none. */
const stackAfter = ({ opcode, stack }: Step, error: string): readonly bigint[] => {
  const untouched = (error === 'write protection' && opcode !== CALL) || error.startsWith('invalid opcode')
  return untouched ? stack : stack.slice(0, stack.length - minStack(opcode))
}

/** Memory has grown already for what the failing instruction was to read or write. */
const memoryAfter = ({ opcode, stack, memoryBytes }: Step): number =>
  Math.max(memoryBytes, Math.ceil(Number(memoryNeed(opcode, stack) ?? 0n) / 32) * 32)

export class TraceWriter implements Required<Pick<ExecuteOptions, 'onStep' | 'onEnter' | 'onExit'>> {
  readonly #write: (line: string) => void
  /** Written once it is known whether it failed. */
  #pending: Step | undefined

  /** `write` takes a line without its end. */
  constructor(write: (line: string) => void) {
    this.#write = write
  }

  readonly onStep = (step: Step): void => {
    this.#flush()
    this.#pending = step
  }

  readonly onEnter = (): void => {
    this.#flush()
  }

  readonly onExit = (exit: FrameExit): void => {
    this.#writeLast(exit)
    this.#write(
      escapeHtml(
        JSON.stringify({
          output: bytesToUnprefixedHex(exit.returnData),
          gasUsed: quantityToHex(exit.gasUsed),
          ...(exit.failure === undefined ? {} : { error: exit.failure.message }),
        }),
      ),
    )
  }

  #writeLast({ depth, failure }: FrameExit): void {
    const step = this.#pending
    if (step === undefined || step.depth !== depth || failure === undefined || AFTER_RUNNING.test(failure.message)) {
      this.#flush()
      if (step?.opcode === SELFDESTRUCT) this.#write('{"output":"","gasUsed":"0x0"}')
      return
    }
    this.#pending = undefined
    const error = failure.message
    if (BEFORE_RUNNING.test(error)) {
      this.#write(lineOf(step, step.stack, step.memoryBytes, error))
    } else {
      this.#write(lineOf(step, step.stack, step.memoryBytes))
      this.#write(lineOf(step, stackAfter(step, error), memoryAfter(step), error))
    }
  }

  #flush(): void {
    const step = this.#pending
    if (step === undefined) return
    this.#pending = undefined
    this.#write(lineOf(step, step.stack, step.memoryBytes))
  }
}
