/** geth's flatCallTracer: the calls as a list, in the shape of Parity's traces. */
import { bytesToHex, type Hex } from '../../core/hex.ts'
import { invariant } from '../../core/errors.ts'
import type { ExecutionResult } from '../../evm/engine.ts'
import { isPrecompile } from '../../evm/precompile-addresses.ts'
import type { TracerChoice } from '../../app/ports.ts'
import { type CallFrame, CallFrames } from './call-frames.ts'
import { jsonText } from './json-text.ts'
import type { TraceHooks, TracePlace, Tracer, TraceScene } from './tracer.ts'

type Options = Extract<TracerChoice, { readonly name: 'flatCallTracer' }>
type Json = Readonly<Record<string, unknown>>

const REVERTED = 'execution reverted'

const PARITY_ERRORS: ReadonlyMap<string, string> = new Map([
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas', 'Out of gas'],
  ['gas uint64 overflow', 'Out of gas'],
  ['max code size exceeded', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  [REVERTED, 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached 1024 (1023)', 'Out of stack'],
  ['precompiled failed', 'Built-in failed'],
  ['invalid input length', 'Built-in failed'],
])

/** Parity's texts by how an error begins. */
const PARITY_ERROR_STARTS = [
  ['out of gas:', 'Out of gas'],
  ['invalid opcode:', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
] as const

const toParityError = (error: string): string =>
  PARITY_ERRORS.get(error) ?? PARITY_ERROR_STARTS.find(([start]) => error.startsWith(start))?.[1] ?? error

const NO_DATA: Hex = '0x'

const bodyOf = ({ type, from, to, gas, gasUsed, input, output = NO_DATA, value }: CallFrame): Json => {
  if (type === 'SELFDESTRUCT') {
    return { action: { address: from, balance: value, refundAddress: to }, type: 'suicide' }
  }
  if (type === 'CREATE' || type === 'CREATE2') {
    return {
      action: { creationMethod: type.toLowerCase(), from, gas, init: input, value },
      result: { address: to, code: output, gasUsed },
      type: 'create',
    }
  }
  return {
    action: { callType: type.toLowerCase(), from, gas, input, to, value },
    result: { gasUsed, output },
    type: 'call',
  }
}

/** What all entries of a transaction have in common. */
const placeJson = (place: TracePlace | undefined): Json => ({
  blockHash: place === undefined ? null : bytesToHex(place.blockHash),
  blockNumber: place?.height ?? 0,
  transactionHash: place === undefined ? null : bytesToHex(place.transactionHash),
  transactionPosition: place?.index ?? 0,
})

export class FlatCallTracer implements Tracer {
  readonly #options: Options
  readonly #scene: TraceScene
  readonly #frames: CallFrames
  readonly hooks: TraceHooks

  constructor(options: Options, scene: TraceScene) {
    this.#options = options
    this.#scene = scene
    const { hardfork } = scene.environment
    const dropPrecompile = ({ calls }: CallFrame, address: Uint8Array): void => {
      const type = calls.at(-1)?.type
      if ((type === 'CALL' || type === 'STATICCALL') && isPrecompile(hardfork, address)) calls.pop()
    }
    const onChild = options.includePrecompiles ? undefined : dropPrecompile
    this.#frames = new CallFrames(scene, { onlyTopCall: false, withLog: false }, onChild)
    const { onEnter, onExit, onSelfDestruct } = this.#frames
    this.hooks = { onEnter, onExit, onSelfDestruct }
  }

  end(result: ExecutionResult): void {
    this.#frames.end(result)
  }

  result(): string {
    const { root } = this.#frames
    invariant(root !== undefined, 'a traced message has no outermost call')
    const entries: Json[] = []
    this.#flatten(root, [], entries)
    return jsonText(entries)
  }

  #flatten(frame: CallFrame, trail: readonly number[], entries: Json[]): void {
    // What callTracer leaves out is shown as zero here.
    if (trail.length > 0) frame.value ??= '0x0'
    const { action, result, type } = bodyOf(frame)
    const { blockHash, blockNumber, transactionHash, transactionPosition } = placeJson(this.#scene.place)
    const { error } = frame
    const shown = error !== undefined && this.#options.convertParityErrors ? toParityError(error) : error
    this.#scene.budget.takeBytes(FRAME_BYTES + ITEM_BYTES * trail.length)
    entries.push({
      action,
      blockHash,
      blockNumber,
      error: shown,
      result: error === undefined || error === REVERTED ? result : undefined,
      subtraces: frame.calls.length,
      traceAddress: trail,
      transactionHash,
      transactionPosition,
      type,
    })
    for (const [index, call] of frame.calls.entries()) this.#flatten(call, [...trail, index], entries)
  }
}

/** What an entry takes beside its data, and a number of its address. */
const FRAME_BYTES = 384
const ITEM_BYTES = 4
