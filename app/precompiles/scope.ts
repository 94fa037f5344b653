/** What the methods of a precompile see and do: one call, with its gas, its logs and its native events. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from '@bufbuild/protobuf'
import { type Address, checksumAddress } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import { CodedError, InvariantError } from '../../core/errors.ts'
import { delegationOf } from '../../evm/delegation.ts'
import type { Log } from '../../evm/engine.ts'
import type { NativeCall } from '../../evm/native-precompiles.ts'
import type { ContractCalls } from '../../modules/contracts.ts'
import type { Event, MessageContext } from '../../modules/module.ts'
import { GRPC } from '../../core/grpc-status.ts'
import type { StateReader } from '../../store/state.ts'
import type { MessageHandlers, QueryHandlers } from '../native/module-handlers.ts'
import type { EventDefinition } from './abi/event.ts'
import type { Fields, Values } from './abi/types.ts'
import type { CallGas } from './call-gas.ts'
import { refuseCall } from './errors.ts'
import { MESSAGE_GAS, READ_BYTE_GAS } from './gas.ts'
import { MeteredState } from './metered-state.ts'

const NANOSECONDS_PER_MILLISECOND = 1_000_000n

export interface Routes {
  readonly messages: MessageHandlers
  readonly queries: QueryHandlers
}

/** The block that the call is in. */
export interface NativeBlock {
  readonly height: number
  /** Nanoseconds since 1970. */
  readonly timeNs: bigint
  /** CometBFT's chain id. */
  readonly chainId: string
}

type Method<Input extends DescMessage, Output extends DescMessage> = DescMethodUnary<Input, Output>

export class Scope {
  readonly logs: Log[] = []
  readonly events: Event[] = []
  readonly #call: NativeCall
  readonly #gas: CallGas
  readonly #block: NativeBlock
  readonly #routes: Routes
  readonly #metered: StateReader
  readonly #contracts: ContractCalls

  constructor(call: NativeCall, gas: CallGas, block: NativeBlock, routes: Routes, contracts: ContractCalls) {
    this.#call = call
    this.#gas = gas
    this.#block = block
    this.#routes = routes
    this.#contracts = contracts
    this.#metered = new MeteredState(call.state, gas)
  }

  get caller(): Address {
    return this.#call.caller
  }

  /** Time of the block, in whole milliseconds since 1970, rounded down. */
  get timeMs(): bigint {
    return this.#block.timeNs / NANOSECONDS_PER_MILLISECOND
  }

  /** Charges for work beside messages and queries. Throws sdk/11. */
  charge(gas: bigint, what: string): void {
    this.#gas.consume(gas, what)
  }

  /** Nobody is acted for but who calls: neither who signed the transaction, nor who gave a grant. */
  requireCaller(address: Address): void {
    if (equalBytes(address, this.caller)) return
    const [caller, wanted] = [checksumAddress(this.caller), checksumAddress(address)]
    throw refuseCall(`msg.sender address ${caller} does not match the requester address ${wanted}`)
  }

  /**
   * An account whose own code runs is none of a person; one that delegates (EIP-7702) is. Without code only the sender of
   * the transaction calls, and a contract from its constructor.
   */
  requireNoContract(): void {
    const { state, caller, depth } = this.#call
    const account = state.account(caller)
    const code = account === undefined ? undefined : state.code(account.codeHash)
    const hasCode = code !== undefined && code.length > 0
    if (hasCode ? delegationOf(code) !== undefined : depth === 1) return
    throw refuseCall('this method can only be called directly to the precompile, not from a smart contract')
  }

  /** Runs a native message as a native transaction would. Throws the CodedErrors of its module. */
  message<Input extends DescMessage, Output extends DescMessage>(
    { input, output }: Method<Input, Output>,
    init: MessageInitShape<Input>,
  ): MessageShape<Output> {
    const typeUrl = `/${input.typeName}`
    const handler = this.#routes.messages.get(typeUrl)
    if (handler === undefined) throw refuseCall(`unable to resolve type URL ${typeUrl}`)
    this.#gas.consume(MESSAGE_GAS, typeUrl)
    const prepared = handler.prepare(handler.decode(toBinary(input, create(input, init))))
    return this.act((context) => fromBinary(output, handler.execute(context, prepared)))
  }

  /** What a module does for contracts alone, and charges itself: no native message asks for it. Throws its CodedErrors. */
  act<Result>(run: (context: MessageContext) => Result): Result {
    return run({
      ...this.#block,
      state: this.#call.state,
      emit: (event: Event): void => void this.events.push(event),
      consumeGas: (amount: bigint, what: string): void => this.#gas.consume(amount, what),
      contracts: this.#contracts,
    })
  }

  /** What a module knows, where there is no query for it: each look-up is paid for. */
  read<Result>(look: (state: StateReader) => Result): Result {
    return look(this.#metered)
  }

  /** Asks a module; what it reads is paid for. */
  query<Input extends DescMessage, Output extends DescMessage>(
    method: Method<Input, Output>,
    init: MessageInitShape<Input>,
  ): MessageShape<Output> {
    const answer = this.#ask(method, init, this.#metered)
    this.#gas.consume(READ_BYTE_GAS * BigInt(answer.length), method.name)
    return fromBinary(method.output, answer)
  }

  /** Does what {@link query} does, for an answer that is part of a message's flat price. */
  lookUp<Input extends DescMessage, Output extends DescMessage>(
    method: Method<Input, Output>,
    init: MessageInitShape<Input>,
  ): MessageShape<Output> {
    return fromBinary(method.output, this.#ask(method, init, this.#call.state))
  }

  /** Does what {@link query} does; undefined where the module says that there is no such thing. */
  find<Input extends DescMessage, Output extends DescMessage>(
    method: Method<Input, Output>,
    init: MessageInitShape<Input>,
  ): MessageShape<Output> | undefined {
    try {
      return this.query(method, init)
    } catch (error) {
      if (error instanceof CodedError && error.codespace === 'grpc' && error.code === GRPC.notFound) {
        return undefined
      }
      throw error
    }
  }

  #ask<Input extends DescMessage>(
    { parent, name, input }: Method<Input, DescMessage>,
    init: MessageInitShape<Input>,
    state: StateReader,
  ): Uint8Array {
    const path = `/${parent.typeName}/${name}`
    const handler = this.#routes.queries.get(path)
    if (handler === undefined) throw refuseCall(`unknown query path ${path}`)
    const { height, chainId } = this.#block
    try {
      return handler.query({ state, height, chainId }, toBinary(input, create(input, init)))
    } catch (error) {
      // A query writes nothing: what it cannot make sense of is the caller's fault, and must not halt the node.
      if (error instanceof CodedError || error instanceof InvariantError) throw error
      throw refuseCall('malformed request')
    }
  }

  log<Indexed extends Fields, Data extends Fields>(
    event: EventDefinition<Indexed, Data>,
    values: Values<Indexed> & Values<Data>,
  ): void {
    this.logOf(this.#call.precompile, event, values)
  }

  /** The log that the contract would make for which this precompile answers. */
  logOf<Indexed extends Fields, Data extends Fields>(
    address: Address,
    event: EventDefinition<Indexed, Data>,
    values: Values<Indexed> & Values<Data>,
  ): void {
    this.logs.push({ address, ...event.encode(values) })
  }
}
