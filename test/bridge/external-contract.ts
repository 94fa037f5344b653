/** The contract of the external side, as the pinned compiler made it, in this project's EVM. */
import { readFileSync } from 'node:fs'
import { type Abi, decodeErrorResult, decodeFunctionResult, encodeDeployData, encodeFunctionData, type Hex } from 'viem'
import type { BridgeContract } from '../../core/bridge-event.ts'
import type { Address } from '../../core/address.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import type { Engine, ExecutionResult, Message } from '../../evm/engine.ts'
import { ENGINE_BLOCK, ENGINE_MESSAGE } from '../../evm/testing/describe-engine.ts'
import type { Overlay } from '../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay as State } from '../../store/overlay.ts'
import { COMPILED_PATH } from '../../scripts/bridge-contract.ts'

const { abi, bytecode } = JSON.parse(readFileSync(COMPILED_PATH, 'utf8')) as {
  readonly abi: Abi
  readonly bytecode: Hex
}
const GOVERNOR = new Uint8Array(20).fill(0x60)
const FUNDS = 10n ** 30n

export class ExternalContract {
  readonly contract: BridgeContract
  readonly #engine: Engine
  readonly #state: Overlay

  private constructor(engine: Engine, state: Overlay, address: Address) {
    this.#engine = engine
    this.#state = state
    this.contract = { chainId: ENGINE_BLOCK.chainId, address }
  }

  /** Deploys it for a native chain, with a limit of a day that nothing reaches. */
  static async deploy(engine: Engine, nativeChainId: string): Promise<ExternalContract> {
    const state = new State(new LatestState(openMemoryStore(), 100))
    state.setAccount(GOVERNOR, { ...EMPTY_ACCOUNT, balance: FUNDS })
    const args = [nativeChainId, bytesToHex(GOVERNOR), 10n ** 40n]
    const data = hexToBytes(encodeDeployData({ abi, bytecode, args }))
    const made = new ExternalContract(engine, state, new Uint8Array(20))
    const { createdAddress, failure } = await made.#execute({ to: undefined, data })
    if (createdAddress === undefined) throw new TypeError(failure?.message ?? 'nothing was deployed')
    return new ExternalContract(engine, state, createdAddress)
  }

  /** What the contract holds, or an account has got. */
  balance(address: Uint8Array = this.contract.address): bigint {
    return this.#state.account(address)?.balance ?? 0n
  }

  /** The name of the error with which the contract refuses the call; undefined where it does what it is asked. */
  async send(functionName: string, args: readonly unknown[], value = 0n): Promise<string | undefined> {
    const data = hexToBytes(encodeFunctionData({ abi, functionName, args }))
    const { failure, returnData } = await this.#execute({ to: this.contract.address, data, value })
    if (failure === undefined) return undefined
    return returnData.length < 4 ? failure.message : decodeErrorResult({ abi, data: bytesToHex(returnData) }).errorName
  }

  async read(functionName: string, args: readonly unknown[] = []): Promise<unknown> {
    const data = hexToBytes(encodeFunctionData({ abi, functionName, args }))
    const { returnData } = await this.#execute({ to: this.contract.address, data })
    return decodeFunctionResult({ abi, functionName, data: bytesToHex(returnData) })
  }

  async #execute(message: Partial<Message>): Promise<ExecutionResult> {
    const call = {
      ...ENGINE_MESSAGE,
      sender: GOVERNOR,
      gasLimit: 10_000_000n,
      maxFeePerGas: 0n,
      maxPriorityFeePerGas: 0n,
    }
    const nonce = this.#state.account(GOVERNOR)?.nonce ?? 0n
    const block = { ...ENGINE_BLOCK, baseFeePerGas: 0n }
    const outcome = await this.#engine.execute(
      this.#state,
      block,
      { ...call, nonce, ...message },
      { fees: 'none', checks: 'call' },
    )
    if (!outcome.valid) throw outcome.error
    return outcome.result
  }
}
