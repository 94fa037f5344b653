/**
 * What cosmos.evm.vm.v1.Query executes: calls, estimates and traces. They are the questions of eth_call, eth_estimateGas
 * and debug_trace*, with the same bounds, in other clothes; what a request says that this node knows by itself, or that
 * is not as the chain has it, is refused where it would change the answer.
 */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type {
  BlockReference,
  CallRequest,
  EvmCallAnswer,
  QuestionName,
  Questions,
  StateOverrides,
} from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import { keccak256 } from '../../core/hash.ts'
import { bytesToHex, type Hex, hexToBigint, hexToBytes, quantityToHex } from '../../core/hex.ts'
import { type evm, evmQuery, type evmTx } from '../../proto/index.ts'
import { GRPC } from '../grpc/status.ts'
import { countFields } from './count-fields.ts'
import { parseValue } from '../payload.ts'
import { decodeCall, toCallRequest } from '../parameters/transaction-arguments.ts'
import type { Decode } from '../parameters/go-json.ts'
import { decodeStateOverrides, toStateOverrides } from '../parameters/overrides.ts'
import { toTraceOptions, type TraceConfig } from '../parameters/trace-config.ts'
import { invalidArgument } from './parse-parameter.ts'
import { methodPath } from './services.ts'

export interface EvmCallContext {
  /** Asks the application as of the gateway's head; resolves to JSON. */
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name]): Promise<string>
  /** The height that the client asked for; 0 is the head. */
  readonly height: number
}

type Answer = (context: EvmCallContext, request: Uint8Array) => Promise<Uint8Array>

const { method } = evmQuery.Query

/** What a call takes of the rate limit: what its method of JSON-RPC takes. */
const COSTS: ReadonlyMap<string, number> = new Map([
  [methodPath(method.ethCall), 20],
  [methodPath(method.estimateGas), 50],
  [methodPath(method.traceTx), 100],
  [methodPath(method.traceCall), 100],
  [methodPath(method.traceBlock), 200],
])

/** Undefined for a method that executes nothing. */
export const evmCallCost = (path: string): number | undefined => COSTS.get(path)

const notSupported = (message: string): CodedError =>
  new CodedError('grpc', GRPC.unimplemented, `not supported: ${message}`)

/** Whatever a reader of parameters refuses is an invalid argument here. */
const read = <Value>(name: string, make: () => Value): Value => {
  try {
    return make()
  } catch (error) {
    if (error instanceof CodedError || error instanceof SyntaxError) throw invalidArgument(`${name}: ${error.message}`)
    throw error
  }
}

const parseJson = <Value>(name: string, bytes: Uint8Array, decode: Decode<Value>): Value =>
  read(name, () => decode(parseValue(Buffer.from(bytes).toString()), ''))

const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** The gas that a call asks for, or all that the request allows; 0 leaves it to the node. */
const withGasCap = (call: CallRequest, gasCap: bigint): CallRequest => {
  if (gasCap === 0n) return call
  return { ...call, gas: quantityToHex(call.gas === undefined ? gasCap : lesser(hexToBigint(call.gas), gasCap)) }
}

const readCall = (args: Uint8Array): CallRequest => {
  const decoded = parseJson('args', args, decodeCall)
  return read('args', () => toCallRequest(decoded))
}

const readOverrides = (bytes: Uint8Array): { readonly stateOverrides?: StateOverrides } => {
  if (bytes.length === 0) return {}
  const decoded = parseJson('invalid state overrides format', bytes, decodeStateOverrides)
  return { stateOverrides: read('invalid state overrides format', () => toStateOverrides(decoded)) }
}

const blockAt = (height: number): BlockReference => (height === 0 ? { tag: 'latest' } : { number: height })

const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`

const logOf = (
  { address, topics, data }: EvmCallAnswer['logs'][number],
  index: number,
  blockNumber: bigint,
): MessageInitShape<typeof evm.LogSchema> => ({
  address,
  topics: [...topics],
  data: hexToBytes(data),
  blockNumber,
  // It is in no block, and of no transaction.
  txHash: ZERO_HASH,
  blockHash: ZERO_HASH,
  index: BigInt(index),
})

const ethCall = async (
  { ask, height }: EvmCallContext,
  { args, gasCap, overrides }: evmQuery.EthCallRequest,
): Promise<MessageInitShape<typeof evmTx.MsgEthereumTxResponseSchema>> => {
  const call = withGasCap(readCall(args), gasCap)
  const text = await ask('evmCall', { call, block: blockAt(height), ...readOverrides(overrides) })
  const answer = JSON.parse(text) as EvmCallAnswer
  const blockNumber = hexToBigint(answer.blockNumber)
  return {
    hash: ZERO_HASH,
    logs: answer.logs.map((log, index) => logOf(log, index, blockNumber)),
    ret: hexToBytes(answer.returnData),
    vmError: answer.failure ?? '',
    gasUsed: hexToBigint(answer.gasUsed),
    maxUsedGas: hexToBigint(answer.maxUsedGas),
    blockHash: hexToBytes(answer.blockHash),
    blockTimestamp: hexToBigint(answer.timestamp),
  }
}

const LEAST_GAS = 21_000n
const REVERTED = 3

/** A revert is an answer, with what the contract said; all else that fails has no estimate. */
const estimateGas = async (
  { ask, height }: EvmCallContext,
  { args, gasCap, overrides }: evmQuery.EthCallRequest,
): Promise<MessageInitShape<typeof evmQuery.EstimateGasResponseSchema>> => {
  if (gasCap < LEAST_GAS) throw invalidArgument(`gas cap cannot be lower than ${LEAST_GAS}`)
  const question = { call: readCall(args), block: blockAt(height), ...readOverrides(overrides) }
  try {
    const text = await ask('estimateGas', { ...question, gasCap: quantityToHex(gasCap) })
    return { gas: hexToBigint(JSON.parse(text) as Hex) }
  } catch (error) {
    if (!(error instanceof CodedError) || error.codespace !== 'query' || error.code !== REVERTED) throw error
    return { ret: hexToBytes(typeof error.data === 'string' ? error.data : '0x'), vmError: 'execution reverted' }
  }
}

/** Throws grpc/3, and grpc/12 for forks that are not this chain's. */
const traceOptions = (config: evm.TraceConfig | undefined): Questions['traceBlock']['options'] => {
  if (config === undefined) return toTraceOptions()
  const { tracer, timeout, tracerJsonConfig, overrides, limit, ...rest } = config
  if (limit < 0) throw invalidArgument(`output limit cannot be negative, got ${limit}`)
  if (overrides !== undefined) throw notSupported('the forks of a trace are those of the chain')
  const { enableMemory, disableStack, disableStorage, enableReturnData } = rest
  const switches = { enableMemory, disableStack, disableStorage, enableReturnData, limit }
  const given: TraceConfig = {
    ...switches,
    ...(tracer === '' ? {} : { tracer }),
    ...(timeout === '' ? {} : { timeout }),
    ...(tracerJsonConfig === '' ? {} : { tracerConfig: parseConfig(tracerJsonConfig) }),
  }
  return toTraceOptions(given)
}

const parseConfig = (text: string): unknown => read('tracer_json_config', () => parseValue(text))

/** The hash of a transaction by its bytes, as its message carries it. */
const hashOf = ({ raw }: evmTx.MsgEthereumTx): Hex => bytesToHex(keccak256(raw))

/** Hashes of the transactions of a block. Throws grpc/5. */
const hashesOf = async ({ ask }: EvmCallContext, block: BlockReference): Promise<readonly Hex[]> => {
  const found = JSON.parse(await ask('block', { block, full: false })) as { readonly transactions: Hex[] } | null
  if (found !== null) return found.transactions
  throw new CodedError('grpc', GRPC.notFound, 'block not found')
}

/** A block is replayed as it was: with other transactions it would be another. */
const requireSame = (given: readonly evmTx.MsgEthereumTx[], expected: readonly Hex[]): void => {
  const same = given.length === expected.length && given.every((each, index) => hashOf(each) === expected[index])
  if (!same) throw notSupported('the transactions are not those of the block, which is traced as it was')
}

interface Placed {
  readonly blockNumber: Hex | null
  readonly transactionIndex: Hex | null
}

const traceTx = async (
  context: EvmCallContext,
  { msg, predecessors, blockNumber, traceConfig }: evmQuery.QueryTraceTxRequest,
): Promise<MessageInitShape<typeof evmQuery.QueryTraceTxResponseSchema>> => {
  if (msg === undefined || msg.raw.length === 0) throw invalidArgument('empty request')
  const options = traceOptions(traceConfig)
  const hash = hashOf(msg)
  const placed = JSON.parse(await context.ask('transaction', { hash })) as Placed | null
  // One that waits in the pool has no number.
  if (placed === null || placed.blockNumber === null) {
    throw notSupported(`${hash} is in no block: TraceCall traces what was not sent`)
  }
  const height = Number(placed.blockNumber)
  if (blockNumber > 0n && blockNumber !== BigInt(height)) throw invalidArgument(`${hash} is in block ${height}`)
  if (predecessors.length > 0) {
    const hashes = await hashesOf(context, { number: height })
    requireSame(predecessors, hashes.slice(0, Number(placed.transactionIndex)))
  }
  return { data: Buffer.from(await context.ask('traceTransaction', { hash, options })) }
}

const HASH = /^(?:0x)?([0-9a-fA-F]{64})$/i

const tracedBlock = ({
  blockNumber,
  blockHash,
}: Pick<evmQuery.QueryTraceBlockRequest, 'blockNumber' | 'blockHash'>): BlockReference => {
  if (blockNumber > 0n) return { number: Number(lesser(blockNumber, BigInt(Number.MAX_SAFE_INTEGER))) }
  const digits = HASH.exec(blockHash)?.[1]
  if (digits === undefined) throw invalidArgument('a number or a hash of the block is needed')
  return { hash: `0x${digits.toLowerCase()}` }
}

const traceBlock = async (
  context: EvmCallContext,
  request: evmQuery.QueryTraceBlockRequest,
): Promise<MessageInitShape<typeof evmQuery.QueryTraceBlockResponseSchema>> => {
  const options = traceOptions(request.traceConfig)
  const block = tracedBlock(request)
  if (request.txs.length > 0) requireSame(request.txs, await hashesOf(context, block))
  return { data: Buffer.from(await context.ask('traceBlock', { block, options })) }
}

const traceCall = async (
  { ask, height }: EvmCallContext,
  { args, gasCap, traceConfig, blockNumber }: evmQuery.QueryTraceCallRequest,
): Promise<MessageInitShape<typeof evmQuery.QueryTraceCallResponseSchema>> => {
  if (args.length === 0) throw invalidArgument('empty request')
  const options = traceOptions(traceConfig)
  const call = withGasCap(readCall(args), gasCap)
  const block = blockNumber > 0n ? tracedBlock({ blockNumber, blockHash: '' }) : blockAt(height)
  return { data: Buffer.from(await ask('traceCall', { call, block, options })) }
}

/** Those of a full block of transactions, and more. */
const MAX_FIELDS = 50_000

const serve = <Input extends DescMessage, Output extends DescMessage>(
  served: DescMethodUnary<Input, Output>,
  answer: (context: EvmCallContext, request: MessageShape<Input>) => Promise<MessageInitShape<Output>>,
): readonly [string, Answer] => {
  const { input, output } = served
  const decode = (bytes: Uint8Array): MessageShape<Input> => {
    try {
      if (countFields(input, bytes, MAX_FIELDS) <= MAX_FIELDS)
        return fromBinary(input, bytes, { readUnknownFields: false })
    } catch {
      throw invalidArgument('malformed request')
    }
    throw invalidArgument(`request with more than ${MAX_FIELDS} fields`)
  }
  return [
    methodPath(served),
    async (context, bytes) => toBinary(output, create(output, await answer(context, decode(bytes)))),
  ]
}

const refuseTrace: Answer = () =>
  Promise.reject(notSupported('traces are not served by this node: json-rpc.api leaves debug out'))

export interface EvmCalls {
  /** Undefined for a path that is none of them. Rejects with grpc codes and with those of the application. */
  answer(path: string, context: EvmCallContext, request: Uint8Array): Promise<Uint8Array> | undefined
}

/** `traces`: whether this gateway serves the namespace `debug`. */
export const createEvmCalls = (traces: boolean): EvmCalls => {
  const calls = [serve(method.ethCall, ethCall), serve(method.estimateGas, estimateGas)]
  const traced = [
    serve(method.traceTx, traceTx),
    serve(method.traceBlock, traceBlock),
    serve(method.traceCall, traceCall),
  ].map(([path, answer]) => [path, traces ? answer : refuseTrace] as const)
  const answers: ReadonlyMap<string, Answer> = new Map([...calls, ...traced])
  return { answer: (path, context, request) => answers.get(path)?.(context, request) }
}
