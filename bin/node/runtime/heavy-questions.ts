/**
 * Worker threads for questions that execute code or scan logs: a heavy call never delays a block, and a long one never
 * a short one (docs/adr/043). Every question begins on a worker for short ones. What takes longer than a slice is given
 * up there and begins anew on a worker for long ones, whose thread leaves the processors to all others.
 */
import { availableParallelism } from 'node:os'
import type { HeavyQuestions } from '../../../app/environment.ts'
import { limitExceeded } from '../../../app/errors.ts'
import type { Asker } from '../../../app/ports.ts'
import type { ApplicationSettings } from '../../../app/settings.ts'
import { CodedError, isFault } from '../../../core/errors.ts'
import type { Text } from '../../../core/text.ts'
import { currentAsker } from './current-asker.ts'
import type { NodeLog } from './log.ts'
import { QuestionQueue } from './question-queue.ts'
import { MAX_HAND, type ReaderAnswer, type ReaderQuestion, toError } from './reader-messages.ts'
import { type Handed, ReaderSeat } from './reader-seat.ts'
import { ReaderUsage } from './reader-usage.ts'
import { SharedQuestions } from './shared-questions.ts'

/** The most workers of each kind. */
const MAX_WORKERS = 4
/** Workers start after the node itself, unless a question comes sooner: they would compete for its processors. */
const WARM_UP_AFTER_MS = 5_000
/** Time of a thread for a question that may be short: most calls take a hundredth of it. */
const SLICE_MS = 20
/** Gateways give a question up after this long: answering it later would only delay the others. */
const MAX_WAIT_MS = 30_000

export interface HeavyPool extends HeavyQuestions {
  announceHeight(height: number): void
  /** Counts since the start, for the curious and for tests. */
  readonly counts: ReaderCounts
  /** The questions of this moment, and the connections that have any of them; `cancelled` counts since the start. */
  readonly load: ReaderLoad
  close(): Promise<void>
}

export interface ReaderLoad {
  readonly waiting: number
  readonly running: number
  readonly connections: number
  readonly cancelled: number
}

export interface ReaderCounts {
  /** Questions handed to a worker, also again. */
  readonly begun: number
  /** Those of them that were given up after a slice. */
  readonly long: number
  /** Those that ended, or never began, because nobody waited. */
  readonly cancelled: number
  /** Workers in the place of others that had grown, hung or died. */
  readonly replaced: number
}

export interface HeavyOptions {
  readonly handle: unknown
  readonly settings: ApplicationSettings
  readonly log: NodeLog
  /** The database failed under a question. */
  readonly onFault?: (error: CodedError) => void
  /** Workers of each kind; half as many as there are processors, and one at least, when left out. */
  readonly workers?: number
  readonly sliceMs?: number
  readonly maxWaitMs?: number
}

interface Waiting {
  readonly asker: Asker
  /** Questions of one key have one answer. */
  readonly key: string | undefined
  readonly question: Omit<ReaderQuestion, 'sliceMs' | 'place'>
  readonly sinceMs: number
  isLong: boolean
  isSettled: boolean
  seat: ReaderSeat | undefined
  /** When a worker had it last. */
  givenMs: number
  stopListening(): void
  resolve(text: Text): void
  reject(error: unknown): void
}

const tooMany = (): CodedError => limitExceeded('too many questions wait for an answer; try again')
const nobodyWaits = (): CodedError => limitExceeded('nobody waits for the answer any more')

class HeavyQuestionPool implements HeavyPool {
  readonly #options: HeavyOptions
  readonly #committedHeight = new SharedArrayBuffer(8)
  readonly #counter = new BigInt64Array(this.#committedHeight)
  readonly #queue = new QuestionQueue<Waiting>(new ReaderUsage(() => performance.now()))
  readonly #sharing = new SharedQuestions<Waiting>()
  readonly #seats: ReaderSeat[] = []
  readonly #workers: number
  readonly #warmUp: NodeJS.Timeout
  #nextId = 1
  #isClosed = false
  #begun = 0
  #long = 0
  #cancelled = 0

  constructor(options: HeavyOptions) {
    this.#options = options
    this.#workers = options.workers ?? Math.max(1, Math.min(MAX_WORKERS, Math.floor(availableParallelism() / 2)))
    this.#warmUp = setTimeout(() => this.#start(), WARM_UP_AFTER_MS)
  }

  get counts(): ReaderCounts {
    const replaced = this.#seats.reduce((sum, seat) => sum + seat.replaced, 0)
    return { begun: this.#begun, long: this.#long, cancelled: this.#cancelled, replaced }
  }

  get load(): ReaderLoad {
    const waiting = this.#queue.waiting('short') + this.#queue.waiting('long')
    const { connections } = this.#queue
    return { waiting, running: this.#running.size, connections, cancelled: this.#cancelled }
  }

  readonly run: HeavyQuestions['run'] = (name, parameters, head, pending, key) =>
    new Promise<Text>((resolve, reject) => {
      if (this.#isClosed) return reject(tooMany())
      const id = this.#nextId
      // The number has 32 bits: it is compared in shared memory. 0 is no question's.
      this.#nextId = id === 0x7fff_ffff ? 1 : id + 1
      const waiting: Waiting = {
        asker: currentAsker(),
        key,
        question: { id, name, parameters, head, pending },
        sinceMs: performance.now(),
        isLong: this.#sharing.isLong(key),
        isSettled: false,
        seat: undefined,
        givenMs: 0,
        stopListening: () => undefined,
        resolve,
        reject,
      }
      this.#sharing.join(waiting)
      this.#enqueue(waiting)
      waiting.stopListening = waiting.asker.onGone(() => this.#cancel(waiting))
      if (waiting.isSettled) waiting.stopListening()
      this.#start()
      this.#assignSoon()
    })

  announceHeight(height: number): void {
    Atomics.store(this.#counter, 0, BigInt(height))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#warmUp)
    for (const lane of ['short', 'long'] as const) {
      for (let waiting = this.#queue.next(lane); waiting !== undefined; waiting = this.#queue.next(lane)) {
        this.#reject(waiting, limitExceeded('the node is stopping'))
      }
    }
    await Promise.all(this.#seats.map((seat) => seat.close()))
  }

  #start(): void {
    clearTimeout(this.#warmUp)
    if (this.#isClosed || this.#seats.length > 0) return
    const { handle, settings, log } = this.#options
    const committedHeight = this.#committedHeight
    const onFree = (): void => this.#assign()
    for (const lane of ['short', 'long'] as const) {
      for (let count = 0; count < this.#workers; count++) {
        this.#seats.push(new ReaderSeat({ lane, handle, settings, committedHeight, log, onFree }))
      }
    }
  }

  #enqueue(waiting: Waiting): void {
    const { isTaken, displaced } = this.#queue.push(waiting)
    for (const other of displaced) this.#reject(other, tooMany())
    if (!isTaken) this.#reject(waiting, tooMany())
  }

  #isAssigning = false

  /** Runs behind all questions that came in one piece: they are handed over together. */
  #assignSoon(): void {
    if (this.#isAssigning) return
    this.#isAssigning = true
    queueMicrotask(() => {
      this.#isAssigning = false
      this.#assign()
    })
  }

  #assign(): void {
    if (this.#isClosed) return
    for (const seat of this.#seats) {
      while (seat.isFree && this.#handOver(seat)) {
        // What it could not take is refused, and the next one tried.
      }
    }
  }

  #nextFor({ lane }: ReaderSeat, isFirst: boolean): Waiting | undefined {
    const mayHave = lane === 'long' ? this.#mayHaveLong() : undefined
    const next = (): Waiting | undefined => this.#queue.next(lane, mayHave, isFirst)
    for (let waiting = next(); waiting !== undefined; waiting = next()) {
      if (performance.now() - waiting.sinceMs <= (this.#options.maxWaitMs ?? MAX_WAIT_MS)) return waiting
      this.#queue.done(waiting)
      this.#reject(waiting, limitExceeded('the node is busy: the question waited too long; try again'))
    }
    return undefined
  }

  /** Where there are several workers for long questions, no client has all of them. */
  #mayHaveLong(): (client: string) => boolean {
    const most = Math.max(1, this.#workers - 1)
    const held = new Map<string, number>()
    for (const waiting of this.#running) {
      const { client } = waiting.asker
      if (waiting.seat?.lane === 'long') held.set(client, (held.get(client) ?? 0) + 1)
    }
    return (client) => (held.get(client) ?? 0) < most
  }

  readonly #running = new Set<Waiting>()

  /** Gives what comes next: one that is long, or a few that may be short. False where none waits. */
  #handOver(seat: ReaderSeat): boolean {
    const { sliceMs = SLICE_MS } = this.#options
    const isShort = seat.lane === 'short'
    const hand: Handed[] = []
    const most = isShort ? MAX_HAND : 1
    while (hand.length < most) {
      const waiting = this.#nextFor(seat, hand.length === 0)
      if (waiting === undefined) break
      waiting.seat = seat
      waiting.givenMs = performance.now()
      this.#running.add(waiting)
      hand.push({
        question: { ...waiting.question, sliceMs: isShort ? sliceMs : Number.POSITIVE_INFINITY },
        settle: (answer) => this.#takeBack(waiting, answer),
      })
    }
    if (hand.length === 0) return false
    this.#begun += hand.length
    seat.give(hand)
    return true
  }

  #takeBack(waiting: Waiting, answer: ReaderAnswer | Error): void {
    this.#running.delete(waiting)
    waiting.seat = undefined
    if (answer instanceof Error) {
      // Its worker hung or died, or could not take it: it is charged for as long as that took.
      const { sliceMs = SLICE_MS } = this.#options
      const tookMs = performance.now() - waiting.givenMs
      this.#queue.charge(waiting, tookMs, tookMs <= sliceMs)
      this.#reject(waiting, answer)
    } else this.#settle(waiting, answer)
    this.#queue.done(waiting)
  }

  #settle(waiting: Waiting, answer: ReaderAnswer): void {
    if (answer.kind === 'back') {
      this.#begun--
      if (!waiting.isSettled) this.#queue.putBack(waiting)
      return
    }
    // A short one counts as such wherever it was answered: nobody stays where long ones are who asks none.
    const { sliceMs = SLICE_MS } = this.#options
    this.#queue.charge(waiting, answer.usedMs, answer.kind !== 'long' && answer.usedMs <= sliceMs)
    if (answer.kind === 'answer') {
      this.#resolve(waiting, answer.text)
    } else if (answer.kind === 'failure') {
      const error = toError(answer.failure)
      if (error instanceof CodedError && isFault(error)) this.#options.onFault?.(error)
      this.#reject(waiting, error)
    } else {
      this.#long++
      this.#sharing.turnLong(waiting)
      if (!waiting.isSettled) this.#enqueue(waiting)
    }
  }

  /** What waits is taken out; what runs is told to end, and its client hears nothing more at once. */
  #cancel(waiting: Waiting): void {
    if (waiting.isSettled) return
    this.#cancelled++
    if (!this.#queue.remove(waiting)) waiting.seat?.cancel(waiting.question.id)
    this.#reject(waiting, nobodyWaits())
  }

  /** Also for all who ask the same: what they have waiting is taken out, and what runs of it is told to end. */
  #resolve(waiting: Waiting, text: Text): void {
    const others = this.#sharing.othersOf(waiting)
    if (this.#end(waiting)) waiting.resolve(text)
    for (const other of others) {
      if (!this.#end(other)) continue
      if (!this.#queue.remove(other)) other.seat?.cancel(other.question.id)
      other.resolve(text)
    }
  }

  #reject(waiting: Waiting, error: unknown): void {
    if (this.#end(waiting)) waiting.reject(error)
  }

  /** False where it has ended before. */
  #end(waiting: Waiting): boolean {
    if (waiting.isSettled) return false
    waiting.isSettled = true
    waiting.stopListening()
    this.#sharing.leave(waiting)
    return true
  }
}

export const startHeavyQuestions = (options: HeavyOptions): HeavyPool => new HeavyQuestionPool(options)
