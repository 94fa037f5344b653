/** The node's engine: an interpreter of our own. `@ethereumjs/evm` beside it is the reference. */
import type { Address } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import { CodedError, invariant } from '../../core/errors.ts'
import { EMPTY_CODE_HASH } from '../../core/hash.ts'
import type { StateWriter } from '../../store/state.ts'
import type {
  BlockEnvironment,
  ContractCall,
  ContractCallResult,
  Engine,
  ExecuteOptions,
  ExecutionOutcome,
  ExecutionResult,
  Hardfork,
  Message,
  PrecompileMove,
} from '../engine.ts'
import { HARDFORKS } from '../engine.ts'
import { EVM_CODESPACE } from '../errors.ts'
import type { NativePrecompiles } from '../native-precompiles.ts'
import { OPCODE } from '../opcodes.ts'
import { loadPrecompiles, type PrecompileTable } from '../precompiles/table.ts'
import { numberOfPrecompile, PRECOMPILE_ADDRESSES } from '../precompile-addresses.ts'
import { SYSTEM_ADDRESS, SYSTEM_CALL_GAS } from '../system-contracts.ts'
import { WEIGHT } from '../weight.ts'
import { executePlainTransfer, plainRecipient } from '../transition/plain-transfer.ts'
import { prepareMessage } from '../transition/prepare-message.ts'
import { CodeCache } from './code.ts'
import { Machine } from './machine.ts'
import { runFramesAtOnce } from './run-frames.ts'
import { deleteAccounts, transition } from './transition.ts'
import { addressKey, setBytes, WORD } from './words.ts'

/** Gas is counted in numbers: what could not be exact, and no block holds, the reference runs in bigints. */
const MAX_GAS = BigInt(Number.MAX_SAFE_INTEGER)
const { CALL, STATICCALL } = OPCODE

/** The precompiles of a fork, and the keys of the addresses that they answer at. */
interface Precompiles {
  readonly byNumber: PrecompileTable
  readonly places: ReadonlyMap<string, number>
}

const keyOf = (address: Address): string => {
  const word = new Int32Array(WORD)
  setBytes(word, 0, address)
  return addressKey(word, 0)
}

const placesOf = (hardfork: Hardfork): Map<string, number> =>
  new Map(PRECOMPILE_ADDRESSES[hardfork].map((address) => [keyOf(address), numberOfPrecompile(address)]))

const movePrecompiles = (
  places: ReadonlyMap<string, number>,
  moves: readonly PrecompileMove[],
): ReadonlyMap<string, number> => {
  const moved = new Map(places)
  for (const { from, to } of moves) {
    const number = moved.get(keyOf(from))
    if (to !== undefined && number !== undefined) moved.set(keyOf(to), number)
    moved.delete(keyOf(from))
  }
  return moved
}

/** Instructions that cost little take about half a millisecond for so much, the slowest some. */
const GAS_A_LOOK = 300_000
/** One for what runs at a stretch, one for a block that gives way. */
const MAX_IDLE_MACHINES = 2

const valid = (result: ExecutionResult): ExecutionOutcome => ({ valid: true, result })

/** Throws what is no fault of the message. */
const refused = (error: unknown): ExecutionOutcome => {
  if (error instanceof CodedError && error.codespace === EVM_CODESPACE) return { valid: false, error }
  throw error
}

/** Few ever ask for what it executes, and to load it is a quarter of what a thread loads. */
const loadReference = async (): Promise<Engine> => {
  const { createEthereumjsEngine } = await import('../reference/create-engine.ts')
  return await createEthereumjsEngine()
}

class InterpreterEngine implements Engine {
  #reference: Promise<Engine> | undefined
  readonly #precompiles: Readonly<Record<Hardfork, Precompiles>>
  readonly #nativePlaces = new WeakMap<readonly Address[], Map<Hardfork, ReadonlyMap<string, number>>>()
  readonly #codes = new CodeCache()
  /** Those that nothing uses. An execution that gave way has its own, and so has a hook that executes again. */
  readonly #machines: Machine[] = []
  readonly #busy = new Set<StateWriter>()

  readonly #gasALook: number

  constructor(precompiles: Readonly<Record<Hardfork, Precompiles>>, gasALook: number) {
    this.#precompiles = precompiles
    this.#gasALook = gasALook
  }

  execute(
    state: StateWriter,
    block: BlockEnvironment,
    message: Message,
    options: ExecuteOptions,
  ): ExecutionOutcome | Promise<ExecutionOutcome> {
    if (message.gasLimit > MAX_GAS) return this.#executeByReference(state, block, message, options)
    invariant(!this.#busy.has(state), 'two executions at once over one state')
    try {
      const prepared = prepareMessage(state, block, message, options)
      const recipient = plainRecipient(state, block, message, options)
      const plain =
        options.onEnter === undefined && options.onExit === undefined && options.precompileMoves === undefined
      if (recipient !== undefined && plain) {
        return executePlainTransfer(state, block, message, recipient, prepared, options)
      }
      const result = this.#withMachine(state, block, options, (machine) =>
        transition(machine, state, block, message, prepared, options),
      )
      return result instanceof Promise ? result.then(valid, refused) : valid(result)
    } catch (error) {
      return refused(error)
    }
  }

  /** No block has room for it: calls and simulations alone come here. */
  async #executeByReference(
    state: StateWriter,
    block: BlockEnvironment,
    message: Message,
    options: ExecuteOptions,
  ): Promise<ExecutionOutcome> {
    this.#reference ??= loadReference()
    const reference = await this.#reference
    return await reference.execute(state, block, message, options)
  }

  systemCall(state: StateWriter, block: BlockEnvironment, to: Address, data: Uint8Array): void {
    const codeHash = state.account(to)?.codeHash
    if (codeHash === undefined || equalBytes(codeHash, EMPTY_CODE_HASH)) return
    this.#withMachine(state, block, {}, (machine) => {
      const { request, substate } = machine
      const target = substate.accountAt(to)
      substate.warm(target)
      machine.setTransaction(SYSTEM_ADDRESS, 0n, [])
      request.kind = CALL
      request.target = target
      request.gas = Number(SYSTEM_CALL_GAS)
      request.valueAnat = 0n
      request.input = data
      runFramesAtOnce(machine)
      substate.writeStorage(state)
      deleteAccounts(machine, state)
    })
  }

  callContract(state: StateWriter, block: BlockEnvironment, call: ContractCall): ContractCallResult {
    const { from, to, input, gas, isStatic, nativePrecompiles } = call
    return this.#withMachine(state, block, { nativePrecompiles }, (machine) => {
      const { request, substate } = machine
      machine.weightLimit = call.weightLimit
      machine.weigh(2 * WEIGHT.coldAccount)
      const target = substate.accountAt(to)
      for (const address of [from, block.coinbase]) substate.warm(substate.accountAt(address))
      substate.warm(target)
      machine.setTransaction(from, 0n, [], call.origin)
      machine.nativePrecompiles = nativePrecompiles
      machine.interrupt = call.interrupt
      request.kind = isStatic ? STATICCALL : CALL
      request.target = target
      request.gas = Number(gas)
      request.valueAnat = 0n
      request.input = input
      request.outputOffset = 0
      request.outputSize = 0
      const { failure, gasLeft, output } = runFramesAtOnce(machine)
      const gasUsed = gas - BigInt(gasLeft)
      machine.weigh(WEIGHT.gas * Number(gasUsed))
      substate.writeStorage(state)
      const burntAnat = deleteAccounts(machine, state)
      return {
        gasUsed,
        output,
        failure,
        logs: substate.logs.slice(),
        nativeEvents: substate.nativeEvents.slice(),
        burntAnat,
        weight: machine.weight,
      }
    })
  }

  /** Where precompiles answer, the chain's own with them. */
  #placesOf(hardfork: Hardfork, native: NativePrecompiles | undefined): ReadonlyMap<string, number> {
    const { places } = this.#precompiles[hardfork]
    if (native === undefined) return places
    let byHardfork = this.#nativePlaces.get(native.addresses)
    if (byHardfork === undefined) {
      byHardfork = new Map()
      this.#nativePlaces.set(native.addresses, byHardfork)
    }
    const known = byHardfork.get(hardfork)
    if (known !== undefined) return known
    const all = new Map(places)
    for (const address of native.addresses) all.set(keyOf(address), numberOfPrecompile(address))
    invariant(all.size === places.size + native.addresses.length, "a native precompile stands at one of Ethereum's")
    byHardfork.set(hardfork, all)
    return all
  }

  /** What is thrown inside, or rejected, leaves the state as it was. */
  #withMachine<Result>(
    state: StateWriter,
    block: BlockEnvironment,
    options: Pick<ExecuteOptions, 'nativePrecompiles' | 'precompileMoves'>,
    use: (machine: Machine) => Result,
  ): Result {
    invariant(!this.#busy.has(state), 'two executions at once over one state')
    const machine = this.#machines.pop() ?? new Machine(this.#codes, this.#gasALook)
    const { byNumber } = this.#precompiles[block.hardfork]
    const places = this.#placesOf(block.hardfork, options.nativePrecompiles)
    const moves = options.precompileMoves
    this.#busy.add(state)
    state.beginTransaction()
    machine.begin(state, block)
    machine.precompiles = byNumber
    machine.substate.begin(state, moves === undefined ? places : movePrecompiles(places, moves), places)
    machine.checkpoint()
    let result: Result
    try {
      result = use(machine)
    } catch (error) {
      return this.#breakOff(machine, state, error)
    }
    if (result instanceof Promise) return this.#endLater(machine, state, result) as Result
    this.#end(machine, state)
    return result
  }

  async #endLater(machine: Machine, state: StateWriter, paused: Promise<unknown>): Promise<unknown> {
    let result: unknown
    try {
      result = await paused
    } catch (error) {
      return this.#breakOff(machine, state, error)
    }
    this.#end(machine, state)
    return result
  }

  #end(machine: Machine, state: StateWriter): void {
    machine.commit()
    this.#release(machine, state)
  }

  #breakOff(machine: Machine, state: StateWriter, error: unknown): never {
    machine.revertAll()
    this.#release(machine, state)
    throw error
  }

  #release(machine: Machine, state: StateWriter): void {
    machine.end()
    this.#busy.delete(state)
    if (this.#machines.length < MAX_IDLE_MACHINES) this.#machines.push(machine)
  }
}

/** Loads the curves of the precompiles once a thread; executions are synchronous but for those with a pace. `gasALook` is the gas between two looks whether one shall go on. */
export const createInterpreterEngine = async (gasALook = GAS_A_LOOK): Promise<Engine> => {
  const tables = await loadPrecompiles()
  const precompiles = {} as Record<Hardfork, Precompiles>
  for (const hardfork of HARDFORKS) precompiles[hardfork] = { byNumber: tables[hardfork], places: placesOf(hardfork) }
  return new InterpreterEngine(precompiles, gasALook)
}
