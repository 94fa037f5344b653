/**
 * Events of one contract in the order of their ids, each exactly once. Blocks may be read again: what is known already is passed
 * over, and what contradicts it is a fault. Holds only what the node has not acknowledged, up to a bound.
 */
import type { BridgeEvent } from '../../core/bridge-event.ts'
import type { LoggedEvent } from './chain-answers.ts'
import { daemonError } from './errors.ts'

/** Events that wait for the node. */
export const MOST_EVENTS = 512

export class EventChain {
  /** The events without a gap, from the first id that is not acknowledged. */
  #events: BridgeEvent[] = []
  #nextId: number
  #expected = 0
  /** Height of the block of the newest event that was taken; -1 before the first. */
  #height = -1n
  /** Index of that event within its block. */
  #logIndex = -1

  constructor(nextId: number) {
    this.#nextId = nextId
  }

  get events(): readonly BridgeEvent[] {
    return this.#events
  }

  /** The id that the next event must have. */
  get expected(): number {
    return this.#expected
  }

  get nextId(): number {
    return this.#nextId
  }

  get isFull(): boolean {
    return this.#events.length >= MOST_EVENTS
  }

  /** False where events below are asked for that were dropped: they have to be read again. */
  acknowledge(nextId: number): boolean {
    if (nextId < this.#nextId) return false
    this.#nextId = nextId
    this.#events = this.#events.filter(({ id }) => id >= nextId)
    return true
  }

  /** Takes the logs of whole blocks. The number of the block at which there was no more room, undefined where all fitted in. */
  take(logs: readonly LoggedEvent[]): number | undefined {
    for (const { event, logIndex } of logs) {
      const { externalHeight } = event
      const isKnown = externalHeight < this.#height || (externalHeight === this.#height && logIndex <= this.#logIndex)
      if (isKnown && event.id < this.#expected) continue
      if (event.id !== this.#expected) throw this.#skipped(event)
      if (event.id >= this.#nextId) {
        if (this.isFull) return Number(externalHeight)
        this.#events.push(event)
      }
      this.#expected++
      this.#height = externalHeight
      this.#logIndex = logIndex
    }
    return undefined
  }

  #skipped({ id, externalHeight }: BridgeEvent): Error {
    if (this.#expected === 0) {
      return daemonError('skippedId', `event ${id} of block ${externalHeight} is the first, but event 0 must be`)
    }
    return daemonError('skippedId', `event ${id} of block ${externalHeight} follows event ${this.#expected - 1}`)
  }
}
