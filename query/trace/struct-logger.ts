/** geth's default tracer: every step with stack, memory and storage as they are before it. */
import { bytesToHex, bytesToUnprefixedHex, quantityToHex } from '../../core/hex.ts'
import type { ExecutionResult, Step } from '../../evm/engine.ts'
import { OPCODE } from '../../evm/opcodes.ts'
import type { TracerChoice } from '../../app/ports.ts'
import { bigWordHex, escapeText, mapText, wordHex } from './json-text.ts'
import type { Tracer, TraceScene } from './tracer.ts'

type Options = Extract<TracerChoice, { readonly name: 'structLogger' }>

const { SLOAD, SSTORE } = OPCODE
const WORD_BYTES = 32

const memoryWords = (memory: Uint8Array): string[] => {
  const words: string[] = []
  for (let at = 0; at < memory.length; at += WORD_BYTES) {
    words.push(bytesToUnprefixedHex(memory.subarray(at, at + WORD_BYTES)))
  }
  return words
}

export class StructLogger implements Tracer {
  readonly #options: Options
  readonly #scene: TraceScene
  readonly #steps: string[] = []
  #stepBytes = 0
  /** Slots that were read or written, by account: names and values as hexadecimal texts without 0x. */
  readonly #storage = new Map<string, Map<string, string>>()
  #result: ExecutionResult | undefined
  readonly hooks = {
    onStep: (step: Step): void => this.#step(step),
    memoryOf: (): boolean => this.#options.enableMemory,
  }

  constructor(options: Options, scene: TraceScene) {
    this.#options = options
    this.#scene = scene
  }

  end(result: ExecutionResult): void {
    this.#result = result
  }

  result(): string {
    const { gasUsed = 0n, failure, returnData = new Uint8Array(0) } = this.#result ?? {}
    return `{"gas":${gasUsed},"failed":${failure !== undefined},"returnValue":"${bytesToHex(returnData)}","structLogs":[${this.#steps.join(',')}]}`
  }

  #step(step: Step): void {
    const { limit } = this.#options
    this.#scene.budget.step()
    if (limit !== 0 && this.#stepBytes > limit) return
    const text = this.#textOf(step)
    this.#stepBytes += text.length
    this.#scene.budget.takeBytes(text.length + 1)
    this.#steps.push(text)
  }

  /** Members in geth's order; empty ones are left out, but for an empty stack. */
  #textOf(step: Step): string {
    const { disableStack, enableReturnData } = this.#options
    const { pc, opcodeName, gasLeft, gasCost, depth, failure, stack, returnData, memory, refund } = step
    let text = `{"pc":${pc},"op":"${opcodeName}","gas":${gasLeft},"gasCost":${gasCost},"depth":${depth}`
    if (failure !== undefined) text += `,"error":${escapeText(JSON.stringify(failure))}`
    if (!disableStack) text += `,"stack":[${stack.map((item) => `"${quantityToHex(item)}"`).join(',')}]`
    if (enableReturnData && returnData.length > 0) text += `,"returnData":"${bytesToHex(returnData)}"`
    if (memory.length > 0) text += `,"memory":${JSON.stringify(memoryWords(memory))}`
    const storage = this.#storageOf(step)
    if (storage !== undefined) text += `,"storage":${storage}`
    return refund === 0n ? `${text}}` : `${text},"refund":${refund}}`
  }

  /** All slots of the account that were named up to here, where this step names one. */
  #storageOf({ opcode, stack, address, slotValue }: Step): string | undefined {
    const items = opcode === SLOAD ? 1 : opcode === SSTORE ? 2 : undefined
    if (this.#options.disableStorage || items === undefined || stack.length < items) return undefined
    const account = bytesToHex(address)
    const slots = this.#storage.get(account) ?? new Map<string, string>()
    this.#storage.set(account, slots)
    const slot = bigWordHex(stack.at(-1) ?? 0n).slice(2)
    const value = opcode === SLOAD ? wordHex(slotValue ?? new Uint8Array(0)) : bigWordHex(stack.at(-2) ?? 0n)
    slots.set(slot, `"${value.slice(2)}"`)
    return mapText(slots)
  }
}
