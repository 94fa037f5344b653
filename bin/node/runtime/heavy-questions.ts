/** Worker threads for questions that execute code or scan logs: a heavy call never delays a block. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { HeavyQuestions } from '../../../app/environment.ts'
import { QUERY_CODES, invalidParameters, limitExceeded } from '../../../app/errors.ts'
import type { QuestionName, Questions } from '../../../app/ports.ts'
import type { ApplicationSettings } from '../../../app/settings.ts'
import { CodedError, isFault } from '../../../core/errors.ts'
import { askingClient } from './asking-client.ts'
import { endWorker } from './end-worker.ts'
import type { NodeLog } from './log.ts'
import { isSlow, QuestionQueue } from './question-queue.ts'

const MAX_WORKERS = 8
/** Workers start after the node itself, unless a question comes sooner: they would compete for its processors. */
const WARM_UP_AFTER_MS = 5_000
const RETRY_LOADING_MS = 1_000
/** A worker that is this much over the time of a call hangs, and is replaced. */
const TIMEOUT_MARGIN_MS = 500
/** A worker that does not end by itself is terminated after this long. */
const STOP_TIMEOUT_MS = 5_000
/** One that still loads its modules has longer: on a busy machine that takes several times as long as it should. */
const STOP_LOADING_TIMEOUT_MS = 60_000

/** Gateways give a question up after this long: answering it later would only delay the others. */
const MAX_WAIT_MS = 30_000

export interface HeavyQuestion {
  readonly id: number
  readonly name: QuestionName
  readonly parameters: Questions[QuestionName]
  readonly head: number
  readonly pending: readonly Uint8Array[]
}

/** What a worker says: first, once, that it has loaded; then its answers. */
export type HeavyMessage = 'ready' | HeavyAnswer
/** What the main thread sends: a question, or that it is time to end. */
export type HeavyRequest = HeavyQuestion | 'stop'

export type HeavyAnswer =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly failure: HeavyFailure }

/** A CodedError or a fault, across the thread boundary. */
export interface HeavyFailure {
  readonly codespace: string | undefined
  readonly code: number
  readonly message: string
  readonly data: unknown
}

export interface HeavyWorkerData {
  /** Of the open database. */
  readonly handle: unknown
  readonly settings: ApplicationSettings
  /** One BigInt64: the height that is being or has been committed. */
  readonly committedHeight: SharedArrayBuffer
}

export interface HeavyPool extends HeavyQuestions {
  announceHeight(height: number): void
  close(): Promise<void>
}

export interface HeavyOptions {
  readonly handle: unknown
  readonly settings: ApplicationSettings
  readonly log: NodeLog
  /** The database failed under a question. */
  readonly onFault?: (error: CodedError) => void
  /** One less than the processors when left out: the main thread executes blocks. */
  readonly workers?: number
}

interface Waiting {
  readonly client: string
  readonly question: HeavyQuestion
  readonly sinceMs: number
  resolve(text: string): void
  reject(error: unknown): void
}

interface Seat {
  worker: Worker
  /** Loading takes longer than many a call may: its time is not the question's. */
  ready: boolean
  busy: { readonly waiting: Waiting; readonly timer: NodeJS.Timeout } | undefined
}

/** A fault of the node, not of the question: it is logged where it is answered, and the client sees no detail. */
class WorkerFault extends Error {
  override readonly name = 'WorkerFault'
}

const toError = ({ codespace, code, message, data }: HeavyFailure): Error =>
  codespace === undefined ? new WorkerFault(message) : new CodedError(codespace, code, message, data)

const tooMany = (): CodedError => limitExceeded('too many questions wait for an answer; try again')

export const startHeavyQuestions = (options: HeavyOptions): HeavyPool => {
  const { handle, settings, log } = options
  const committedHeight = new SharedArrayBuffer(8)
  const counter = new BigInt64Array(committedHeight)
  const count = options.workers ?? Math.max(1, Math.min(MAX_WORKERS, availableParallelism() - 1))
  const queue = new QuestionQueue<Waiting>()
  const seats: Seat[] = []
  /** Workers that were told to end: the database stays open until they have. */
  const ending = new Set<Promise<unknown>>()
  let nextId = 1
  let closed = false

  const spawn = (): Worker => {
    const workerData: HeavyWorkerData = { handle, settings, committedHeight }
    return new Worker(new URL('./heavy-worker.ts', import.meta.url), { workerData })
  }
  const release = (seat: Seat): Waiting | undefined => {
    const waiting = seat.busy?.waiting
    clearTimeout(seat.busy?.timer)
    seat.busy = undefined
    return waiting
  }
  /** What takes long leaves a worker to the rest, where there are two. */
  const takesSlow = (): boolean => {
    const slow = seats.filter(({ busy }) => busy !== undefined && isSlow(busy.waiting)).length
    return slow < Math.max(1, count - 1)
  }
  const nextWaiting = (): Waiting | undefined => {
    for (let waiting = queue.next(takesSlow()); waiting !== undefined; waiting = queue.next(takesSlow())) {
      if (performance.now() - waiting.sinceMs <= MAX_WAIT_MS) return waiting
      waiting.reject(limitExceeded('the node is busy: the question waited too long; try again'))
    }
    return undefined
  }
  const assign = (): void => {
    for (const seat of seats) {
      while (seat.ready && seat.busy === undefined) {
        const waiting = nextWaiting()
        if (waiting === undefined) return
        handOver(seat, waiting)
      }
    }
  }
  /** V8 cannot copy what is nested too deeply: nobody who waits may pay for the question of another. */
  const handOver = (seat: Seat, waiting: Waiting): void => {
    try {
      seat.worker.postMessage(waiting.question)
    } catch {
      waiting.reject(invalidParameters('the question is nested too deeply'))
      return
    }
    const timer = setTimeout(() => replaceHanging(seat), settings.evmTimeoutMs + TIMEOUT_MARGIN_MS)
    seat.busy = { waiting, timer }
  }
  const settle = (seat: Seat, answer: HeavyAnswer): void => {
    if (seat.busy?.waiting.question.id !== answer.id) return
    const waiting = release(seat)
    if ('text' in answer) waiting?.resolve(answer.text)
    else {
      const error = toError(answer.failure)
      if (error instanceof CodedError && isFault(error)) options.onFault?.(error)
      waiting?.reject(error)
    }
    assign()
  }
  const replaceWorker = (seat: Seat): void => {
    if (closed) return
    seat.worker = spawn()
    seat.ready = false
    listenTo(seat)
  }
  const listenTo = (seat: Seat): void => {
    const { worker } = seat
    worker.on('message', (message: HeavyMessage) => {
      if (seat.worker !== worker) return
      if (message === 'ready') {
        seat.ready = true
        assign()
      } else settle(seat, message)
    })
    worker.on('error', (error) => {
      if (closed || seat.worker !== worker) return
      log.error('a worker for questions died', { reason: error.message })
      release(seat)?.reject(new WorkerFault(error.message))
      // One that did not even load would fail again at once.
      if (seat.ready) replaceWorker(seat)
      else setTimeout(() => replaceWorker(seat), RETRY_LOADING_MS).unref()
    })
  }
  const replaceHanging = (seat: Seat): void => {
    const waiting = release(seat)
    const { worker } = seat
    replaceWorker(seat)
    const end = worker.terminate().finally(() => ending.delete(end))
    ending.add(end)
    const seconds = settings.evmTimeoutMs / 1_000
    waiting?.reject(new CodedError('query', QUERY_CODES.timeout, `execution aborted (timeout = ${seconds}s)`))
    assign()
  }

  /**
   * A worker at rest ends by itself when asked, one that loads does so as soon as it has: V8 aborts the process when
   * a thread is terminated while it loads modules. One that executes is terminated.
   */
  const endSeat = async (seat: Seat): Promise<void> => {
    const { worker } = seat
    const waiting = release(seat)
    waiting?.reject(limitExceeded('the node is stopping'))
    if (waiting === undefined) await endWorker(worker, seat.ready ? STOP_TIMEOUT_MS : STOP_LOADING_TIMEOUT_MS)
    else await worker.terminate()
  }

  const startWorkers = (): void => {
    clearTimeout(warmUp)
    while (!closed && seats.length < count) {
      const seat: Seat = { worker: spawn(), ready: false, busy: undefined }
      seats.push(seat)
      listenTo(seat)
    }
  }
  const warmUp = setTimeout(startWorkers, WARM_UP_AFTER_MS)
  return {
    run: (name, parameters, head, pending) =>
      new Promise<string>((resolve, reject) => {
        const question = { id: nextId++, name, parameters, head, pending }
        if (closed) return reject(tooMany())
        const client = askingClient()
        const { isTaken, displaced } = queue.push({ client, question, sinceMs: performance.now(), resolve, reject })
        for (const waiting of displaced) waiting.reject(tooMany())
        if (!isTaken) return reject(tooMany())
        startWorkers()
        assign()
      }),
    announceHeight: (height) => {
      Atomics.store(counter, 0, BigInt(height))
    },
    close: async () => {
      closed = true
      clearTimeout(warmUp)
      for (let waiting = queue.next(true); waiting !== undefined; waiting = queue.next(true)) {
        waiting.reject(limitExceeded('the node is stopping'))
      }
      await Promise.all([...ending, ...seats.map(endSeat)])
    },
  }
}
