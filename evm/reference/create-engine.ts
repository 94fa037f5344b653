/** The first engine: @ethereumjs/evm for code, our own rules for everything around it. */
import type { EVMResult } from '@ethereumjs/evm'
import type { Address } from '../../core/address.ts'
import { EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import { CodedError, invariant } from '../../core/errors.ts'
import { EMPTY_CODE_HASH } from '../../core/hash.ts'
import { hexToBytes } from '../../core/hex.ts'
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
  Log,
  Message,
} from '../engine.ts'
import { EVM_CODESPACE } from '../errors.ts'
import { createInterpreterEngine } from '../interpreter/create-engine.ts'
import type { NativePrecompiles } from '../native-precompiles.ts'
import { SYSTEM_ADDRESS, SYSTEM_CALL_GAS } from '../system-contracts.ts'
import { applyAuthorizations } from '../transition/authorizations.ts'
import { payCoinbase } from '../transition/fees.ts'
import { executePlainTransfer, plainRecipient } from '../transition/plain-transfer.ts'
import { type PreparedMessage, prepareMessage } from '../transition/prepare-message.ts'
import { settleGas } from '../transition/settle.ts'
import { startWeight, WEIGHT } from '../weight.ts'
import { topFailure } from './failure.ts'
import { createMachine, type Machine } from './machine.ts'
import { traceFrames } from './trace-frames.ts'

const toLogs = (result: EVMResult): Log[] =>
  (result.execResult.logs ?? []).map(([address, topics, data]) => ({ address, topics, data }))

/** Deletes the accounts that destroyed themselves in the transaction that created them (EIP-6780). */
const deleteDestroyed = (state: StateWriter, { execResult }: EVMResult): bigint => {
  let burnt = 0n
  for (const hex of execResult.selfdestruct?.keys() ?? []) {
    if (execResult.createdAddresses?.has(hex) !== true) continue
    const address = hexToBytes(hex)
    burnt += state.account(address)?.balance ?? 0n
    state.setAccount(address, undefined)
  }
  return burnt
}

/** Runs a message that {@link prepareMessage} let pass on a machine that is ready for it. */
const transition = async (
  machine: Machine,
  state: StateWriter,
  block: BlockEnvironment,
  message: Message,
  prepared: PreparedMessage,
  options: ExecuteOptions,
): Promise<ExecutionResult> => {
  const { sender, effectiveGasPrice } = prepared
  state.setAccount(message.sender, {
    ...sender,
    nonce: sender.nonce + 1n,
    balance: sender.balance - message.gasLimit * effectiveGasPrice - prepared.blobFeeAnat,
  })
  machine.warm(message.sender)
  machine.warm(block.coinbase)
  if (message.to !== undefined) machine.warm(message.to)
  machine.warmAccessList(message.accessList)
  const applied = applyAuthorizations(state, block.chainId, message.authorizationList)
  for (const authority of applied.authorities) machine.warm(authority)

  const stopTracing = traceFrames(machine.evm, state, options, applied.refund)
  const result = await machine
    .run({
      caller: message.sender,
      to: message.to,
      gasLimit: message.gasLimit - prepared.intrinsicGas,
      gasPrice: effectiveGasPrice,
      value: message.value,
      data: message.data,
      blobVersionedHashes: message.blobVersionedHashes,
    })
    .finally(stopTracing)

  const { execResult } = result
  const failure = topFailure(execResult, message, message.gasLimit - prepared.intrinsicGas, machine.table)
  const refund = applied.refund + (execResult.gasRefund ?? 0n)
  const gas = settleGas(message, prepared, execResult.executionGasUsed, refund)
  const payer = state.account(message.sender)
  invariant(payer !== undefined, 'the sender vanished during its own transaction')
  const left = (message.gasLimit - gas.gasUsed) * effectiveGasPrice
  if (left > 0n) state.setAccount(message.sender, { ...payer, balance: payer.balance + left })
  payCoinbase(state, block, prepared, options, gas.gasUsed)
  const burntAnat = machine.state.burntAnat + deleteDestroyed(state, result)
  machine.sweepTouched(state)
  return {
    ...gas,
    returnData: failure?.kind === 'other' ? EMPTY_BYTES : execResult.returnValue,
    logs: failure === undefined ? toLogs(result) : [],
    nativeEvents: failure === undefined ? machine.state.nativeEvents.slice() : [],
    failure,
    createdAddress: message.to === undefined ? result.createdAddress?.bytes : undefined,
    effectiveGasPrice,
    burntAnat,
    // Less than it is: nothing that a block holds runs in the reference.
    weight: startWeight(message) + WEIGHT.gas * Number(gas.gasBeforeRefund),
  }
}

class EthereumjsEngine implements Engine {
  /** Machines that rest, by fork and chain id. */
  readonly #idle = new Map<string, Machine[]>()
  readonly #busy = new WeakSet<StateWriter>()
  /** Runs what must be done at once, which the library cannot. */
  readonly #interpreter: Engine

  constructor(interpreter: Engine) {
    this.#interpreter = interpreter
  }

  callContract(state: StateWriter, block: BlockEnvironment, call: ContractCall): ContractCallResult {
    return this.#interpreter.callContract(state, block, call)
  }

  execute(
    state: StateWriter,
    block: BlockEnvironment,
    message: Message,
    options: ExecuteOptions,
  ): ExecutionOutcome | Promise<ExecutionOutcome> {
    invariant(!this.#busy.has(state), 'two executions at once over one state')
    try {
      const prepared = prepareMessage(state, block, message, options)
      const recipient = plainRecipient(state, block, message, options)
      const plain =
        options.onEnter === undefined && options.onExit === undefined && options.precompileMoves === undefined
      if (recipient !== undefined && plain) {
        return executePlainTransfer(state, block, message, recipient, prepared, options)
      }
      return this.#execute(state, block, message, prepared, options)
    } catch (error) {
      if (error instanceof CodedError && error.codespace === EVM_CODESPACE) return { valid: false, error }
      throw error
    }
  }

  async systemCall(state: StateWriter, block: BlockEnvironment, to: Address, data: Uint8Array): Promise<void> {
    const codeHash = state.account(to)?.codeHash
    if (codeHash === undefined || equalBytes(codeHash, EMPTY_CODE_HASH)) return
    await this.#withMachine(state, block, undefined, async (machine) => {
      machine.warm(to)
      await machine.run({
        caller: SYSTEM_ADDRESS,
        to,
        gasLimit: SYSTEM_CALL_GAS,
        gasPrice: 0n,
        value: 0n,
        data,
        blobVersionedHashes: [],
      })
      machine.sweepTouched(state)
    })
  }

  async #execute(
    state: StateWriter,
    block: BlockEnvironment,
    message: Message,
    prepared: PreparedMessage,
    options: ExecuteOptions,
  ): Promise<ExecutionOutcome> {
    const result = await this.#withMachine(state, block, options.nativePrecompiles, (machine) => {
      if (options.precompileMoves !== undefined) machine.movePrecompiles(options.precompileMoves)
      return transition(machine, state, block, message, prepared, options)
    })
    return { valid: true, result }
  }

  /** A fault of the library leaves the state as it was, and its machine is thrown away. */
  async #withMachine<Result>(
    state: StateWriter,
    block: BlockEnvironment,
    native: NativePrecompiles | undefined,
    use: (machine: Machine) => Promise<Result>,
  ): Promise<Result> {
    invariant(!this.#busy.has(state), 'two executions at once over one state')
    this.#busy.add(state)
    try {
      const machine = await this.#take(block.hardfork, block.chainId)
      state.beginTransaction()
      machine.begin(state, block, native)
      state.checkpoint()
      try {
        const result = await use(machine)
        state.commit()
        machine.end()
        this.#idle.get(`${block.hardfork} ${block.chainId}`)?.push(machine)
        return result
      } catch (error) {
        machine.state.revertAll()
        state.revert()
        throw error
      }
    } finally {
      this.#busy.delete(state)
    }
  }

  async #take(hardfork: Hardfork, chainId: bigint): Promise<Machine> {
    const key = `${hardfork} ${chainId}`
    const idle = this.#idle.get(key)
    if (idle === undefined) this.#idle.set(key, [])
    return idle?.pop() ?? (await createMachine(hardfork, chainId))
  }
}

/** Asynchronous for engines that load code of their own; this one makes its machines when a block asks for them. */
export const createEthereumjsEngine = async (): Promise<Engine> => new EthereumjsEngine(await createInterpreterEngine())
