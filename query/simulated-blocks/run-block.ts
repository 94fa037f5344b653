/** One block of a simulation: overrides, system calls, the calls one by one, withdrawals, then roots and header. */
import { bytesToKey, EMPTY_BYTES } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { hexToBigint, hexToBytes } from '../../core/hex.ts'
import { MAX_STREAM_FRAME_BYTES } from '../../core/limits.ts'
import { encodeRlp } from '../../core/rlp.ts'
import type { BlockEnvironment, ExecuteOptions, ExecutionResult, Log, PrecompileMove } from '../../evm/engine.ts'
import { BLOB_GAS } from '../../evm/transition/prepare-message.ts'
import { credit } from '../../evm/transition/fees.ts'
import { noteBurntByEvm } from '../../modules/bank/index.ts'
import { dropQueued } from '../../modules/clob/index.ts'
import { nextBaseFee, readBaseFee, readFeeMarket } from '../../modules/feemarket/index.ts'
import { readMaxBlockWeight } from '../../modules/weight/index.ts'
import { Overlay } from '../../store/overlay.ts'
import { orderedTrieRoot } from '../../store/trie/ordered-root.ts'
import { encodeHeader, type Header, hashHeader } from '../../app/records/header.ts'
import { encodeReceipt, logsBloom, mergeBlooms } from '../../app/records/receipt.ts'
import { excessWeight, pricedGas } from '../../app/block/priced-gas.ts'
import { runSystemCalls } from '../../app/block/run.ts'
import { hardforkAt } from '../../app/records/chain-parameters.ts'
import { answerTooLarge, simulationError } from '../../app/errors.ts'
import type { CallRequest, Questions, Withdrawal } from '../../app/ports.ts'
import { nativePrecompilesAt } from '../../app/precompiles/index.ts'
import { applyStateOverrides } from '../overrides.ts'
import type { Json } from '../ethereum-json.ts'
import type { ChainView } from '../chain-view.ts'
import { type SimulatedCall, simulatedBlockJson, withdrawalFields } from './block-json.ts'
import { blobBaseFee, excessBlobGas } from './blob-gas.ts'
import { type GasPool, prepareCall, refusalOf, requirePoolGas } from './prepare-call.ts'
import { LogTracer, type NumberedLog } from './log-tracer.ts'
import type { PlannedBlock } from './plan-blocks.ts'
import type { Tip } from './tip.ts'
import { type CallTransaction, toCallTransaction } from './call-transaction.ts'

const ONE_SECOND_NS = 1_000_000_000n
const GWEI = 1_000_000_000n
/** Equal calls repeat the logs of those before them: gas alone does not bound receipts. */
const MAX_RECEIPT_BYTES = 32 * 1024 * 1024
/** What calls return costs little gas, too. The blocks take the rest of what an answer may have. */
const MAX_ANSWER_BYTES = MAX_STREAM_FRAME_BYTES - 2 * 1024 * 1024

/** What a call and a log take in JSON beside their data. */
const CALL_BYTES = 512
/** Each byte as two digits, and in the message of a revert at worst as an escape of six. */
const HEX_CHARACTERS = 2
const REVERT_CHARACTERS = 8

const answerBytesOf = (
  { failure, returnData }: ExecutionResult,
  logs: readonly NumberedLog[],
  rawBytes: number,
): number => {
  const ofData = returnData.length * (failure?.kind === 'revert' ? REVERT_CHARACTERS : HEX_CHARACTERS)
  let bytes = CALL_BYTES + ofData + HEX_CHARACTERS * rawBytes
  for (const { log } of logs) bytes += CALL_BYTES + HEX_CHARACTERS * log.data.length
  return bytes
}

/** What the blocks of a simulation share. */
export interface Session {
  readonly view: ChainView
  readonly question: Questions['simulate']
  readonly pool: GasPool
  /**
   * The logs by `bytesToKey` of the hash of the transaction: equal calls have equal ones, and share their receipts'
   * logs in geth.
   */
  readonly logs: Map<string, readonly Log[]>
  /** The bytes of all receipts until now. */
  receiptBytes: number
  /** The bytes of the answer to all calls until now, about. */
  answerBytes: number
  /** Tells the hash of the base, of a block below or of a simulated one; undefined where there is none. */
  blockHash(number: number): Hash | undefined
}

const environmentOf = ({ view, question, blockHash }: Session, planned: PlannedBlock, tip: Tip): BlockEnvironment => {
  const { number, timestamp, coinbase, gasLimit, prevRandao, blockOverrides } = planned
  const hardfork = hardforkAt(view.parameters, timestamp)
  const { baseFeePerGas, blobBaseFee: overridden } = blockOverrides
  // Without validation calls may name no price: then a base fee would stand above it.
  const baseFee = question.validation ? nextBaseFeeOf(tip) : 0n
  const blobFee = blobBaseFee(hardfork, excessBlobGas(hardfork, tip.header))
  return {
    number,
    timestamp,
    coinbase,
    gasLimit,
    baseFeePerGas: baseFeePerGas === undefined ? baseFee : hexToBigint(baseFeePerGas),
    blobBaseFee: overridden === undefined ? BigInt.asUintN(256, blobFee) : hexToBigint(overridden),
    prevRandao,
    chainId: view.parameters.evmChainId,
    hardfork,
    blockHash,
  }
}

/** The state knows the fee after a block of the chain; for simulated ones it is reckoned. */
const nextBaseFeeOf = ({ header, state, pricedGas }: Tip): bigint =>
  pricedGas === undefined
    ? readBaseFee(state)
    : nextBaseFee(header.baseFeePerGas, pricedGas, header.gasLimit, readFeeMarket(state))

class SimulatedBlockRun {
  readonly #session: Session
  readonly #state: Overlay
  readonly #environment: BlockEnvironment
  readonly #options: ExecuteOptions
  readonly #tracer: LogTracer
  readonly outcomes: SimulatedCall[] = []
  /** The sender of equal calls is that of the last of them. */
  readonly senders = new Map<string, Uint8Array>()
  gasUsed = 0n
  /** What the calls weigh above ordinary ones of their gas, in nanoseconds. */
  excessWeight = 0
  blobGasUsed = 0n

  constructor(session: Session, state: Overlay, environment: BlockEnvironment, moves: readonly PrecompileMove[]) {
    const { view, question } = session
    const { number, timestamp } = environment
    const block = { height: number, timeNs: BigInt(timestamp) * ONE_SECOND_NS, chainId: view.parameters.chainId }
    this.#session = session
    this.#state = state
    this.#environment = environment
    this.#tracer = new LogTracer(question.traceTransfers)
    this.#options = {
      fees: question.validation ? 'collect' : 'none',
      checks: question.validation ? 'nonce' : 'call',
      nativePrecompiles: nativePrecompilesAt(view.modules, block),
      ...(moves.length === 0 ? {} : { precompileMoves: moves }),
      ...this.#tracer.hooks,
    }
  }

  async apply(given: CallRequest): Promise<void> {
    const { view, pool } = this.#session
    const { call, message } = prepareCall(given, this.#state, this.#environment, this.gasUsed, pool)
    const transaction = toCallTransaction(call, message, this.#environment.chainId)
    this.senders.set(bytesToKey(transaction.hash), message.sender)
    requirePoolGas(message, this.#state, this.#environment, this.#options, pool)
    this.#tracer.begin()
    this.#state.beginTransaction()
    const outcome = await view.engine.execute(this.#state, this.#environment, message, this.#options)
    if (!outcome.valid) throw refusalOf(outcome.error, message.gasLimit)
    const { result } = outcome
    noteBurntByEvm(this.#state, result.burntAnat)
    pool.gas -= result.gasUsed
    this.gasUsed += result.gasUsed
    this.excessWeight += excessWeight({ workGas: result.gasBeforeRefund, weight: result.weight })
    this.blobGasUsed += BLOB_GAS * BigInt(transaction.blobs?.hashes.length ?? 0)
    this.#record(transaction, result)
  }

  #record(transaction: CallTransaction, result: ExecutionResult): void {
    const { logs: known } = this.#session
    const key = bytesToKey(transaction.hash)
    const logs = [...(known.get(key) ?? []), ...result.logs]
    known.set(key, logs)
    const bloom = logsBloom(logs)
    const receipt = {
      type: transaction.type,
      succeeded: result.failure === undefined,
      gasUsed: result.gasUsed,
      cumulativeGasUsed: this.gasUsed,
      effectiveGasPrice: result.effectiveGasPrice,
      contractAddress: undefined,
      firstLogIndex: 0,
      logs,
    }
    const encodedReceipt = encodeReceipt(receipt, bloom)
    this.#session.receiptBytes += encodedReceipt.length
    if (this.#session.receiptBytes > MAX_RECEIPT_BYTES) throw simulationError('limitExceeded', 'too many logs')
    const tracedLogs = this.#tracer.logs()
    this.#session.answerBytes += answerBytesOf(result, tracedLogs, transaction.raw.length)
    if (this.#session.answerBytes > MAX_ANSWER_BYTES) throw answerTooLarge(MAX_ANSWER_BYTES)
    this.outcomes.push({ transaction, result, logs: tracedLogs, encodedReceipt, bloom })
  }
}

/** Geth crashes at a withdrawal that is null. */
const requireWithdrawals = (given: readonly (Withdrawal | null)[] = []): readonly Withdrawal[] =>
  given.map((withdrawal) => {
    if (withdrawal === null) throw simulationError('crashed', 'method handler crashed')
    return withdrawal
  })

/** Runs a block on `tip` and moves it: what follows stands on this one. */
export const runSimulatedBlock = async (session: Session, planned: PlannedBlock, tip: Tip): Promise<Json> => {
  const { view, question } = session
  const environment = environmentOf(session, planned, tip)
  const state = new Overlay(tip.state)
  const moves = applyStateOverrides(state, environment.hardfork, planned.stateOverrides)
  const parentBeaconBlockRoot = planned.blockOverrides.beaconRoot
  const beaconRoot = parentBeaconBlockRoot === undefined ? undefined : hexToBytes(parentBeaconBlockRoot)
  await runSystemCalls(view.engine, state, environment, tip.hash, beaconRoot)
  const run = new SimulatedBlockRun(session, state, environment, moves)
  for (const call of planned.calls) await run.apply(call)
  dropQueued(state)
  const withdrawals = requireWithdrawals(planned.blockOverrides.withdrawals)
  for (const { address, amount } of withdrawals) credit(state, hexToBytes(address), hexToBigint(amount) * GWEI)
  const commitment = tip.commitmentTo(state)
  const { outcomes } = run
  const header: Header = {
    parentHash: tip.hash,
    miner: environment.coinbase,
    stateRoot: commitment.stateRoot,
    transactionsRoot: orderedTrieRoot(outcomes.map(({ transaction }) => transaction.raw)),
    receiptsRoot: orderedTrieRoot(outcomes.map(({ encodedReceipt }) => encodedReceipt)),
    logsBloom: mergeBlooms(outcomes.map(({ bloom }) => bloom)),
    number: environment.number,
    gasLimit: environment.gasLimit,
    gasUsed: run.gasUsed,
    timestamp: environment.timestamp,
    extraData: EMPTY_BYTES,
    mixHash: environment.prevRandao,
    baseFeePerGas: environment.baseFeePerGas,
    withdrawalsRoot: orderedTrieRoot(withdrawals.map((withdrawal) => encodeRlp(withdrawalFields(withdrawal)))),
    blobGasUsed: run.blobGasUsed,
    excessBlobGas: excessBlobGas(environment.hardfork, tip.header),
    ...(beaconRoot === undefined ? {} : { parentBeaconBlockRoot: beaconRoot }),
  }
  const hash = hashHeader(encodeHeader(header))
  const priced = pricedGas(run.gasUsed, run.excessWeight, environment.gasLimit, readMaxBlockWeight(state))
  tip.advance(header, hash, state, commitment, priced)
  return simulatedBlockJson(run, header, hash, withdrawals, question.fullTransactions)
}
