/** One worker thread: answers the questions that it is handed one by one over the shared database, at the head that each names. */
import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { answerTooLarge } from '../../../app/errors.ts'
import { createFamilies } from '../../../app/families/index.ts'
import { createChainModules } from '../../../app/genesis/modules.ts'
import { ChainReader, readChainParameters } from '../../../app/index/chain-reader.ts'
import type { ChainParameters } from '../../../app/records/chain-parameters.ts'
import { answer } from '../../../query/answer.ts'
import { decodeParameters } from '../../../query/encoded-parameters.ts'
import { PruningGuard } from '../../../query/pruning-guard.ts'
import type { ChainView } from '../../../query/chain-view.ts'
import { isEncoded } from '../../../app/ports.ts'
import { invariant } from '../../../core/errors.ts'
import { MAX_STREAM_FRAME_BYTES } from '../../../core/limits.ts'
import { LONG_TEXT, stringToText } from '../../../core/text.ts'
import type { Engine } from '../../../evm/engine.ts'
import { createInterpreterEngine } from '../../../evm/interpreter/create-engine.ts'
import { beNice } from '../../../rpc/thread-priority.ts'
import { OpenHeights } from '../../../store/open-heights.ts'
import { attachRocksStore } from '../../../store/rocks/rocks-store.ts'
import { Interruption, SliceOver, THREAD_CLOCK } from './interruption.ts'
import {
  type ReaderAnswer,
  type ReaderData,
  type ReaderMessage,
  type ReaderQuestion,
  type ReaderRequest,
  toFailure,
} from './reader-messages.ts'

/** Views of heights that are kept open: the head is asked for again and again. */
const MAX_VIEWS = 4
/** Nobody has asked for so long: the cursors of the views are closed. */
const IDLE_MS = 2_000
/** Time between two looks at the heap of a worker that is never at rest. */
const HEAP_LOOK_MS = 1_000
/** What was not begun for so long goes back: others that came meanwhile may go before it. */
const HAND_MS = 2

const data = workerData as ReaderData

beNice(data.niceness)
const counter = new BigInt64Array(data.committedHeight)
const committedHeight = (): number => Number(Atomics.load(counter, 0))

const store = await attachRocksStore(data.handle)
const interpreter = await createInterpreterEngine()
const { modules } = createChainModules({ store, isReplay: true })
const families = createFamilies(modules)
const reader = new ChainReader(store)
const heights = new OpenHeights(store, committedHeight, MAX_VIEWS)
/** Answers of this hand that are not sent: each message wakes the thread that executes blocks. */
let unsent: ReaderAnswer[] = []
let unsentLength = 0

const sendAnswers = (): void => {
  if (unsent.length === 0) return
  // Long answers are given away and not copied.
  const given = unsent.flatMap((sent) =>
    sent.kind === 'answer' && typeof sent.text !== 'string' ? [sent.text.buffer as ArrayBuffer] : [],
  )
  parentPort?.postMessage(unsent satisfies ReaderMessage, given)
  unsent = []
  unsentLength = 0
}

const interruption = new Interruption({
  clock: THREAD_CLOCK,
  timeoutMs: data.settings.evmTimeoutMs,
  cancelled: new Int32Array(data.cancelled),
  onSlow: sendAnswers,
})
const { check: interrupt } = interruption

/** Whatever executes for a question ends with it. */
const engine: Engine = {
  execute: (state, block, message, options) => interpreter.execute(state, block, message, { ...options, interrupt }),
  systemCall: (state, block, to, input) => interpreter.systemCall(state, block, to, input),
  callContract: (state, block, call) => interpreter.callContract(state, block, { ...call, interrupt }),
}

/** The parameters at the last head that was asked about: the genesis of the chain is not decoded for each question. */
let known: { readonly head: number; readonly chain: ChainParameters } | undefined

const chainAt = (head: number): ChainParameters => {
  if (known?.head === head) return known.chain
  const chain = readChainParameters(store)
  invariant(chain !== undefined, 'a question before the chain has begun')
  known = { head, chain }
  return chain
}

const ask = async ({ name, parameters, head, pending }: ReaderQuestion): Promise<string> => {
  const chain = chainAt(head)
  const guard = new PruningGuard(reader)
  const view: ChainView = {
    reader,
    parameters: chain,
    settings: data.settings,
    engine,
    clock: THREAD_CLOCK,
    modules,
    families,
    head,
    stateAt: (height) => heights.stateAt(guard.kept(height)),
    trieNodesAt: (height) => heights.trieNodesAt(guard.kept(height)),
    pending,
    interrupt,
  }
  // It may have waited at the port while its client went.
  interrupt()
  const asked = isEncoded(parameters) ? decodeParameters(parameters) : parameters
  const text = await guard.run(name, async () => await answer(view, name, asked))
  // The bound is that for gateways elsewhere: in this process, too, the thread that executes blocks would have to carry
  // it.
  if (text.length > MAX_STREAM_FRAME_BYTES) throw answerTooLarge(MAX_STREAM_FRAME_BYTES)
  return text
}

let idle: NodeJS.Timeout | undefined
let heapLookMs = performance.now()

const lookAtHeap = (): void => {
  heapLookMs = performance.now()
  const { total_heap_size: heapBytes, external_memory: externalBytes } = getHeapStatistics()
  if (heapBytes + externalBytes > data.grownBytes) parentPort?.postMessage('grown' satisfies ReaderMessage)
}

/** Closes the views and this thread's hold of the database; without the port nothing keeps the thread alive. */
const stop = (): void => {
  clearTimeout(idle)
  heights.close()
  store.close()
  parentPort?.close()
}

const rest = (): void => {
  heights.rest()
  lookAtHeap()
}

const answerOf = async (question: ReaderQuestion): Promise<ReaderAnswer> => {
  const { id } = question
  interruption.begin(question)
  try {
    const text = await ask(question)
    return { kind: 'answer', id, usedMs: interruption.usedMs(), text: stringToText(text) }
  } catch (error) {
    const usedMs = interruption.usedMs()
    return error instanceof SliceOver
      ? { kind: 'long', id, usedMs }
      : { kind: 'failure', id, usedMs, failure: toFailure(error) }
  }
}

/** Questions that were handed over and have not begun. */
let waiting: ReaderQuestion[] = []

const answerWaiting = async (): Promise<void> => {
  clearTimeout(idle)
  const sinceMs = performance.now()
  let begun = 0
  for (let question = waiting.shift(); question !== undefined; question = waiting.shift()) {
    const isLate = begun > 0 && performance.now() - sinceMs > HAND_MS
    if (!isLate) begun++
    const answered: ReaderAnswer = isLate ? { kind: 'back', id: question.id, usedMs: 0 } : await answerOf(question)
    unsent.push(answered)
    if (answered.kind === 'answer') unsentLength += answered.text.length
    if (unsentLength > LONG_TEXT) sendAnswers()
  }
  sendAnswers()
  idle = setTimeout(rest, IDLE_MS)
  if (performance.now() - heapLookMs > HEAP_LOOK_MS) lookAtHeap()
}

let isAnswering = false

parentPort?.on('message', (request: ReaderRequest) => {
  if (request === 'stop') {
    stop()
    return
  }
  waiting = waiting.length === 0 ? [...request] : [...waiting, ...request]
  if (isAnswering) return
  isAnswering = true
  void answerWaiting().finally(() => {
    isAnswering = false
  })
})

parentPort?.postMessage('ready' satisfies ReaderMessage)
