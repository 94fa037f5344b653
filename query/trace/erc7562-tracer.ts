/** geth's erc7562Tracer: calls, and what the rules for account abstraction (ERC-7562) forbid or bound in each of them. */
import { type Address, toAddress } from '../../core/address.ts'
import { bigintToBytes, padLeft } from '../../core/bytes.ts'
import { bytesToHex, type Hex, quantityToHex } from '../../core/hex.ts'
import { invariant } from '../../core/errors.ts'
import type { ExecutionResult, FrameExit, Step } from '../../evm/engine.ts'
import { OPCODE } from '../../evm/opcodes.ts'
import type { TracerChoice } from '../../app/ports.ts'
import { type CallFrame, CallFrames } from './call-frames.ts'
import { bigWordHex, jsonText, mapText, wordHex } from './json-text.ts'
import { paddedMemory } from './memory.ts'
import type { TraceHooks, Tracer, TraceScene } from './tracer.ts'

type Options = Extract<TracerChoice, { readonly name: 'erc7562Tracer' }>

const { SLOAD, SSTORE, TLOAD, TSTORE, KECCAK256, GAS, ISZERO, RETURN, REVERT } = OPCODE
const { EXTCODESIZE, EXTCODECOPY, EXTCODEHASH, CALL, CALLCODE, DELEGATECALL, STATICCALL } = OPCODE
const CODE_READERS: ReadonlySet<number> = new Set([EXTCODESIZE, EXTCODECOPY, EXTCODEHASH])
const CALLS: ReadonlySet<number> = new Set([CALL, CALLCODE, DELEGATECALL, STATICCALL])

/** Those that no rule speaks of: geth counts them only where it is told so. It leaves SWAP16 out of this list. */
const USUALLY_IGNORED: readonly number[] = [
  ...Array.from({ length: OPCODE.SWAP16 - OPCODE.PUSH0 }, (_, index) => OPCODE.PUSH0 + index),
  ...[OPCODE.POP, OPCODE.ADD, OPCODE.SUB, OPCODE.MUL, OPCODE.DIV, OPCODE.EQ, OPCODE.LT, OPCODE.GT],
  ...[OPCODE.SLT, OPCODE.SGT, OPCODE.SHL, OPCODE.SHR, OPCODE.AND, OPCODE.OR, OPCODE.NOT, OPCODE.ISZERO],
]

/** What an entry of a frame takes in JSON, its data beside it. */
const ENTRY_BYTES = 160
const FRAME_BYTES = 200

/** What a frame did, in the order of names only when it is written. */
interface Seen {
  readonly reads: Map<Hex, Hex>
  readonly writes: Map<Hex, number>
  readonly transientReads: Map<Hex, number>
  readonly transientWrites: Map<Hex, number>
  /** The accounts whose code was looked at, each as often as it was. */
  readonly codeReads: Hex[]
  readonly opcodes: Map<Hex, number>
  /** The code's length, in bytes, and the first opcode that named the account. */
  readonly contracts: Map<Hex, { readonly contractSize: number; readonly opcode: number }>
  isOutOfGas: boolean
}

const nothingSeen = (): Seen => ({
  reads: new Map(),
  writes: new Map(),
  transientReads: new Map(),
  transientWrites: new Map(),
  codeReads: [],
  opcodes: new Map(),
  contracts: new Map(),
  isOutOfGas: false,
})

const addressOf = (word: bigint): Address => toAddress(padLeft(bigintToBytes(BigInt.asUintN(160, word)), 20))

const textsOf = <Value>(map: ReadonlyMap<string, Value>, text: (value: Value) => string): string =>
  mapText([...map].map(([name, value]) => [name, text(value)]))

const isOutOfGas = ({ failure }: FrameExit): boolean =>
  failure !== undefined &&
  (failure.message.startsWith('out of gas') || failure.message === 'contract creation code storage out of gas')

export class Erc7562Tracer implements Tracer {
  readonly #scene: TraceScene
  readonly #frames: CallFrames
  readonly #ignored: ReadonlySet<number>
  readonly #seen = new Map<CallFrame, Seen>()
  /** What was hashed, of all frames. */
  readonly #preimages = new Set<Hex>()
  /** The instruction before, in whichever frame, with the item on top of its stack. */
  #last: { readonly opcode: number; readonly top: bigint | undefined } | undefined
  readonly hooks: TraceHooks

  constructor({ withLog, ignoredOpcodes }: Options, scene: TraceScene) {
    this.#scene = scene
    this.#ignored = new Set(ignoredOpcodes ?? USUALLY_IGNORED)
    const frames = new CallFrames(scene, { onlyTopCall: false, withLog })
    this.#frames = frames
    this.hooks = {
      onEnter: frames.onEnter,
      onExit: (exit) => {
        // As in geth, the outermost one never says so.
        if (exit.depth > 1 && isOutOfGas(exit) && frames.current !== undefined)
          this.#of(frames.current).isOutOfGas = true
        frames.onExit(exit)
      },
      onSelfDestruct: frames.onSelfDestruct,
      onStep: (step) => this.#step(step),
      memoryOf: (opcode) => opcode === KECCAK256,
      ...(withLog ? { onLog: frames.onLog } : {}),
    }
  }

  end(result: ExecutionResult): void {
    this.#frames.end(result)
  }

  result(): string {
    const { root } = this.#frames
    invariant(root !== undefined, 'a traced message has no outermost call')
    const parts: string[] = []
    this.#write(
      parts,
      root,
      [...this.#preimages].sort((a, b) => (a < b ? -1 : 1)),
    )
    return parts.join('')
  }

  #of(frame: CallFrame): Seen {
    const known = this.#seen.get(frame)
    if (known !== undefined) return known
    const seen = nothingSeen()
    this.#scene.budget.takeBytes(FRAME_BYTES)
    this.#seen.set(frame, seen)
    return seen
  }

  #step(step: Step): void {
    this.#scene.budget.step()
    const frame = this.#frames.current
    if (frame === undefined) return
    const { opcode, stack } = step
    const seen = this.#of(frame)
    if (opcode === RETURN || opcode === REVERT) this.#last = undefined
    this.#codeRead(seen, opcode)
    this.#contract(seen, step)
    if (this.#last?.opcode === GAS && !CALLS.has(opcode)) this.#count(seen.opcodes, quantityToHex(GAS))
    if (opcode !== GAS && !this.#ignored.has(opcode)) this.#count(seen.opcodes, quantityToHex(opcode))
    this.#slot(seen, step)
    if (opcode === KECCAK256) this.#hash(step)
    this.#last = { opcode, top: stack.at(-1) }
  }

  /** A look at the code of an account, unless it only asks whether there is any. */
  #codeRead(seen: Seen, opcode: number): void {
    const last = this.#last
    if (last?.top === undefined || !CODE_READERS.has(last.opcode)) return
    if (last.opcode === EXTCODESIZE && opcode === ISZERO) return
    this.#take()
    seen.codeReads.push(bytesToHex(addressOf(last.top)))
  }

  #contract({ contracts }: Seen, { opcode, stack }: Step): void {
    const isCall = CALLS.has(opcode)
    if (!isCall && !CODE_READERS.has(opcode)) return
    const word = stack.at(isCall ? -2 : -1)
    if (word === undefined) return
    const address = addressOf(word)
    const name = bytesToHex(address)
    if (contracts.has(name)) return
    this.#take()
    const { state } = this.#scene
    const account = state.account(address)
    contracts.set(name, { contractSize: account === undefined ? 0 : state.code(account.codeHash).length, opcode })
  }

  #slot({ reads, writes, transientReads, transientWrites }: Seen, { opcode, stack, slotValue }: Step): void {
    const word = stack.at(-1)
    if (word === undefined) return
    const slot = bigWordHex(word)
    if (opcode === SLOAD) {
      // What the slot held before the frame: what it has written itself is its own.
      if (reads.has(slot) || writes.has(slot)) return
      this.#take()
      reads.set(slot, wordHex(slotValue ?? new Uint8Array(0)))
    } else if (opcode === SSTORE) this.#count(writes, slot)
    else if (opcode === TLOAD) this.#count(transientReads, slot)
    else if (opcode === TSTORE) this.#count(transientWrites, slot)
  }

  #hash({ stack, memory }: Step): void {
    // Geth looks at hashes that are not paid for, too: each can take as long as thousands of other steps.
    this.#scene.budget.checkTime()
    const [offset, size] = [stack.at(-1), stack.at(-2)]
    const preimage = offset === undefined || size === undefined ? undefined : paddedMemory(memory, offset, size)
    if (preimage === undefined) return
    const text = bytesToHex(preimage)
    if (this.#preimages.has(text)) return
    this.#scene.budget.takeBytes(text.length)
    this.#preimages.add(text)
  }

  #count(counts: Map<Hex, number>, name: Hex): void {
    const count = counts.get(name) ?? 0
    if (count === 0) this.#take()
    counts.set(name, count + 1)
  }

  #take(): void {
    this.#scene.budget.takeBytes(ENTRY_BYTES)
  }

  /** Members in geth's order. What is nested deep is joined once, and not once a level. */
  #write(parts: string[], frame: CallFrame, preimages: readonly Hex[]): void {
    const seen = this.#seen.get(frame) ?? nothingSeen()
    const { from, gas, gasUsed, to, input, output, error, logs, value, calls } = frame
    const revertReason = frame.revertReason === '' ? undefined : frame.revertReason
    const known = { from, gas, gasUsed, to, input, output, error, revertReason }
    parts.push(
      jsonText({ ...known, logs: logs.length === 0 ? undefined : logs, value }).slice(0, -1),
      `,"accessedSlots":{"reads":${textsOf(seen.reads, (held) => `["${held}"]`)},"writes":${textsOf(seen.writes, String)}`,
      `,"transientReads":${textsOf(seen.transientReads, String)}`,
      `,"transientWrites":${textsOf(seen.transientWrites, String)}}`,
      `,"extCodeAccessInfo":${jsonText(seen.codeReads)}`,
      `,"usedOpcodes":${textsOf(seen.opcodes, String)}`,
      `,"contractSize":${textsOf(seen.contracts, jsonText)}`,
      `,"outOfGas":${seen.isOutOfGas}`,
    )
    if (preimages.length > 0) parts.push(`,"keccak":${jsonText(preimages)}`)
    for (const [index, call] of calls.entries()) {
      parts.push(index === 0 ? ',"calls":[' : ',')
      this.#write(parts, call, [])
    }
    parts.push(`${calls.length === 0 ? '' : ']'},"type":"${frame.type}"}`)
  }
}
