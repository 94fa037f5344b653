/** For tests: the modules of a chain, tokens of solc, and messages of native transactions that call them. */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { MessageShape } from '@bufbuild/protobuf'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, concat, decodeFunctionResult, encodeAbiParameters, encodeFunctionData, parseAbi } from 'viem'
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError, InvariantError } from '../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { GasMeter } from '../../app/families/native/gas-meter.ts'
import { contractCallsOf } from '../../app/native/contract-calls.ts'
import { nativePrecompilesAt } from '../../app/precompiles/index.ts'
import type { Engine, ExecutionResult } from '../../evm/engine.ts'
import { readBalance, readSupply } from '../../modules/bank/index.ts'
import { denomOf, ERC20_ADDRESS } from '../../modules/erc20/index.ts'
import type { Event } from '../../modules/module.ts'
import { ALICE, CHAIN_ID, World } from '../precompiles/world.ts'
import { erc20Query, erc20Tx } from '../../proto/index.ts'

interface Artifact {
  readonly bytecode: Readonly<Record<string, `0x${string}`>>
}
const { bytecode: BYTECODE } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'contracts/tokens.json'), 'utf8'),
) as Artifact

/** The ABI of all of them. */
export const TOKEN_ABI: Abi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function approve(address, uint256)',
  'function transfer(address, uint256)',
  'function transferFrom(address, address, uint256)',
  'function rebase(uint256)',
  'function tell(uint256, uint256)',
  'function choose(bool)',
  'function aim(address, bytes)',
  'function isDone() view returns (bool)',
  'function calls() view returns (uint256)',
  'function answer() view returns (bytes)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
])

type Method<Input extends DescMessage, Output extends DescMessage> = DescMethodUnary<Input, Output>

export type Sent<Output extends DescMessage> =
  | { readonly answer: MessageShape<Output>; readonly events: readonly Event[]; readonly gasUsed: bigint }
  | { readonly refusal: string; readonly code: string; readonly gasUsed: bigint }

const { method } = erc20Tx.Msg

export class TokenWorld extends World {
  readonly engine: Engine

  constructor(engine: Engine) {
    super()
    this.engine = engine
  }

  /** Deploys a contract of contracts/tokens.sol. Its creator holds a million. */
  async deploy(name: string, from: Address = ALICE, text?: Uint8Array, places = 0n): Promise<Address> {
    const code = BYTECODE[name]
    if (code === undefined) throw new InvariantError(`there is no ${name}`)
    const more =
      text === undefined
        ? '0x'
        : encodeAbiParameters([{ type: 'bytes' }, { type: 'uint256' }], [bytesToHex(text), places])
    const message = { to: undefined, sender: from, data: hexToBytes(concat([code, more])) }
    const { createdAddress, failure } = await this.execute(this.engine, message)
    if (createdAddress === undefined || failure !== undefined) throw new InvariantError(`${name} was not created`)
    return createdAddress
  }

  send(from: Address, to: Address, functionName: string, ...args: readonly unknown[]): Promise<ExecutionResult> {
    const data = hexToBytes(encodeFunctionData({ abi: TOKEN_ABI, functionName, args }))
    return this.execute(this.engine, { sender: from, to, data })
  }

  async read(to: Address, functionName: string, ...args: readonly unknown[]): Promise<unknown> {
    const { failure, returnData } = await this.send(ALICE, to, functionName, ...args)
    if (failure !== undefined) throw new InvariantError(`${functionName} fails: ${failure.message}`)
    return decodeFunctionResult({ abi: TOKEN_ABI, functionName, data: bytesToHex(returnData) })
  }

  async held(token: Address, owner: Address): Promise<bigint> {
    return (await this.read(token, 'balanceOf', bytesToHex(owner))) as bigint
  }

  escrowed(token: Address): Promise<bigint> {
    return this.held(token, ERC20_ADDRESS)
  }

  /** A message of a native transaction with so much gas, or of a proposal, where no contracts can be called. */
  message<Input extends DescMessage, Output extends DescMessage>(
    { input, output }: Method<Input, Output>,
    init: MessageInitShape<Input>,
    gas = 3_000_000n,
    isProposal = false,
  ): Sent<Output> {
    const typeUrl = `/${input.typeName}`
    const handler = this.modules.flatMap(({ messages }) => messages).find((each) => each.typeUrl === typeUrl)
    if (handler === undefined) throw new InvariantError(`nobody handles ${typeUrl}`)
    const block = { height: this.height, timeNs: this.timeNs, chainId: CHAIN_ID }
    const nativePrecompiles = nativePrecompilesAt(this.modules, block)
    const meter = new GasMeter(gas)
    const events: Event[] = []
    const emit = (event: Event): void => void events.push(event)
    const consumeGas = (amount: bigint, what: string): void => meter.consume(amount, what)
    const scene = { engine: this.engine, environment: this.block, nativePrecompiles }
    this.state.checkpoint()
    try {
      const contracts = contractCallsOf(scene, this.state, meter, emit)
      const prepared = handler.prepare(handler.decode(toBinary(input, create(input, init))))
      const value = handler.execute(
        { ...block, state: this.state, emit, consumeGas, ...(!isProposal && { contracts }) },
        prepared,
      )
      this.state.commit()
      return { answer: fromBinary(output, value), events, gasUsed: meter.used }
    } catch (error) {
      this.state.revert()
      if (!(error instanceof CodedError)) throw error
      return { refusal: error.message, code: `${error.codespace}/${error.code}`, gasUsed: meter.used }
    }
  }

  register(token: Address, from: Address = ALICE) {
    return this.message(method.registerToken, { sender: encodeBech32(from), token: bytesToHex(token) })
  }

  deposit(from: Address, token: Address, amount: bigint, receiver = '', gas?: bigint) {
    const fields = { sender: encodeBech32(from), token: bytesToHex(token), amount: amount.toString(), receiver }
    return this.message(method.deposit, fields, gas)
  }

  withdraw(from: Address, token: Address, amount: bigint, receiver = '', gas?: bigint) {
    const fields = { sender: encodeBech32(from), token: bytesToHex(token), amount: amount.toString(), receiver }
    return this.message(method.withdraw, fields, gas)
  }

  coins(owner: Address, token: Address): bigint {
    return readBalance(this.state, owner, denomOf(token))
  }

  supply(token: Address): bigint {
    return readSupply(this.state, denomOf(token))
  }

  query<Input extends DescMessage, Output extends DescMessage>(
    { parent, name, input, output }: Method<Input, Output>,
    init: MessageInitShape<Input>,
  ): MessageShape<Output> {
    const path = `/${parent.typeName}/${name}`
    const handler = this.modules.flatMap(({ queries }) => queries).find((each) => each.path === path)
    if (handler === undefined) throw new InvariantError(`nobody answers ${path}`)
    const context = { state: this.state, height: this.height, chainId: CHAIN_ID }
    return fromBinary(output, handler.query(context, toBinary(input, create(input, init))))
  }

  token(token: Address) {
    return this.query(erc20Query.Query.method.token, { token: bytesToHex(token) }).token
  }

  /** What the invariants of the converter and the bank find. Balances of anat are not in the store of these tests. */
  faults(): readonly string[] {
    const context = { state: this.state, height: this.height, chainId: CHAIN_ID }
    const found = this.modules.flatMap(({ name, invariants }) =>
      name === 'bank' || name === 'erc20' ? invariants.flatMap(({ check }) => check(context) ?? []) : [],
    )
    return found.filter((fault) => !fault.startsWith('supply of anat'))
  }
}
