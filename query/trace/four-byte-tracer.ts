/** geth's 4byteTracer: the selectors that were called, with the length of what follows them, and how often. */
import { bytesToHex } from '../../core/hex.ts'
import type { FrameEntry } from '../../evm/engine.ts'
import { isPrecompile } from '../../evm/precompile-addresses.ts'
import { mapText } from './json-text.ts'
import type { Tracer, TraceScene } from './tracer.ts'

const SELECTOR_BYTES = 4
/** What an entry takes at most. */
const ENTRY_BYTES = 40

export class FourByteTracer implements Tracer {
  readonly #scene: TraceScene
  readonly #counts = new Map<string, number>()
  readonly hooks = { onEnter: (entry: FrameEntry): void => this.#enter(entry) }

  constructor(scene: TraceScene) {
    this.#scene = scene
  }

  result(): string {
    return mapText([...this.#counts].map(([name, count]) => [name, String(count)]))
  }

  #enter({ kind, to, input }: FrameEntry): void {
    this.#scene.budget.step()
    const creates = kind === 'CREATE' || kind === 'CREATE2'
    if (creates || input.length < SELECTOR_BYTES || isPrecompile(this.#scene.environment.hardfork, to)) return
    const name = `${bytesToHex(input.subarray(0, SELECTOR_BYTES))}-${input.length - SELECTOR_BYTES}`
    const count = this.#counts.get(name) ?? 0
    if (count === 0) this.#scene.budget.takeBytes(ENTRY_BYTES)
    this.#counts.set(name, count + 1)
  }
}
