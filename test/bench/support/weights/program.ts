/** A loop over one kind of instruction, and what one round of it costs. */
import { LatestState } from '../../../../store/latest.ts'
import { openMemoryStore } from '../../../../store/memory/memory-store.ts'
import { Overlay } from '../../../../store/overlay.ts'
import type { StateReader } from '../../../../store/state.ts'
import type { BlockEnvironment } from '../../../../evm/engine.ts'
import { assemble, toBytes } from './assemble.ts'
import { BENCH_BLOCK, execute, processorNs, setCode, TARGET } from './bench-machine.ts'

export interface Program {
  readonly name: string
  /** Runs once before the loop; what it leaves on the stack stays there. */
  readonly setup?: string | (() => string)
  /** One execution of what is measured, with its operands. It leaves the stack as it found it. */
  readonly unit: string
  /** Copies of the unit in a round of the loop. */
  readonly copies?: number
  /** The gas of each measured execution. */
  readonly gas?: bigint
  readonly data?: Uint8Array
  /** The data behind the code, copied to memory from 0 on before the setup. */
  readonly memory?: Uint8Array
  /** Accounts that the program uses. */
  readonly prepare?: (state: Overlay) => void
  /** Fresh caches for each run; in memory and empty when left out. */
  readonly base?: () => StateReader
  readonly block?: BlockEnvironment
  /** One execution of the unit takes all gas: the row is the whole transaction. */
  readonly isWhole?: boolean
}

/** What one unit of work costs. */
export interface Row {
  readonly name: string
  readonly ns: number
  readonly gas: number
  /** What evm/weight.ts counts for it; of an execution alone, what it does at the end of its block included. */
  readonly weight?: number
}

const WARM_UP_GAS = 1_500_000n
const DEFAULT_GAS = 6_000_000n
const RUNS = 2

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** `tail` is what stands behind the copies: a jump back, or the end. */
const codeOf = (program: Program, copies: number, loops: boolean): Uint8Array => {
  const memory = program.memory ?? new Uint8Array(0)
  const setup = assemble(typeof program.setup === 'function' ? program.setup() : (program.setup ?? ''))
  const load = (at: number): string =>
    memory.length === 0 ? '' : assemble(`PUSH3 ${memory.length} PUSH3 ${at} PUSH0 CODECOPY`)
  const build = (at: number): string => {
    const head = load(at) + setup
    const body = assemble(program.unit).repeat(copies)
    return loops ? `${head}5b${body}${assemble(`PUSH3 ${head.length / 2} JUMP`)}` : `${head}5b${body}00`
  }
  return toBytes(build(build(0).length / 2) + hex(memory))
}

const emptyBase = (): StateReader => new LatestState(openMemoryStore(), 200_000)

const stateFor = (program: Program, code: Uint8Array): Overlay => {
  const state = new Overlay((program.base ?? emptyBase)())
  program.prepare?.(state)
  setCode(state, TARGET, code)
  return state
}

const optionsOf = (program: Program) => (program.data === undefined ? {} : { data: program.data })

/** Gas of one unit: what more copies cost more. */
const gasOfUnit = (program: Program): number => {
  const gasOf = (copies: number): number => {
    const state = stateFor(program, codeOf(program, copies, false))
    const result = execute(state, 300_000_000n, optionsOf(program), program.block ?? BENCH_BLOCK)
    if (result.failure !== undefined) throw new TypeError(`${program.name}: ${result.failure.message}`)
    return Number(result.gasBeforeRefund)
  }
  return (gasOf(6) - gasOf(2)) / 4
}

/** The best of a few runs, each over a state of its own. */
export const measureProgram = (program: Program): Row => {
  const code = (): Uint8Array => codeOf(program, program.copies ?? 100, true)
  let nsPerGas = Infinity
  let weightPerGas = 0
  const block = program.block ?? BENCH_BLOCK
  execute(stateFor(program, code()), WARM_UP_GAS, optionsOf(program), block)
  for (let run = 0; run < RUNS; run++) {
    const state = stateFor(program, code())
    const from = processorNs()
    const result = execute(state, program.gas ?? DEFAULT_GAS, optionsOf(program), block)
    const ns = processorNs() - from
    if (result.failure?.message.startsWith('out of gas') !== true) {
      throw new TypeError(`${program.name}: ${result.failure?.message ?? 'ended'}`)
    }
    nsPerGas = Math.min(nsPerGas, ns / Number(result.gasUsed))
    weightPerGas = result.weight / Number(result.gasUsed)
  }
  const gas = program.isWhole === true ? Number(program.gas ?? DEFAULT_GAS) : gasOfUnit(program)
  return { name: program.name, ns: nsPerGas * gas, gas, weight: weightPerGas * gas }
}
