/**
 * Whose messages go to the system next, of connections that have much to send. The system copies what it is given, at a millisecond for
 * some megabytes: what hundreds of connections have to send in one turn of the event loop would hold up everybody else for as many
 * milliseconds. Each turn takes about one, in turns by client and connection.
 */
import type { Asker } from '../../app/ports.ts'
import { FairLine } from '../fair-line.ts'

const TURN_MS = 1

export type Writing = () => void

export class WritingTurns {
  readonly #line = new FairLine<Writing>()
  #isScheduled = false

  /** Calls `write` when its turn has come. It must not throw. */
  add(who: Pick<Asker, 'client' | 'connection'>, write: Writing): void {
    this.#line.add(who, write)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#turn())
  }

  #turn(): void {
    this.#isScheduled = false
    const untilMs = performance.now() + TURN_MS
    do this.#line.take()?.()
    while (!this.#line.isEmpty && performance.now() < untilMs)
    if (!this.#line.isEmpty) this.#schedule()
  }
}
