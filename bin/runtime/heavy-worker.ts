/** One worker thread: answers questions one by one over the shared database, at the head that each names. */
import { parentPort, workerData } from 'node:worker_threads'
import { createModules } from '../../app/genesis/modules.ts'
import { ChainReader, readChainParameters } from '../../app/index/chain-reader.ts'
import { answer } from '../../app/query/answer.ts'
import type { View } from '../../app/query/view.ts'
import { CodedError, invariant } from '../../core/errors.ts'
import { createEthereumjsEngine } from '../../evm/ethereumjs/create-engine.ts'
import { HistoricalState } from '../../store/history.ts'
import { attachRocksStore } from '../../store/rocks/rocks-store.ts'
import type { HeavyFailure, HeavyMessage, HeavyQuestion, HeavyRequest, HeavyWorkerData } from './heavy-questions.ts'

/** Views of heights that are kept open: the head is asked for again and again. */
const MAX_VIEWS = 4

const data = workerData as HeavyWorkerData
const counter = new BigInt64Array(data.committedHeight)
const committedHeight = (): number => Number(Atomics.load(counter, 0))

const store = await attachRocksStore(data.handle)
const engine = await createEthereumjsEngine()
const modules = createModules(store)
const reader = new ChainReader(store)
const views = new Map<number, HistoricalState>()

const stateAt = (height: number): HistoricalState => {
  const open = views.get(height)
  if (open !== undefined) return open
  const [oldest] = views
  if (oldest !== undefined && views.size >= MAX_VIEWS) {
    oldest[1].close()
    views.delete(oldest[0])
  }
  const view = new HistoricalState(store, height, committedHeight)
  views.set(height, view)
  return view
}

const ask = async ({ name, parameters, head, pending }: HeavyQuestion): Promise<string> => {
  const chain = readChainParameters(store)
  invariant(chain !== undefined, 'a question before the chain has begun')
  const view: View = { reader, parameters: chain, settings: data.settings, engine, modules, head, stateAt, pending }
  return await answer(view, name, parameters)
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

/** Closes the views and this thread's hold of the database; without the port nothing keeps the thread alive. */
const stop = (): void => {
  for (const view of views.values()) view.close()
  store.close()
  parentPort?.close()
}

parentPort?.on('message', (question: HeavyRequest) => {
  if (question === 'stop') {
    stop()
    return
  }
  const reply = (body: HeavyMessage): void => parentPort?.postMessage(body)
  ask(question).then(
    (text) => reply({ id: question.id, text }),
    (error: unknown) => reply({ id: question.id, failure: toFailure(error) }),
  )
})

parentPort?.postMessage('ready' satisfies HeavyMessage)
