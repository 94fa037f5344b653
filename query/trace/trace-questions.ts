/** debug_traceTransaction, debug_traceBlock* and debug_traceCall. They run in worker threads, with limits. */
import { contractAddress } from '../../core/address.ts'
import { CodedError } from '../../core/errors.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import type { BlockEnvironment } from '../../evm/engine.ts'
import type { Overlay } from '../../store/overlay.ts'
import { isQueryError, prunedHistory, QUERY_CODES, queryFailed } from '../../app/errors.ts'
import type { BlockReference, Questions, TraceOptions } from '../../app/ports.ts'
import { cappedGas, openScene, overrideScene, runCall, type Scene } from '../calls.ts'
import { toCallMessage } from '../message.ts'
import {
  firstHeight,
  isPending,
  isPrunedBlock,
  requireHeader,
  requireKept,
  resolveHeight,
  type ChainView,
} from '../chain-view.ts'
import { BlockReplay, type Replayed } from './block-replay.ts'
import { TraceBudget } from './budget.ts'
import { createTracer } from './create-tracer.ts'
import { decodeBlock } from './decode-block.ts'
import { traceForeignBlock } from './foreign-block.ts'

const budgetOf = ({ clock, settings, interrupt }: ChainView, { timeoutMs }: TraceOptions): TraceBudget =>
  new TraceBudget({ clock, interrupt, timeoutMs, totalMs: settings.evmTimeoutMs })

/** Geth's tracers name no root of pruned state. */
const inTracerWords =
  <Question>(trace: (view: ChainView, question: Question) => Promise<string>) =>
  async (view: ChainView, question: Question): Promise<string> => {
    try {
      return await trace(view, question)
    } catch (error) {
      if (!isQueryError(error, 'prunedState')) throw error
      throw new CodedError('query', QUERY_CODES.prunedState, 'historical state is not available')
    }
  }

/** The height of a block, in the words of geth's tracers where there is none. */
const requireBlock = (view: ChainView, block: BlockReference): number => {
  const height = resolveHeight(view, block)
  if (height !== undefined) return height
  if ('hash' in block) throw queryFailed(`block ${block.hash} not found`)
  if (isPrunedBlock(view, block)) throw prunedHistory()
  throw queryFailed(`block #${'number' in block ? block.number : 0} not found`)
}

/** The state before the first block is that of no block. */
const requireTraceable = (view: ChainView, height: number): void => {
  if (height === view.parameters.initialHeight - 1) throw queryFailed('genesis is not traceable')
  if (height <= firstHeight(view)) requireKept(view.reader, height - 1)
}

const replayTransaction = async (
  view: ChainView,
  { hash, options }: Questions['traceTransaction'],
): Promise<string> => {
  const position = view.reader.positionOf(hexToBytes(hash))
  const isHere = position !== undefined && position.height <= view.head && position.height >= firstHeight(view)
  if (!isHere) throw queryFailed('transaction not found')
  requireTraceable(view, position.height)
  const replay = await BlockReplay.begin(view, position.height, budgetOf(view, options))
  for (let index = 0; index < position.index; index++) await replay.next()
  const traced = await replay.next((scene) => createTracer(options.tracer, scene))
  if (traced?.tracer === undefined) throw queryFailed('transaction not found')
  return traced.tracer.result()
}

const traceText = ({ signed, tracer }: Replayed): string =>
  `{"txHash":"${bytesToHex(signed.hash)}","result":${tracer?.result() ?? '{}'}}`

const replayBlock = async (view: ChainView, { block, options }: Questions['traceBlock']): Promise<string> => {
  const budget = budgetOf(view, options)
  const texts: string[] = []
  const replay = await beginReplay(view, block, budget)
  for (;;) {
    const traced = await replay.next((scene) => createTracer(options.tracer, scene))
    if (traced === undefined) return `[${texts.join(',')}]`
    texts.push(traceText(traced))
  }
}

const beginReplay = async (view: ChainView, block: BlockReference, budget: TraceBudget): Promise<BlockReplay> => {
  if (isPending(block)) return BlockReplay.beginPending(view, budget)
  const height = requireBlock(view, block)
  requireTraceable(view, height)
  return BlockReplay.begin(view, height, budget)
}

/** A block of this chain is replayed as it was; any other one runs on top of its parent. */
const replayRawBlock = async (view: ChainView, { raw, options }: Questions['traceRawBlock']): Promise<string> => {
  const decoded = decodeBlock(hexToBytes(raw))
  const height = view.reader.heightOfBlock(decoded.hash)
  if (height !== undefined && height <= view.head) {
    return replayBlock(view, { block: { number: height }, options })
  }
  return traceForeignBlock(view, decoded, options.tracer, budgetOf(view, options))
}

/** Opens the scene after the block, or before one of its transactions. */
const openTraceScene = async (
  view: ChainView,
  { block, txIndex }: Questions['traceCall'],
  budget: TraceBudget,
): Promise<Scene> => {
  if (isPending(block)) throw queryFailed('tracing on top of pending is not supported')
  const height = requireBlock(view, block)
  const scene = await openScene(view, { number: height })
  if (txIndex === undefined) return scene
  if (height === view.parameters.initialHeight - 1) throw queryFailed('no transaction in genesis')
  requireTraceable(view, height)
  const { hash, transactionCount } = requireHeader(view, height)
  if (txIndex > 0 && txIndex >= transactionCount) {
    throw queryFailed(`transaction index ${txIndex} out of range for block ${bytesToHex(hash)}`)
  }
  const replay = await BlockReplay.begin(view, height, budget)
  for (let index = 0; index < txIndex; index++) await replay.next()
  await replay.toEthereum()
  return { ...scene, base: replay.run.overlay }
}

/** One number on, the block stands on the one that it was: geth's traces have its hash then, its calls do not. */
const onTopOf = (view: ChainView, height: number, environment: BlockEnvironment): BlockEnvironment =>
  environment.number === height + 1
    ? { ...environment, blockHash: (n) => (n === height ? view.reader.hashAt(n) : environment.blockHash(n)) }
    : environment

const runTracedCall = async (view: ChainView, question: Questions['traceCall']): Promise<string> => {
  const { options, call, refused } = question
  const budget = budgetOf(view, options)
  const opened = await openTraceScene(view, question, budget)
  if (refused !== undefined) throw queryFailed(refused)
  const overridden = overrideScene(view, opened, question)
  const scene = { ...overridden, environment: onTopOf(view, opened.environment.number, overridden.environment) }
  const message = toCallMessage(call, view.parameters.evmChainId, cappedGas(view, call))
  const state: Overlay = scene.base
  const tracer = createTracer(options.tracer, {
    state,
    environment: scene.environment,
    message,
    to: message.to ?? contractAddress(message.sender, state.account(message.sender)?.nonce ?? 0n),
    place: undefined,
    budget,
  })
  budget.beginTransaction()
  const outcome = await runCall(view, scene, message, tracer.hooks, state)
  if (!outcome.valid) throw queryFailed(`tracing failed: ${outcome.error.message}`)
  tracer.end?.(outcome.result)
  return tracer.result()
}

export const traceTransaction = inTracerWords(replayTransaction)
export const traceBlock = inTracerWords(replayBlock)
export const traceRawBlock = inTracerWords(replayRawBlock)
export const traceCall = inTracerWords(runTracedCall)
