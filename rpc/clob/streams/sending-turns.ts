/**
 * Whose snapshot is encoded and sent next. A few milliseconds at a stretch, in turns by client and connection, each stretch followed by a pause as
 * long as it took: whoever opens hundreds of streams waits for them, and others go on. Of a client one is begun at a time.
 */
import { FairLine } from '../../fair-line.ts'
import type { StreamForm, StreamMessage } from './stream-message.ts'

const STRETCH_MS = 3
/** Clients for which one that takes more than a stretch is under way. */
const MAX_BEGUN = 4

export interface Sender {
  readonly client: string
  /** Left out, the client is its only one. */
  readonly connection?: string
}

/** Works until that time of performance.now, or a little longer. True once it is done, also where nobody wants it any more. */
export type Work = (untilMs: number) => boolean

interface Task {
  readonly who: { readonly client: string; readonly connection: string }
  readonly work: Work
  readonly done: () => void
}

export class SendingTurns {
  readonly #line = new FairLine<Task>()
  /** What is under way, by client, in the order of turns. */
  readonly #begun = new Map<string, Task>()
  /** What the stretch has taken so far; the next one begins anew behind its pause. */
  #usedMs = 0
  #next: NodeJS.Timeout | undefined
  #isClosed = false

  /** Undefined where it has been done at once. `work` must not throw. */
  take(sender: Sender, work: Work): Promise<void> | undefined {
    const who = { client: sender.client, connection: sender.connection ?? '' }
    const isBehind = this.#begun.has(who.client) || this.#line.has(who)
    const isFirst = !isBehind && this.#usedMs < STRETCH_MS
    if (isFirst && this.#measure(work)) return undefined
    return new Promise((done) => {
      const task: Task = { who, work, done }
      if (isFirst && this.#begun.size < MAX_BEGUN) this.#begun.set(who.client, task)
      else this.#line.add(who, task)
      this.#schedule()
    })
  }

  /** What waits is never done. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#next)
    this.#line.clear()
    this.#begun.clear()
  }

  #measure(work: Work): boolean {
    const startMs = performance.now()
    const isDone = work(startMs + STRETCH_MS - this.#usedMs)
    this.#usedMs += performance.now() - startMs
    this.#schedule()
    return isDone
  }

  #serve(task: Task): void {
    const { client } = task.who
    this.#begun.delete(client)
    if (this.#measure(task.work)) task.done()
    else this.#begun.set(client, task)
  }

  readonly #stretch = (): void => {
    this.#next = undefined
    this.#usedMs = 0
    while (this.#usedMs < STRETCH_MS) {
      const task = this.#begun.size < MAX_BEGUN ? this.#line.take((client) => !this.#begun.has(client)) : undefined
      if (task !== undefined) this.#serve(task)
      const [begun] = this.#begun.values()
      if (begun !== undefined && begun !== task && this.#usedMs < STRETCH_MS) this.#serve(begun)
      else if (task === undefined) break
    }
    this.#schedule()
  }

  /** The pause behind what was done, in which nothing is done at once either. */
  #schedule(): void {
    const isIdle = this.#usedMs === 0 && this.#line.isEmpty && this.#begun.size === 0
    if (this.#next !== undefined || this.#isClosed || isIdle) return
    this.#next = setTimeout(this.#stretch, Math.ceil(this.#usedMs))
  }
}

export interface SnapshotReader extends Sender {
  readonly form: StreamForm
  send(message: StreamMessage): void
  drained(): Promise<void>
}

/**
 * Sends the messages of a snapshot, of which each waits until the client has taken the one before it. A message is made when it is its turn. False
 * where nobody wants it any more.
 */
export const sendSnapshot = async (
  turns: SendingTurns,
  reader: SnapshotReader,
  snapshot: readonly (() => StreamMessage)[],
  isWanted: () => boolean,
): Promise<boolean> => {
  for (const [at, make] of snapshot.entries()) {
    if (at > 0) await reader.drained()
    let message: StreamMessage | undefined
    let failure: Error | undefined
    const sending = turns.take(reader, (untilMs) => {
      if (!isWanted()) return true
      try {
        message ??= make()
        if (!message.advance(reader.form, untilMs)) return false
        reader.send(message)
      } catch (error) {
        failure = error as Error
      }
      return true
    })
    if (sending !== undefined) await sending
    if (failure !== undefined) throw failure
    if (!isWanted()) return false
  }
  return isWanted()
}
