/** eth_call and eth_estimateGas. They run in worker threads, on a fixed height, with a gas cap. */
import { MAX_UINT64 } from '../core/amounts.ts'
import type { Hash } from '../core/hash.ts'
import { bytesToHex, type Hex, hexToBigint, quantityToHex } from '../core/hex.ts'
import { MAX_TRANSACTION_GAS } from '../core/limits.ts'
import type {
  BlockEnvironment,
  ExecuteOptions,
  ExecutionOutcome,
  ExecutionResult,
  Message,
  PrecompileMove,
} from '../evm/engine.ts'
import { isEvmError } from '../evm/errors.ts'
import { BLOB_GAS } from '../evm/transition/prepare-message.ts'
import { Overlay } from '../store/overlay.ts'
import type { StateReader } from '../store/state.ts'
import { hardforkAt } from '../app/records/chain-parameters.ts'
import { executionReverted, queryFailed } from '../app/errors.ts'
import { recentBlockHash } from '../app/index/block-hash.ts'
import type { BlockReference, CallRequest, Questions } from '../app/ports.ts'
import { nativePrecompilesAt } from '../app/precompiles/index.ts'
import { toCallMessage } from './message.ts'
import { applyBlockOverrides, applyStateOverrides } from './overrides.ts'
import { pendingState } from './pending.ts'
import { revertReason } from './revert-reason.ts'
import { isPending, requireHeader, requireHeight, type ChainView } from './chain-view.ts'

type CallQuestion = Questions['call']

export interface Scene {
  readonly base: StateReader
  readonly environment: BlockEnvironment
  /** The time of the block in nanoseconds: native modules count finer than the EVM. */
  readonly timeNs: bigint
  readonly precompileMoves?: readonly PrecompileMove[]
}

/** A block that is overridden with a higher number sees no hash of its own nor of what came after it, as in geth. */
const hashBefore = (view: ChainView, base: StateReader, height: number, number: number): Hash | undefined =>
  number < height ? (view.reader.hashAt(number) ?? recentBlockHash(view.reader, base, height, number)) : undefined

/** The state after a block, and that block as what the call sees. */
export const sceneAt = (view: ChainView, height: number): Scene => {
  const { header, timeNs } = requireHeader(view, height)
  const base = view.stateAt(height)
  return {
    base,
    timeNs,
    environment: {
      number: height,
      timestamp: header.timestamp,
      coinbase: header.miner,
      gasLimit: header.gasLimit,
      baseFeePerGas: header.baseFeePerGas,
      blobBaseFee: 1n,
      prevRandao: header.mixHash,
      chainId: view.parameters.evmChainId,
      hardfork: hardforkAt(view.parameters, header.timestamp),
      blockHash: (number) => hashBefore(view, base, height, number),
    },
  }
}

const ONE_SECOND_NS = 1_000_000_000n

/** What a call sees that names `block`; for `pending` that is what lies on top of the pool. */
export const openScene = async (view: ChainView, block: BlockReference): Promise<Scene> =>
  isPending(block)
    ? await pendingState(view).then(({ state, environment, timeNs }) => ({ base: state, environment, timeNs }))
    : sceneAt(view, requireHeight(view, block))

export const prepareScene = async (
  view: ChainView,
  question: Pick<CallQuestion, 'block' | 'stateOverrides' | 'blockOverrides'>,
): Promise<Scene> => overrideScene(view, await openScene(view, question.block), question)

/** A scene of its own, at the fork of its time. Throws query/1 and query/2. */
export const overrideScene = (
  { parameters }: ChainView,
  scene: Scene,
  question: Pick<CallQuestion, 'stateOverrides' | 'blockOverrides'>,
): Scene & { readonly base: Overlay } => {
  const scratch = new Overlay(scene.base)
  const seen = applyBlockOverrides(scene.environment, question.blockOverrides)
  const environment = { ...seen, hardfork: hardforkAt(parameters, seen.timestamp) }
  const precompileMoves = applyStateOverrides(scratch, environment.hardfork, question.stateOverrides)
  const isMoved = environment.timestamp !== scene.environment.timestamp
  return {
    base: scratch,
    environment,
    timeNs: isMoved ? BigInt(environment.timestamp) * ONE_SECOND_NS : scene.timeNs,
    ...(precompileMoves.length === 0 ? {} : { precompileMoves }),
  }
}

/** A call at a zero price sees a zero base fee, as in geth: its sender need not hold anything. */
export const runCall = async (
  view: ChainView,
  scene: Scene,
  message: Message,
  hooks: Partial<ExecuteOptions> = {},
  state = new Overlay(scene.base),
): Promise<ExecutionOutcome> => {
  const { environment, timeNs, precompileMoves } = scene
  const free = message.maxFeePerGas === 0n && message.maxPriorityFeePerGas === 0n
  const seen = {
    ...environment,
    baseFeePerGas: free ? 0n : environment.baseFeePerGas,
    blobBaseFee: message.maxFeePerBlobGas === 0n ? 0n : environment.blobBaseFee,
  }
  const block = { height: environment.number, timeNs, chainId: view.parameters.chainId }
  return view.engine.execute(state, seen, message, {
    nativePrecompiles: nativePrecompilesAt(view.modules, block),
    fees: free ? 'none' : 'collect',
    checks: 'call',
    ...(precompileMoves === undefined ? {} : { precompileMoves }),
    ...hooks,
  })
}

/** The error that a failed execution answers with. */
const failureOf = (result: ExecutionResult): Error | undefined => {
  const { failure, returnData } = result
  if (failure === undefined) return undefined
  return failure.kind === 'revert'
    ? executionReverted(revertReason(returnData), bytesToHex(returnData))
    : queryFailed(failure.message)
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** What a call may use: what it asks for, up to the node's cap. With neither geth gives half of 64 bits. */
export const cappedGas = ({ settings: { gasCap } }: ChainView, { gas }: CallRequest): bigint => {
  if (gasCap === 0n) return gas === undefined ? MAX_UINT64 / 2n : hexToBigint(gas)
  return gas === undefined ? gasCap : smaller(hexToBigint(gas), gasCap)
}

export const call = async (view: ChainView, question: CallQuestion): Promise<string> => {
  const scene = await prepareScene(view, question)
  const gasLimit = cappedGas(view, question.call)
  const message = toCallMessage(question.call, view.parameters.evmChainId, gasLimit)
  const outcome = await runCall(view, scene, message)
  if (!outcome.valid) throw queryFailed(`err: ${outcome.error.message} (supplied gas ${gasLimit})`)
  const failure = failureOf(outcome.result)
  if (failure !== undefined) throw failure
  return bytesToHex(outcome.result.returnData)
}

const TRANSFER_GAS = 21_000n
const CALL_STIPEND = 2_300n
/** The search stops when the bounds are this close: 1.5 percent, as in geth. */
const ERROR_RATIO_PER_MILLE = 15n

/** Most gas that the question allows. Throws when the sender cannot pay for the value. */
const allowance = (
  view: ChainView,
  scene: Scene,
  message: Message,
  headerGasLimit: bigint,
  gasCap: Hex | undefined,
): bigint => {
  let most = message.gasLimit >= TRANSFER_GAS ? message.gasLimit : headerGasLimit
  if (gasCap !== undefined) most = smaller(most, hexToBigint(gasCap))
  if (message.maxFeePerGas > 0n) {
    const balance = scene.base.account(message.sender)?.balance ?? 0n
    if (message.value >= balance) throw queryFailed('insufficient funds for transfer')
    const available = balance - message.value
    const blobs = BigInt(message.blobVersionedHashes.length) * BLOB_GAS * (message.maxFeePerBlobGas ?? 0n)
    if (message.blobVersionedHashes.length > 0 && blobs >= available) {
      throw queryFailed('insufficient funds for gas * price + value')
    }
    most = smaller(most, (available - blobs) / message.maxFeePerGas)
  }
  if (view.settings.gasCap > 0n) most = smaller(most, view.settings.gasCap)
  return scene.environment.hardfork === 'osaka' ? smaller(most, MAX_TRANSACTION_GAS) : most
}

const isPlainTransfer = (scene: Scene, { to, data, authorizationList }: Message): boolean => {
  if (to === undefined || data.length > 0 || authorizationList.length > 0) return false
  const account = scene.base.account(to)
  return account === undefined || scene.base.code(account.codeHash).length === 0
}

export const estimateGas = async (view: ChainView, question: Questions['estimateGas']): Promise<Hex> => {
  const opened = await openScene(view, question.block)
  // As geth's estimator has it: precompiles stay where they are, and an override of the block's gas limit is no bound.
  const { precompileMoves: _, ...scene } = overrideScene(view, opened, question)
  const wanted = question.call.gas === undefined ? 0n : hexToBigint(question.call.gas)
  const message = toCallMessage(question.call, view.parameters.evmChainId, wanted)
  let high = allowance(view, scene, message, opened.environment.gasLimit, question.gasCap)
  const attempt = async (gasLimit: bigint): Promise<ExecutionResult | undefined> => {
    const outcome = await runCall(view, scene, { ...message, gasLimit })
    if (outcome.valid) return outcome.result
    // Too little gas for the transaction itself is an answer to the search; everything else is final.
    if (isEvmError(outcome.error, 'intrinsicGasTooLow')) return undefined
    throw queryFailed(`failed with ${gasLimit} gas: ${outcome.error.message}`)
  }
  if (isPlainTransfer(scene, message)) {
    const outcome = await runCall(view, scene, { ...message, gasLimit: TRANSFER_GAS })
    if (outcome.valid && outcome.result.failure === undefined) return quantityToHex(TRANSFER_GAS)
  }
  const first = await attempt(high)
  if (first === undefined) throw queryFailed(`gas required exceeds allowance (${high})`)
  if (first.failure !== undefined) {
    if (first.failure.kind === 'other' && first.failure.message.startsWith('out of gas')) {
      throw queryFailed(`gas required exceeds allowance (${high})`)
    }
    throw failureOf(first) ?? queryFailed(first.failure.message)
  }
  let low = first.gasUsed - 1n
  // Most calls succeed with what they used plus the 63/64 that inner calls may not take.
  const optimistic = ((first.gasBeforeRefund + CALL_STIPEND) * 64n) / 63n
  const succeeds = async (gasLimit: bigint): Promise<boolean> => {
    const result = await attempt(gasLimit)
    return result !== undefined && result.failure === undefined
  }
  if (optimistic < high) {
    if (await succeeds(optimistic)) high = optimistic
    else low = optimistic
  }
  while (low + 1n < high) {
    if ((high - low) * 1000n < high * ERROR_RATIO_PER_MILLE) break
    let middle = (high + low) / 2n
    if (middle > low * 2n) middle = low * 2n
    if (await succeeds(middle)) high = middle
    else low = middle
  }
  return quantityToHex(high)
}
