/** For tests: the modules of a chain on a state of their own, and precompiles called as clients call them, in two engines. */
import {
  type Abi,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  parseEventLogs,
} from 'viem'
import { type Address, ADDRESS_LENGTH, moduleAddress, parseAddress } from '../../core/address.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { testConsensusKey } from '../../core/testing/consensus-key.ts'
import type { BlockEnvironment, Engine, ExecutionResult, Message } from '../../evm/engine.ts'
import { createEthereumjsEngine } from '../../evm/reference/create-engine.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import { ENGINE_BLOCK, ENGINE_MESSAGE } from '../../evm/testing/describe-engine.ts'
import type { Module } from '../../modules/module.ts'
import {
  DEFAULT_CONSENSUS_PARAMETERS,
  writeConsensusParameters,
  writeValidatorSets,
} from '../../modules/consensus/index.ts'
import { genesisValidator } from '../../modules/staking/index.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { OPCODE } from '../../evm/opcodes.ts'
import { PRECOMPILE_ABIS, PRECOMPILE_ADDRESSES, type PrecompileName } from '../../packages/precompiles/index.ts'
import { beginBlockHooks, endBlockHooks } from '../../app/genesis/module-order.ts'
import { createModules } from '../../app/genesis/modules.ts'
import { nativePrecompilesAt, PRECOMPILE_CODE, PRECOMPILES } from '../../app/precompiles/index.ts'

export const account = (byte: number): Address => new Uint8Array(ADDRESS_LENGTH).fill(byte)
export const NAT = 10n ** 18n
export const STAKE = 1_000n * NAT
export const FUNDS = 10_000n * NAT
export const [ALICE, BOB, FIRST, SECOND, CONTRACT] = [0xa1, 0xb0, 0x11, 0x22, 0xc0].map(account) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
export const CHAIN_ID = 'localnat-1'
const START_NS = 1_700_000_000_000_000_000n

/** Keys of the votes of the two validators. */
export const KEYS = ['first', 'second'].map(testConsensusKey) as [Uint8Array, Uint8Array]
const VALIDATORS = KEYS.map((publicKey) => ({ publicKey, power: STAKE / NAT }))

const validatorOf = (operator: Address, publicKey: Uint8Array, moniker: string) =>
  genesisValidator({
    operator,
    publicKey,
    tokens: STAKE,
    moniker,
  })

const genesisOf = (): Readonly<Record<string, unknown>> => {
  const validators = [validatorOf(FIRST, KEYS[0], 'validator 1'), validatorOf(SECOND, KEYS[1], 'validator 2')]
  const holding = (address: Address, amount: bigint) => ({
    address: bytesToHex(address),
    coins: [{ denom: 'anat', amount: amount.toString() }],
  })
  return {
    bank: {
      balances: [
        ...[ALICE, BOB, FIRST, SECOND, CONTRACT].map((address) => holding(address, FUNDS)),
        holding(moduleAddress('bonded_tokens_pool'), 2n * STAKE),
      ],
    },
    staking: {
      validators: validators.map(({ validator }) => validator),
      delegations: validators.map(({ delegation }) => delegation),
    },
  }
}

/** A contract that sends its call data on to the precompile: the first 32 bytes are its address, the kind is in the code. */
const forwarder = (kind: NonNullable<CallOptions['through']>): Uint8Array => {
  const value = kind === 'CALL' ? '34' : ''
  // calldatacopy(0, 32, calldatasize - 32); call(gas, calldataload(0), [callvalue], 0, calldatasize - 32, 0, 0)
  const copy = '602036036020600037'
  const call = `600060006020360360 00${value}6000355a${OPCODE[kind].toString(16)}`.replaceAll(' ', '')
  // returndatacopy(0, 0, returndatasize); return or revert with it.
  const end = '3d600060003e'
  const head = copy + call + end
  const target = (head.length / 2 + 7).toString(16).padStart(2, '0')
  return hexToBytes(`0x${head}60${target}573d6000fd5b3d6000f3`)
}

export const engines = async (): Promise<readonly [Engine, Engine]> => [
  await createInterpreterEngine(),
  await createEthereumjsEngine(),
]

export type Outcome<Value> =
  | {
      readonly value: Value
      readonly result: ExecutionResult
      readonly logs: readonly ReturnType<typeof parseLogs>[number][]
    }
  | { readonly refusal: string; readonly result: ExecutionResult }

const parseLogs = (name: PrecompileName, { logs }: ExecutionResult) =>
  parseEventLogs({
    abi: PRECOMPILE_ABIS[name] as Abi,
    logs: logs.map(({ address, topics, data }) => ({
      address: bytesToHex(address),
      topics: topics.map(bytesToHex),
      data: bytesToHex(data),
    })) as never,
  })

export interface CallOptions {
  readonly from?: Address
  readonly value?: bigint
  readonly gas?: bigint
  /** The instruction by which the contract calls, for a call that goes through it. */
  readonly through?: 'CALL' | 'DELEGATECALL' | 'STATICCALL'
}

export class World {
  readonly state: Overlay
  readonly modules: readonly Module[]
  height = 10
  timeNs = START_NS

  constructor() {
    const store = openMemoryStore()
    this.state = new Overlay(new LatestState(store, 100))
    this.modules = createModules(store)
    writeConsensusParameters(this.state, DEFAULT_CONSENSUS_PARAMETERS)
    writeValidatorSets(this.state, [{ fromHeight: 1, validators: VALIDATORS }])
    const genesis = genesisOf()
    const context = { state: this.state, height: 0, timeNs: START_NS, chainId: CHAIN_ID, emit: () => undefined }
    for (const module of this.modules) module.initGenesis(context, genesis[module.name])
    for (const { address } of PRECOMPILES) {
      this.state.setAccount(address, { ...EMPTY_ACCOUNT, nonce: 1n, codeHash: this.state.setCode(PRECOMPILE_CODE) })
    }
  }

  get block(): BlockEnvironment {
    return { ...ENGINE_BLOCK, number: this.height, timestamp: Number(this.timeNs / 1_000_000_000n), baseFeePerGas: 0n }
  }

  /** Runs the hooks of the next block. */
  nextBlock(): void {
    this.height++
    this.timeNs += 5_000_000_000n
    const context = {
      state: this.state,
      height: this.height,
      timeNs: this.timeNs,
      chainId: CHAIN_ID,
      proposerAddress: new Uint8Array(ADDRESS_LENGTH),
      lastCommit: [],
      misbehavior: [],
      emit: () => undefined,
    }
    for (const hook of beginBlockHooks(this.modules)) hook.run(context)
    for (const hook of endBlockHooks(this.modules)) hook.run({ ...context, pricedGas: 0n, gasLimit: 30_000_000n })
  }

  /** The reference does not count all of the weight. */
  async execute(engine: Engine, message: Partial<Message>): Promise<ExecutionResult> {
    return { ...(await this.weigh(engine, message)), weight: 0 }
  }

  async weigh(engine: Engine, message: Partial<Message>): Promise<ExecutionResult> {
    const sender = message.sender ?? ALICE
    const nonce = this.state.account(sender)?.nonce ?? 0n
    const block = { height: this.height, timeNs: this.timeNs, chainId: CHAIN_ID }
    const outcome = await engine.execute(
      this.state,
      this.block,
      {
        ...ENGINE_MESSAGE,
        gasLimit: 10_000_000n,
        maxFeePerGas: 0n,
        maxPriorityFeePerGas: 0n,
        sender,
        nonce,
        ...message,
      },
      { fees: 'none', checks: 'call', nativePrecompiles: nativePrecompilesAt(this.modules, block) },
    )
    if (!outcome.valid) throw outcome.error
    return outcome.result
  }

  async call<
    Name extends PrecompileName,
    Method extends ContractFunctionName<(typeof PRECOMPILE_ABIS)[Name]>,
    Args extends ContractFunctionArgs<(typeof PRECOMPILE_ABIS)[Name], 'nonpayable' | 'view', Method>,
  >(
    engine: Engine,
    name: Name,
    functionName: Method,
    args: Args,
    { from = ALICE, value = 0n, gas = 10_000_000n, through }: CallOptions = {},
  ): Promise<Outcome<ContractFunctionReturnType<(typeof PRECOMPILE_ABIS)[Name], 'nonpayable' | 'view', Method, Args>>> {
    const abi = PRECOMPILE_ABIS[name] as Abi
    const to = parseAddress(PRECOMPILE_ADDRESSES[name])
    const data = encodeFunctionData({ abi, functionName: functionName as string, args: args as readonly unknown[] })
    const message = { sender: from, value, gasLimit: gas }
    if (through !== undefined) {
      const held = this.state.account(CONTRACT) ?? EMPTY_ACCOUNT
      this.state.setAccount(CONTRACT, { ...held, nonce: 1n, codeHash: this.state.setCode(forwarder(through)) })
    }
    const input = hexToBytes(
      through === undefined ? data : `0x${'00'.repeat(12)}${bytesToHex(to).slice(2)}${data.slice(2)}`,
    )
    const result = await this.execute(engine, { ...message, to: through === undefined ? to : CONTRACT, data: input })
    const returned: Hex = bytesToHex(result.returnData)
    if (result.failure !== undefined) {
      const isReason = result.returnData.length > 0
      const refusal = isReason
        ? String(decodeErrorResult({ abi: [], data: returned }).args?.[0])
        : result.failure.message
      return { refusal, result }
    }
    const decoded = decodeFunctionResult({ abi, functionName: functionName as string, data: returned })
    return { value: decoded as never, result, logs: parseLogs(name, result) }
  }
}
