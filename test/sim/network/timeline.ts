/** Simulated time: what happens next, in order, and nothing else. Two events of one moment keep the order of their making. */
import { setImmediate } from 'node:timers/promises'

const STEPS_A_TURN = 1_000

interface Event {
  readonly atMs: number
  readonly order: number
  readonly run: () => Promise<void> | void
}

const isBefore = (a: Event, b: Event): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)

export class Timeline {
  nowMs = 0
  #made = 0
  #steps = 0
  /** A binary heap. */
  readonly #events: Event[] = []

  after(delayMs: number, run: Event['run']): void {
    const events = this.#events
    const event = { atMs: this.nowMs + Math.max(0, Math.round(delayMs)), order: this.#made++, run }
    let at = events.length
    events.push(event)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = events[parent]
      if (above === undefined || isBefore(above, event)) break
      events[at] = above
      at = parent
    }
    events[at] = event
  }

  /** False where nothing is left. */
  async step(): Promise<boolean> {
    const event = this.#take()
    if (event === undefined) return false
    this.nowMs = event.atMs
    await event.run()
    // Whoever runs this must hear of it, and be able to end it: the simulation itself waits for nothing.
    if (++this.#steps % STEPS_A_TURN === 0) await setImmediate()
    return true
  }

  #take(): Event | undefined {
    const events = this.#events
    const [first] = events
    const last = events.pop()
    if (first === undefined || last === undefined || events.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      const [left, right] = [events[child], events[child + 1]]
      if (left === undefined) break
      if (right !== undefined && isBefore(right, left)) child++
      const below = events[child] as Event
      if (isBefore(last, below)) break
      events[at] = below
      at = child
    }
    events[at] = last
    return first
  }
}
