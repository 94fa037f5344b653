/** geth's keccak256PreimageTracer: what the program hashed, by its hash. */
import { bytesToHex, type Hex } from '../../core/hex.ts'
import { keccak256 } from '../../core/hash.ts'
import type { Step } from '../../evm/engine.ts'
import { mapText } from './json-text.ts'
import { paddedMemory } from './memory.ts'
import type { Tracer, TraceScene } from './tracer.ts'

const KECCAK256 = 0x20
/** What an entry takes beside its data. */
const ENTRY_BYTES = 80

export class KeccakPreimageTracer implements Tracer {
  readonly #scene: TraceScene
  readonly #preimages = new Map<Hex, Hex>()
  readonly hooks = {
    onStep: (step: Step): void => this.#step(step),
    stepsOf: (opcode: number): boolean => opcode === KECCAK256,
  }

  constructor(scene: TraceScene) {
    this.#scene = scene
  }

  result(): string {
    return mapText([...this.#preimages].map(([hash, preimage]) => [hash, `"${preimage}"`]))
  }

  #step({ stack, memory }: Step): void {
    // Geth looks at hashes that are not paid for, too: each can take as long as thousands of other steps.
    this.#scene.budget.checkTime()
    if (stack.length < 2) return
    const preimage = paddedMemory(memory, stack.at(-1) ?? 0n, stack.at(-2) ?? 0n)
    if (preimage === undefined) return
    const hash = bytesToHex(keccak256(preimage))
    if (this.#preimages.has(hash)) return
    this.#scene.budget.takeBytes(ENTRY_BYTES + 2 * preimage.length)
    this.#preimages.set(hash, bytesToHex(preimage))
  }
}
