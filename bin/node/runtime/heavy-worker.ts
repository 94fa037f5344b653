/** One worker thread: answers questions one by one over the shared database, at the head that each names. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { parentPort, workerData } from 'node:worker_threads'
import { answerTooLarge } from '../../../app/errors.ts'
import { createFamilies } from '../../../app/families/index.ts'
import { createModules } from '../../../app/genesis/modules.ts'
import { ChainReader, readChainParameters } from '../../../app/index/chain-reader.ts'
import { answer } from '../../../query/answer.ts'
import { PruningGuard } from '../../../query/pruning-guard.ts'
import type { ChainView } from '../../../query/chain-view.ts'
import { invariant } from '../../../core/errors.ts'
import { MAX_STREAM_FRAME_BYTES } from '../../../core/limits.ts'
import type { Engine } from '../../../evm/engine.ts'
import { createInterpreterEngine } from '../../../evm/interpreter/create-engine.ts'
import { OpenHeights } from '../../../store/open-heights.ts'
import { attachRocksStore } from '../../../store/rocks/rocks-store.ts'
import { Interruption, SliceOver, THREAD_CLOCK } from './interruption.ts'
import {
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

const data = workerData as ReaderData

/** On Linux every thread has a niceness of its own. Elsewhere, or where it is not allowed, all have the same. */
const beNice = (): void => {
  if (data.niceness === 0 || process.platform !== 'linux') return
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), data.niceness)
  } catch {
    // Without it the long questions share the processors with all else: slower, and never wrong.
  }
}

beNice()
const counter = new BigInt64Array(data.committedHeight)
const committedHeight = (): number => Number(Atomics.load(counter, 0))

const store = await attachRocksStore(data.handle)
const interpreter = await createInterpreterEngine()
const modules = createModules(store)
const families = createFamilies(modules)
const reader = new ChainReader(store)
const heights = new OpenHeights(store, committedHeight, MAX_VIEWS)
const interruption = new Interruption({
  clock: THREAD_CLOCK,
  timeoutMs: data.settings.evmTimeoutMs,
  cancelled: new Int32Array(data.cancelled),
})
const { check: interrupt } = interruption

/** Whatever executes for a question ends with it. */
const engine: Engine = {
  execute: (state, block, message, options) => interpreter.execute(state, block, message, { ...options, interrupt }),
  systemCall: (state, block, to, input) => interpreter.systemCall(state, block, to, input),
  callContract: (state, block, call) => interpreter.callContract(state, block, { ...call, interrupt }),
}

const ask = async ({ name, parameters, head, pending }: ReaderQuestion): Promise<string> => {
  const chain = readChainParameters(store)
  invariant(chain !== undefined, 'a question before the chain has begun')
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
  const text = await guard.run(name, async () => await answer(view, name, parameters))
  // As for gateways elsewhere: in this process, too, the thread that executes blocks would have to carry it.
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

parentPort?.on('message', (question: ReaderRequest) => {
  if (question === 'stop') {
    stop()
    return
  }
  const { id } = question
  clearTimeout(idle)
  const reply = (body: ReaderMessage): void => {
    parentPort?.postMessage(body)
    clearTimeout(idle)
    idle = setTimeout(rest, IDLE_MS)
    if (performance.now() - heapLookMs > HEAP_LOOK_MS) lookAtHeap()
  }
  interruption.begin(question)
  ask(question).then(
    (text) => reply({ kind: 'answer', id, usedMs: interruption.usedMs(), text }),
    (error: unknown) => {
      const usedMs = interruption.usedMs()
      if (error instanceof SliceOver) reply({ kind: 'long', id, usedMs })
      else reply({ kind: 'failure', id, usedMs, failure: toFailure(error) })
    },
  )
})

parentPort?.postMessage('ready' satisfies ReaderMessage)
