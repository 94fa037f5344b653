/** The place of one worker: hands it one question at a time, and puts another worker in its place when it must. */
import { Worker } from 'node:worker_threads'
import { invalidParameters, limitExceeded, QUERY_CODES } from '../../../app/errors.ts'
import type { ApplicationSettings } from '../../../app/settings.ts'
import { CodedError, errorText } from '../../../core/errors.ts'
import { endWorker } from './end-worker.ts'
import type { NodeLog } from './log.ts'
import type { Lane } from './question-queue.ts'
import {
  type ReaderAnswer,
  type ReaderData,
  ReaderFault,
  type ReaderMessage,
  type ReaderQuestion,
} from './reader-messages.ts'

const RETRY_LOADING_MS = 1_000
/** A worker that is this much over the time of a question hangs, and is replaced. */
const TIMEOUT_MARGIN_MS = 500
/** A worker that does not end by itself is terminated after this long. */
const STOP_TIMEOUT_MS = 5_000
/** One that still loads its modules has longer: on a busy machine that takes several times as long as it should. */
const STOP_LOADING_TIMEOUT_MS = 60_000

const MEGABYTE = 1024 * 1024
/** Of a worker's heap. A trace of 64 MiB takes some 400 MB on its way; what is short takes next to nothing. */
const HEAP_LIMIT_MB: Readonly<Record<Lane, number>> = { short: 512, long: 1_024 }
/** A worker that rests has some 40 MB. */
const GROWN_BYTES = 160 * MEGABYTE
const NICENESS: Readonly<Record<Lane, number>> = { short: 0, long: 10 }

const isOutOfMemory = (error: Error): boolean => (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'

export interface SeatOptions {
  readonly lane: Lane
  readonly handle: unknown
  readonly settings: ApplicationSettings
  readonly committedHeight: SharedArrayBuffer
  readonly log: NodeLog
  /** It has a worker that is ready, and no question. */
  onFree(): void
}

interface Busy {
  readonly question: ReaderQuestion
  settle(answer: ReaderAnswer | Error): void
  readonly timer: NodeJS.Timeout
}

export class ReaderSeat {
  readonly lane: Lane
  readonly #options: SeatOptions
  readonly #cancelled = new SharedArrayBuffer(4)
  /** Workers that were told to end: the database stays open until they have. */
  readonly #ending = new Set<Promise<unknown>>()
  #worker: Worker
  /** Loading takes longer than many a call may: its time is not the question's. */
  #isReady = false
  #successor: { readonly worker: Worker; isReady: boolean } | undefined
  #busy: Busy | undefined
  #isClosed = false
  /** Workers that were put in the place of another. */
  replaced = 0

  constructor(options: SeatOptions) {
    this.#options = options
    this.lane = options.lane
    this.#worker = this.#spawn()
    this.#listen(this.#worker)
  }

  get isFree(): boolean {
    return this.#isReady && this.#busy === undefined && !this.#isClosed
  }

  /** For one that is free. `settle` is called once. V8 cannot copy what is nested too deeply: that is refused. */
  give(question: ReaderQuestion, settle: (answer: ReaderAnswer | Error) => void): void {
    try {
      this.#worker.postMessage(question)
    } catch {
      settle(invalidParameters('the question is nested too deeply'))
      return
    }
    const timer = setTimeout(() => this.#replaceHanging(), this.#options.settings.evmTimeoutMs + TIMEOUT_MARGIN_MS)
    this.#busy = { question, settle, timer }
  }

  /** The worker looks now and then, and answers with a failure. */
  cancel(id: number): void {
    if (this.#busy?.question.id === id) Atomics.store(new Int32Array(this.#cancelled), 0, id)
  }

  /**
   * A worker at rest ends by itself when asked, one that loads does so as soon as it has: V8 aborts the process when
   * a thread is terminated while it loads modules. One that executes is terminated.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    const busy = this.#release()
    busy?.settle(limitExceeded('the node is stopping'))
    this.#end(this.#worker, this.#isReady, busy !== undefined)
    if (this.#successor !== undefined) this.#end(this.#successor.worker, this.#successor.isReady, false)
    await Promise.all(this.#ending)
  }

  #spawn(): Worker {
    const { handle, settings, committedHeight, lane } = this.#options
    const workerData: ReaderData = {
      handle,
      settings,
      committedHeight,
      cancelled: this.#cancelled,
      niceness: NICENESS[lane],
      grownBytes: GROWN_BYTES,
    }
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_LIMIT_MB[lane] }
    return new Worker(new URL('./heavy-worker.ts', import.meta.url), { workerData, resourceLimits })
  }

  #listen(worker: Worker): void {
    worker.on('message', (message: ReaderMessage) => {
      if (this.#successor?.worker === worker && message === 'ready') {
        this.#successor.isReady = true
        this.#succeed()
      } else if (worker !== this.#worker || this.#isClosed) {
        // What an earlier worker says is about a question that was settled.
      } else if (message === 'ready') {
        this.#isReady = true
        this.#options.onFree()
      } else if (message === 'grown') this.#retire()
      else this.#settle(message)
    })
    worker.on('error', (error) => this.#died(worker, error))
  }

  #settle(answer: ReaderAnswer): void {
    if (this.#busy?.question.id !== answer.id) return
    this.#release()?.settle(answer)
    this.#succeed()
    this.#options.onFree()
  }

  #release(): Busy | undefined {
    const busy = this.#busy
    clearTimeout(busy?.timer)
    this.#busy = undefined
    return busy
  }

  #died(worker: Worker, error: Error): void {
    if (this.#isClosed) return
    if (this.#successor?.worker === worker) {
      this.#successor = undefined
      return
    }
    if (worker !== this.#worker) return
    this.#options.log.error('a worker for questions died', { reason: errorText(error) })
    const busy = this.#release()
    const wasReady = this.#isReady
    this.#isReady = false
    busy?.settle(
      isOutOfMemory(error)
        ? new CodedError('query', QUERY_CODES.tooLarge, 'the answer takes more memory than one may: ask for less')
        : new ReaderFault(error.message),
    )
    // One that did not even load would fail again at once.
    if (wasReady) this.#replace()
    else setTimeout(() => this.#replace(), RETRY_LOADING_MS).unref()
  }

  #replace(): void {
    if (this.#isClosed) return
    this.#isReady = false
    this.replaced++
    this.#worker = this.#spawn()
    this.#listen(this.#worker)
  }

  #replaceHanging(): void {
    const busy = this.#release()
    const { evmTimeoutMs } = this.#options.settings
    const worker = this.#worker
    this.#replace()
    this.#end(worker, true, true)
    busy?.settle(new CodedError('query', QUERY_CODES.timeout, `execution aborted (timeout = ${evmTimeoutMs / 1_000}s)`))
  }

  /** Its memory comes back with its end. Until another has loaded, it goes on. */
  #retire(): void {
    if (this.#successor !== undefined || this.#isClosed) return
    this.#successor = { worker: this.#spawn(), isReady: false }
    this.#listen(this.#successor.worker)
  }

  /** Puts the one that has loaded in the place of the other, once that has answered. */
  #succeed(): void {
    if (this.#isClosed || this.#busy !== undefined || this.#successor?.isReady !== true) return
    this.replaced++
    this.#end(this.#worker, this.#isReady, false)
    this.#worker = this.#successor.worker
    this.#successor = undefined
    this.#isReady = true
    this.#options.onFree()
  }

  #end(worker: Worker, isReady: boolean, isBusy: boolean): void {
    const ended = isBusy ? worker.terminate() : endWorker(worker, isReady ? STOP_TIMEOUT_MS : STOP_LOADING_TIMEOUT_MS)
    const end = ended.finally(() => this.#ending.delete(end))
    this.#ending.add(end)
  }
}
