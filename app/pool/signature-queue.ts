/** Collects the signatures of what comes in one turn of the event loop, so that a thread checks many of them at once. */
import { runSignatureTask, type SignatureTask } from '../../core/signature.ts'
import type { Environment, SignatureThread } from '../environment.ts'

/** What follows an answer is done for so long at a stretch: it checks the rest, which may take a millisecond and more. */
const TURN_MS = 3

/** Handing over costs about as much as checking one. */
const LEAST_HANDED_OVER = 4

type QueueEnvironment = Pick<Environment, 'clock' | 'yieldToEventLoop'>

interface Waiting {
  /** Undefined for what only waits for its turn. */
  readonly task: SignatureTask | undefined
  resolve(answer: Uint8Array | undefined): void
}

export class SignatureQueue {
  readonly #thread: SignatureThread
  readonly #environment: QueueEnvironment
  #waiting: Waiting[] = []
  /** Lots that the thread has. */
  #handedOver = 0
  /** Those with their answers, which are told in turns. */
  readonly #answered: (() => void)[] = []
  #isTelling = false

  constructor(thread: SignatureThread, environment: QueueEnvironment) {
    this.#thread = thread
    this.#environment = environment
  }

  /**
   * The answer of runSignatureTask, or undefined without a task. Answers come in the order of the calls, also those
   * without a task: who sends two nonces sends them in turn.
   */
  check(task: SignatureTask | undefined): Promise<Uint8Array | undefined> {
    return new Promise((resolve) => {
      if (this.#waiting.length === 0) queueMicrotask(() => this.#flush())
      this.#waiting.push({ task, resolve })
    })
  }

  #flush(): void {
    const lot = this.#waiting
    this.#waiting = []
    const tasks = lot.flatMap(({ task }) => task ?? [])
    // Nothing may overtake a lot that is on its way.
    if (tasks.length >= LEAST_HANDED_OVER || this.#handedOver > 0) void this.#handOver(lot, tasks)
    else this.#settle(lot, tasks.map(runSignatureTask))
  }

  async #handOver(lot: readonly Waiting[], tasks: readonly SignatureTask[]): Promise<void> {
    this.#handedOver++
    // The thread says itself what is wrong with it; nobody who sends has to know.
    const answers = await this.#thread.check(tasks).catch(() => tasks.map(runSignatureTask))
    this.#handedOver--
    this.#settle(lot, answers)
  }

  /** `answers` are those of the tasks of the lot. */
  #settle(lot: readonly Waiting[], answers: readonly (Uint8Array | undefined)[]): void {
    let next = 0
    for (const { task, resolve } of lot) {
      const answer = task === undefined ? undefined : answers[next++]
      this.#answered.push(() => resolve(answer))
    }
    if (!this.#isTelling) void this.#tellAll()
  }

  async #tellAll(): Promise<void> {
    this.#isTelling = true
    const { clock } = this.#environment
    let fromMs = clock.nowMs()
    for (let tell = this.#answered.shift(); tell !== undefined; tell = this.#answered.shift()) {
      tell()
      // Whoever waits goes on now, and is done when this does.
      await Promise.resolve()
      if (clock.nowMs() - fromMs <= TURN_MS) continue
      await this.#environment.yieldToEventLoop()
      fromMs = clock.nowMs()
    }
    this.#isTelling = false
  }
}
