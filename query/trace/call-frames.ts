/** The tree of calls that callTracer shows and flatCallTracer flattens. */
import { bytesToHex, type Hex, quantityToHex } from '../../core/hex.ts'
import type { Address } from '../../core/address.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import type { ExecutionResult, FrameEntry, FrameExit, FrameKind, Log } from '../../evm/engine.ts'
import { decodeRevert } from '../revert-reason.ts'
import type { TraceScene } from './tracer.ts'

export interface CallLog {
  readonly address: Hex
  readonly topics: readonly Hex[]
  readonly data: Hex
  /** Calls of the frame before it. */
  readonly position: Hex
}

export interface CallFrame {
  readonly type: FrameKind | 'SELFDESTRUCT'
  readonly from: Hex
  readonly gas: Hex
  gasUsed: Hex
  /** The address; a creation that failed has none. */
  to: Hex | undefined
  readonly input: Hex
  /** Undefined when there is none. */
  output: Hex | undefined
  error: string | undefined
  revertReason: string | undefined
  readonly calls: CallFrame[]
  logs: CallLog[]
  /** The value; a STATICCALL has none. */
  value: Hex | undefined
}

export interface CallFrameOptions {
  readonly onlyTopCall: boolean
  readonly withLog: boolean
}

/** What a frame or a log takes in JSON beside its data, and twice that of a byte. */
const FRAME_BYTES = 256
const HEX_CHARACTERS = 2
/** A character of a text becomes at worst so many. */
const ESCAPE_CHARACTERS = 6

const isCreation = (type: CallFrame['type']): boolean => type === 'CREATE' || type === 'CREATE2'

export class CallFrames {
  readonly #scene: TraceScene
  readonly #options: CallFrameOptions
  readonly #onChild: ((parent: CallFrame, address: Address) => void) | undefined
  readonly #open: CallFrame[] = []
  readonly #targets: Address[] = []
  #depth = 0
  #root: CallFrame | undefined

  /** `onChild` is told when a call has been added to its parent, with the account that it called. */
  constructor(scene: TraceScene, options: CallFrameOptions, onChild?: (parent: CallFrame, address: Address) => void) {
    this.#scene = scene
    this.#options = options
    this.#onChild = onChild
  }

  /** The outermost frame, once it has ended. */
  get root(): CallFrame | undefined {
    return this.#root
  }

  /** The innermost frame that has begun and not ended. */
  get current(): CallFrame | undefined {
    return this.#open.at(-1)
  }

  readonly onEnter = (entry: FrameEntry): void => {
    const { kind, depth, to } = entry
    this.#depth = depth
    if (this.#options.onlyTopCall && depth > 1) return
    this.#targets.push(to)
    this.#open.push(this.#create(kind, depth === 1 ? { ...entry, gas: this.#scene.message.gasLimit } : entry))
  }

  readonly onExit = (exit: FrameExit): void => {
    const { depth, gasUsed } = exit
    this.#depth = depth - 1
    if (this.#options.onlyTopCall && depth > 1) return
    const frame = this.#open.pop()
    const target = this.#targets.pop()
    if (frame === undefined || target === undefined) return
    this.#take(exit.returnData.length)
    this.#finish(frame, exit)
    frame.gasUsed = quantityToHex(gasUsed)
    const parent = this.#open.at(-1)
    if (parent === undefined) this.#root = frame
    else {
      parent.calls.push(frame)
      this.#onChild?.(parent, target)
    }
  }

  /** A SELFDESTRUCT is shown as a call of its frame. */
  readonly onSelfDestruct = (from: Address, to: Address, value: bigint): void => {
    const frame = this.#open.at(-1)
    if (frame === undefined || (this.#options.onlyTopCall && this.#depth >= 1)) return
    frame.calls.push(this.#create('SELFDESTRUCT', { from, to, gas: 0n, value, input: EMPTY_BYTES }))
  }

  readonly onLog = ({ address, topics, data }: Log): void => {
    const frame = this.#open.at(-1)
    if (frame === undefined || (this.#options.onlyTopCall && this.#depth > 1)) return
    this.#take(data.length)
    frame.logs.push({
      address: bytesToHex(address),
      topics: topics.map(bytesToHex),
      data: bytesToHex(data),
      position: quantityToHex(frame.calls.length),
    })
  }

  end({ gasUsed }: ExecutionResult): void {
    if (this.#root === undefined) return
    this.#root.gasUsed = quantityToHex(gasUsed)
    if (this.#options.withLog) clearFailedLogs(this.#root, false)
  }

  #create(
    type: CallFrame['type'],
    { from, to, gas, value, input }: Pick<FrameEntry, 'from' | 'to' | 'gas' | 'value' | 'input'>,
  ): CallFrame {
    this.#take(input.length)
    return {
      type,
      from: bytesToHex(from),
      gas: quantityToHex(gas),
      gasUsed: '0x0',
      to: bytesToHex(to),
      input: bytesToHex(input),
      output: undefined,
      error: undefined,
      revertReason: undefined,
      calls: [],
      logs: [],
      value: type === 'STATICCALL' ? undefined : quantityToHex(value),
    }
  }

  #finish(frame: CallFrame, { returnData, failure }: FrameExit): void {
    const output = returnData.length === 0 ? undefined : bytesToHex(returnData)
    if (failure === undefined) {
      frame.output = output
      return
    }
    frame.error = failure.message
    if (isCreation(frame.type)) frame.to = undefined
    if (failure.kind !== 'revert') return
    frame.output = output
    frame.revertReason = decodeRevert(returnData)
    this.#scene.budget.takeBytes(ESCAPE_CHARACTERS * (frame.revertReason?.length ?? 0))
  }

  #take(dataBytes: number): void {
    this.#scene.budget.takeBytes(FRAME_BYTES + HEX_CHARACTERS * dataBytes)
    this.#scene.budget.step()
  }
}

/** What a failed call or one inside it logged was undone. */
const clearFailedLogs = (frame: CallFrame, isParentFailed: boolean): void => {
  const failed = isParentFailed || frame.error !== undefined
  if (failed) frame.logs = []
  for (const call of frame.calls) clearFailedLogs(call, failed)
}
