/** Collects the signatures of what comes in one turn of the event loop, so that a thread checks many of them at once. */
import { runSignatureTask, type SignatureTask } from '../../core/signature.ts'
import type { SignatureThread } from '../environment.ts'

/** Handing over costs about as much as checking one. */
const LEAST_HANDED_OVER = 4

interface Waiting {
  /** Undefined for what only waits for its turn. */
  readonly task: SignatureTask | undefined
  resolve(answer: Uint8Array | undefined): void
}

export class SignatureQueue {
  readonly #thread: SignatureThread
  #waiting: Waiting[] = []
  /** Lots that the thread has. */
  #handedOver = 0

  constructor(thread: SignatureThread) {
    this.#thread = thread
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
    else settle(lot, tasks.map(runSignatureTask))
  }

  async #handOver(lot: readonly Waiting[], tasks: readonly SignatureTask[]): Promise<void> {
    this.#handedOver++
    // The thread says itself what is wrong with it; nobody who sends has to know.
    const answers = await this.#thread.check(tasks).catch(() => tasks.map(runSignatureTask))
    this.#handedOver--
    settle(lot, answers)
  }
}

/** `answers` are those of the tasks of the lot. */
const settle = (lot: readonly Waiting[], answers: readonly (Uint8Array | undefined)[]): void => {
  let next = 0
  for (const { task, resolve } of lot) resolve(task === undefined ? undefined : answers[next++])
}
