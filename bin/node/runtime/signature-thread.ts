/** A thread for signatures, that is there while many transactions come: an idle node does not pay for it. */
import { Worker } from 'node:worker_threads'
import type { SignatureThread } from '../../../app/environment.ts'
import { errorText } from '../../../core/errors.ts'
import { endWorker } from './end-worker.ts'
import type { NodeLog } from './log.ts'
import { decodeAnswers, encodeTasks } from './signature-records.ts'

const IDLE_MS = 60_000
/** The main thread checks signatures itself for so long after a failure. */
const REST_MS = 60_000
/** It holds nothing but the lot that it works on. */
const LIMITS = { maxOldGenerationSizeMb: 64 }

export interface RunningSignatureThread extends SignatureThread {
  /** Whether there is a thread at the moment. */
  readonly isRunning: boolean
  close(): Promise<void>
}

export interface SignatureThreadOptions {
  readonly log: Pick<NodeLog, 'warn'>
  readonly script?: URL
  readonly idleMs?: number
}

type Answers = readonly (Uint8Array | undefined)[]

export const createSignatureThread = ({
  log,
  script = new URL('./signature-worker.ts', import.meta.url),
  idleMs = IDLE_MS,
}: SignatureThreadOptions): RunningSignatureThread => {
  let worker: Worker | undefined
  let ending: Promise<void> | undefined
  /** Lots that it has, oldest first. */
  const waiting: PromiseWithResolvers<Answers>[] = []
  let restsUntilMs = 0
  let isClosed = false
  let idle: NodeJS.Timeout | undefined

  const end = (): void => {
    const ended = worker
    worker = undefined
    if (ended !== undefined) ending = endWorker(ended)
  }
  const fail = (failed: Worker, reason: string): void => {
    if (failed !== worker) return
    worker = undefined
    clearTimeout(idle)
    restsUntilMs = performance.now() + REST_MS
    log.warn('the thread for signatures has ended: signatures are checked on the main thread for a while', { reason })
    for (const { reject } of waiting.splice(0)) reject(new Error(reason))
  }
  const start = (): Worker => {
    const started = new Worker(script, { resourceLimits: LIMITS })
    started.on('message', (answers: Uint8Array) => {
      waiting.shift()?.resolve(decodeAnswers(answers))
      if (waiting.length > 0) return
      clearTimeout(idle)
      idle = setTimeout(end, idleMs)
      idle.unref()
    })
    started.on('error', (error) => fail(started, errorText(error)))
    started.on('exit', (code) => fail(started, `exit status ${code}`))
    return started
  }
  return {
    get isRunning() {
      return worker !== undefined
    },
    check: (tasks) => {
      if (isClosed || performance.now() < restsUntilMs) return Promise.reject(new Error('there is no thread'))
      clearTimeout(idle)
      worker ??= start()
      const bytes = encodeTasks(tasks)
      const lot = Promise.withResolvers<Answers>()
      waiting.push(lot)
      worker.postMessage(bytes, [bytes.buffer])
      return lot.promise
    },
    close: async () => {
      isClosed = true
      clearTimeout(idle)
      end()
      for (const { reject } of waiting.splice(0)) reject(new Error('the node stops'))
      await ending
    },
  }
}
