/** geth's callTracer: the tree of calls. */
import { invariant } from '../../core/errors.ts'
import type { ExecutionResult } from '../../evm/engine.ts'
import type { TracerChoice } from '../../app/ports.ts'
import { type CallFrame, CallFrames } from './call-frames.ts'
import { jsonText } from './json-text.ts'
import type { TraceHooks, Tracer, TraceScene } from './tracer.ts'

type Options = Extract<TracerChoice, { readonly name: 'callTracer' }>
type Json = Readonly<Record<string, unknown>>

/** Members in geth's order; JSON leaves out undefined ones. */
const frameJson = (frame: CallFrame): Json => ({
  from: frame.from,
  gas: frame.gas,
  gasUsed: frame.gasUsed,
  to: frame.to,
  input: frame.input,
  output: frame.output,
  error: frame.error,
  revertReason: frame.revertReason === '' ? undefined : frame.revertReason,
  calls: frame.calls.length === 0 ? undefined : frame.calls.map(frameJson),
  logs: frame.logs.length === 0 ? undefined : frame.logs,
  value: frame.value,
  type: frame.type,
})

export class CallTracer implements Tracer {
  readonly #frames: CallFrames
  readonly hooks: TraceHooks

  constructor({ onlyTopCall, withLog }: Options, scene: TraceScene) {
    this.#frames = new CallFrames(scene, { onlyTopCall, withLog })
    const { onEnter, onExit, onSelfDestruct, onLog } = this.#frames
    this.hooks = { onEnter, onExit, onSelfDestruct, ...(withLog ? { onLog } : {}) }
  }

  end(result: ExecutionResult): void {
    this.#frames.end(result)
  }

  result(): string {
    const { root } = this.#frames
    invariant(root !== undefined, 'a traced message has no outermost call')
    return jsonText(frameJson(root))
  }
}
