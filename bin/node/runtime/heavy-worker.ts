/** One worker thread: answers questions one by one over the shared database, at the head that each names. */
import { parentPort, workerData } from 'node:worker_threads'
import { answerTooLarge } from '../../../app/errors.ts'
import { createFamilies } from '../../../app/families/index.ts'
import { createModules } from '../../../app/genesis/modules.ts'
import { ChainReader, readChainParameters } from '../../../app/index/chain-reader.ts'
import { answer } from '../../../query/answer.ts'
import { PruningGuard } from '../../../query/pruning-guard.ts'
import type { ChainView } from '../../../query/chain-view.ts'
import { CodedError, invariant } from '../../../core/errors.ts'
import { MAX_STREAM_FRAME_BYTES } from '../../../core/limits.ts'
import { createInterpreterEngine } from '../../../evm/interpreter/create-engine.ts'
import { OpenHeights } from '../../../store/open-heights.ts'
import { attachRocksStore } from '../../../store/rocks/rocks-store.ts'
import type { HeavyFailure, HeavyMessage, HeavyQuestion, HeavyRequest, HeavyWorkerData } from './heavy-questions.ts'

/** Views of heights that are kept open: the head is asked for again and again. */
const MAX_VIEWS = 4
/** Nobody has asked for so long: the cursors of the views are closed. */
const IDLE_MS = 2_000

const data = workerData as HeavyWorkerData
const counter = new BigInt64Array(data.committedHeight)
const committedHeight = (): number => Number(Atomics.load(counter, 0))

const store = await attachRocksStore(data.handle)
const engine = await createInterpreterEngine()
const modules = createModules(store)
const families = createFamilies(modules)
const reader = new ChainReader(store)
const heights = new OpenHeights(store, committedHeight, MAX_VIEWS)

const ask = async ({ name, parameters, head, pending }: HeavyQuestion): Promise<string> => {
  const chain = readChainParameters(store)
  invariant(chain !== undefined, 'a question before the chain has begun')
  const guard = new PruningGuard(reader)
  const view: ChainView = {
    reader,
    parameters: chain,
    settings: data.settings,
    engine,
    clock: { nowMs: () => performance.now() },
    modules,
    families,
    head,
    stateAt: (height) => heights.stateAt(guard.kept(height)),
    trieNodesAt: (height) => heights.trieNodesAt(guard.kept(height)),
    pending,
  }
  const text = await guard.run(name, async () => await answer(view, name, parameters))
  // As for gateways elsewhere: in this process, too, the thread that executes blocks would have to carry it.
  if (text.length > MAX_STREAM_FRAME_BYTES) throw answerTooLarge(MAX_STREAM_FRAME_BYTES)
  return text
}

const toFailure = (error: unknown): HeavyFailure =>
  error instanceof CodedError
    ? { codespace: error.codespace, code: error.code, message: error.message, data: error.data }
    : {
        codespace: undefined,
        code: 0,
        message: error instanceof Error ? (error.stack ?? error.message) : String(error),
        data: undefined,
      }

let idle: NodeJS.Timeout | undefined

/** Closes the views and this thread's hold of the database; without the port nothing keeps the thread alive. */
const stop = (): void => {
  clearTimeout(idle)
  heights.close()
  store.close()
  parentPort?.close()
}

parentPort?.on('message', (question: HeavyRequest) => {
  if (question === 'stop') {
    stop()
    return
  }
  clearTimeout(idle)
  const reply = (body: HeavyMessage): void => {
    parentPort?.postMessage(body)
    clearTimeout(idle)
    idle = setTimeout(() => heights.rest(), IDLE_MS)
  }
  ask(question).then(
    (text) => reply({ id: question.id, text }),
    (error: unknown) => reply({ id: question.id, failure: toFailure(error) }),
  )
})

parentPort?.postMessage('ready' satisfies HeavyMessage)
