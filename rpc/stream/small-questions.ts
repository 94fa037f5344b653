/**
 * Questions of usual size. Whoever asks one thing at a time is never held up. Of what connections ask ahead, beside the first
 * of each, few questions are on their way at once; the others wait here and have turns: what stands between two processes is
 * taken in the order in which it came, and batches that hundreds of connections send ahead would all be before what anybody
 * asks.
 */
import type { Asker } from '../../app/ports.ts'
import { FairLine } from '../fair-line.ts'

/** Their bytes, beside which none of these is sent: others would wait until the application has read them. */
const MOST_LATELY_BYTES = 1024 * 1024
/** A question of more bytes has its turn, also where it is the only one of its connection; such ones have lines of their own. */
export const BULKY_BYTES = 16 * 1024
/** What has no answer after so long waits for a worker, and is in nobody's way. */
const LATELY_MS = 100

interface Sent {
  readonly atMs: number
  readonly bytes: number
}

interface Waiting {
  readonly id: number
  readonly bytes: number
  send(): void
}

const keyOf = ({ client, connection }: Asker): string => `${client} ${connection}`

export class SmallQuestions {
  readonly #mostLately: number
  /** The connections of those that have no answer yet, by their ids. */
  readonly #unanswered = new Map<number, string>()
  /** How many each connection has on its way, or waiting. */
  readonly #counts = new Map<string, number>()
  /** Those that were asked ahead and went lately, in this order. */
  readonly #lately = new Map<number, Sent>()
  #latelyBytes = 0
  /** Who asked each of those that wait. */
  readonly #askers = new Map<number, Asker>()
  readonly #line = new FairLine<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #isPlanned = false

  /** `mostLately` were asked ahead and sent lately when others of these wait. */
  constructor(mostLately: number) {
    this.#mostLately = mostLately
  }

  /** How many wait to be sent. */
  get waiting(): number {
    return this.#askers.size
  }

  /** How many that its connection has asked are unanswered. */
  countOf(asker: Asker): number {
    return this.#counts.get(keyOf(asker)) ?? 0
  }

  /** Sends it now or when it is its turn. What a gateway asks for itself, for all of its clients, never waits. */
  add(asker: Asker, waiting: Waiting): void {
    if (asker.client === '') return waiting.send()
    const key = keyOf(asker)
    const count = this.#counts.get(key) ?? 0
    this.#unanswered.set(waiting.id, key)
    this.#counts.set(key, count + 1)
    // These take no place of the others: hundreds who ask one thing at a time would keep all of them.
    if (count === 0 && waiting.bytes <= BULKY_BYTES) return waiting.send()
    if (this.#line.isEmpty && this.#hasRoomFor(waiting)) return this.#send(waiting)
    this.#line.add(asker, waiting)
    this.#askers.set(waiting.id, asker)
    this.#sendSome()
  }

  /** It is answered, or nobody waits for it. False where it was never sent. */
  end(id: number): boolean {
    const key = this.#unanswered.get(id)
    if (key === undefined) return true
    this.#unanswered.delete(id)
    const count = this.#counts.get(key) ?? 1
    if (count > 1) this.#counts.set(key, count - 1)
    else this.#counts.delete(key)
    const asker = this.#askers.get(id)
    if (asker !== undefined) {
      this.#askers.delete(id)
      this.#line.remove(asker, (one) => one.id === id)
      return false
    }
    this.#forget(id)
    this.#sendSoon()
    return true
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#unanswered.clear()
    this.#counts.clear()
    this.#lately.clear()
    this.#latelyBytes = 0
    this.#askers.clear()
    this.#line.clear()
  }

  #send({ id, bytes, send }: Waiting): void {
    this.#lately.set(id, { atMs: performance.now(), bytes })
    this.#latelyBytes += bytes
    send()
  }

  /** One may be larger than all together. */
  #hasRoomFor({ bytes }: Waiting): boolean {
    if (this.#lately.size >= this.#mostLately) return false
    return this.#lately.size === 0 || this.#latelyBytes + bytes <= MOST_LATELY_BYTES
  }

  #forget(id: number): void {
    this.#latelyBytes -= this.#lately.get(id)?.bytes ?? 0
    this.#lately.delete(id)
  }

  /** A connection that has gone gives up all that it has asked, one after another: none of it shall go before. */
  #sendSoon(): void {
    if (this.#line.isEmpty || this.#isPlanned) return
    this.#isPlanned = true
    queueMicrotask(() => {
      this.#isPlanned = false
      this.#sendSome()
    })
  }

  #sendSome(): void {
    if (this.#line.isEmpty) return
    this.#forgetLate()
    for (let next = this.#line.peek(); next !== undefined && this.#hasRoomFor(next); next = this.#line.peek()) {
      this.#line.take()
      this.#askers.delete(next.id)
      this.#send(next)
    }
    if (this.#line.isEmpty) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#sendSome()
    }, LATELY_MS)
  }

  #forgetLate(): void {
    const fromMs = performance.now() - LATELY_MS
    for (const [id, { atMs }] of this.#lately) {
      if (atMs > fromMs) return
      this.#forget(id)
    }
  }
}
