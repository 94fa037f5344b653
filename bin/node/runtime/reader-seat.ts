/** The place of one worker: hands it a few questions at a time, and puts another worker in its place when it must. */
import { Worker } from 'node:worker_threads'
import { invalidParameters, limitExceeded, QUERY_CODES } from '../../../app/errors.ts'
import type { ApplicationSettings } from '../../../app/settings.ts'
import { CodedError, errorText } from '../../../core/errors.ts'
import { LONG_NICENESS } from '../../../rpc/thread-priority.ts'
import { endWorker } from './end-worker.ts'
import type { NodeLog } from './log.ts'
import type { Lane } from './question-lines.ts'
import {
  MAX_HAND,
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
/**
 * The limit of a worker's heap. A trace of 64 MiB takes some 400 MB on its way; what is short takes next to nothing.
 */
const HEAP_LIMIT_MB: Readonly<Record<Lane, number>> = { short: 512, long: 1_024 }
/** A worker that rests has some 40 MB. */
const GROWN_BYTES = 160 * MEGABYTE
const NICENESS: Readonly<Record<Lane, number>> = { short: 0, long: LONG_NICENESS }

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

/** A question without its place, and what is called once when it is settled. */
export interface Handed {
  readonly question: Omit<ReaderQuestion, 'place'>
  settle(answer: ReaderAnswer | Error): void
}

interface Placed extends Handed {
  readonly question: ReaderQuestion
}

interface Busy {
  /** Those that are not settled, by id, in the order in which the worker answers them. */
  readonly handed: Map<number, Placed>
  timer: NodeJS.Timeout
}

export class ReaderSeat {
  readonly lane: Lane
  readonly #options: SeatOptions
  readonly #cancelled = new SharedArrayBuffer(4 * MAX_HAND)
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

  /**
   * Gives at most {@link MAX_HAND} questions to a worker that is free. V8 cannot copy what is nested too deeply: that
   * is refused.
   */
  give(hand: readonly Handed[]): void {
    const placed = hand.map((handed, place) => ({ ...handed, question: { ...handed.question, place } }))
    this.#busy = { handed: new Map(placed.map((handed) => [handed.question.id, handed])), timer: this.#watch() }
    try {
      this.#worker.postMessage(placed.map(({ question }) => question))
    } catch {
      // One of them cannot be copied, and V8 does not say which.
      this.#giveOneByOne(placed)
    }
  }

  #giveOneByOne(placed: readonly Placed[]): void {
    for (const { question } of placed) {
      try {
        this.#worker.postMessage([question])
      } catch {
        const refused = this.#busy?.handed.get(question.id)
        this.#busy?.handed.delete(question.id)
        refused?.settle(invalidParameters('the question is nested too deeply'))
      }
    }
    if (this.#busy?.handed.size === 0) this.#release()
  }

  /** The worker looks now and then, and answers with a failure. */
  cancel(id: number): void {
    const place = this.#busy?.handed.get(id)?.question.place
    if (place !== undefined) Atomics.store(new Int32Array(this.#cancelled), place, id)
  }

  /** The worker gives one question up by itself after its time: one that does not is not alive. */
  #watch(): NodeJS.Timeout {
    return setTimeout(() => this.#replaceHanging(), this.#options.settings.evmTimeoutMs + TIMEOUT_MARGIN_MS)
  }

  /**
   * A worker at rest ends by itself when asked, one that loads does so as soon as it has: V8 aborts the process when
   * a thread is terminated while it loads modules. One that executes is terminated.
   */
  async close(): Promise<void> {
    this.#isClosed = true
    const busy = this.#release()
    for (const { settle } of busy) settle(limitExceeded('the node is stopping'))
    this.#end(this.#worker, this.#isReady, busy.length > 0)
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

  #settle(answers: readonly ReaderAnswer[]): void {
    const busy = this.#busy
    if (busy === undefined) return
    for (const answer of answers) {
      const handed = busy.handed.get(answer.id)
      busy.handed.delete(answer.id)
      handed?.settle(answer)
    }
    clearTimeout(busy.timer)
    if (busy.handed.size > 0) {
      busy.timer = this.#watch()
      return
    }
    this.#busy = undefined
    this.#succeed()
    this.#options.onFree()
  }

  /** Those that were not settled, in their order. */
  #release(): readonly Handed[] {
    const busy = this.#busy
    if (busy === undefined) return []
    clearTimeout(busy.timer)
    this.#busy = undefined
    return [...busy.handed.values()]
  }

  /** The first of them was being answered, and fails; the others were not begun. */
  #fail([failed, ...others]: readonly Handed[], error: Error): void {
    failed?.settle(error)
    for (const { question, settle } of others) settle({ kind: 'back', id: question.id, usedMs: 0 })
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
    const failure = isOutOfMemory(error)
      ? new CodedError('query', QUERY_CODES.tooLarge, 'the answer takes more memory than one may: ask for less')
      : new ReaderFault(error.message)
    this.#fail(busy, failure)
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
    this.#fail(
      busy,
      new CodedError('query', QUERY_CODES.timeout, `execution aborted (timeout = ${evmTimeoutMs / 1_000}s)`),
    )
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
