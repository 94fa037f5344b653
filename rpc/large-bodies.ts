/**
 * Bodies of requests that are long. A few of them are read at once, and the others wait in their sockets, where they take
 * nothing of this process: read all together they would pass its memory, and many of them would be lost half read. Who sends
 * slowly, or nothing, gives way to the next one, and goes on behind others. Clients have turns, however many bodies each of them sends; of
 * one client's a new body and one that has had its turn before go on by turns.
 */

/** Bytes from which a body is long. */
export const LARGE_BODY_BYTES = 512 * 1024
const AT_ONCE = 4
/** Nothing has come for so long. */
const STALLED_MS = 100
/** The longest turn while others wait. */
const TURN_MS = 500

export interface PausableBody {
  pause(): unknown
  resume(): unknown
}

interface Reading {
  readonly client: string
  readonly sinceMs: number
  lastMs: number
  /** It waits for nothing more of its client. */
  isWhole: boolean
}

/** The bodies of one client that wait. */
interface Line {
  readonly fresh: Set<PausableBody>
  /** They have had a turn, and gave way. */
  readonly again: Set<PausableBody>
  isAgainNext: boolean
}

export class LargeBodies {
  readonly #reading = new Map<PausableBody, Reading>()
  /** The client of each body that waits. */
  readonly #waiting = new Map<PausableBody, string>()
  /** The lines by client, in the order of their turns. */
  readonly #lines = new Map<string, Line>()
  #timer: NodeJS.Timeout | undefined

  get reading(): number {
    return this.#reading.size
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Takes it in, or has it wait. */
  begin(body: PausableBody, client: string): void {
    if (this.#reading.has(body) || this.#waiting.has(body)) return
    if (this.#reading.size < AT_ONCE) return this.#read(body, client)
    body.pause()
    this.#wait(body, client, 'fresh')
    this.#watch()
  }

  /** Some of it has come; `isWhole` when that was the rest. It keeps its place until {@link end}. */
  arrived(body: PausableBody, isWhole = false): void {
    const reading = this.#reading.get(body)
    if (reading === undefined) return
    reading.lastMs = performance.now()
    reading.isWhole = isWhole
  }

  /** It has been answered, or its client has gone. */
  end(body: PausableBody): void {
    this.#leave(body)
    if (this.#reading.delete(body)) this.#readNext()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#reading.clear()
    this.#waiting.clear()
    this.#lines.clear()
  }

  #read(body: PausableBody, client: string): void {
    const nowMs = performance.now()
    this.#reading.set(body, { client, sinceMs: nowMs, lastMs: nowMs, isWhole: false })
  }

  #readNext(): void {
    while (this.#reading.size < AT_ONCE) {
      const [first] = this.#lines
      if (first === undefined) return
      const [client, line] = first
      const isAgain = line.again.size > 0 && (line.isAgainNext || line.fresh.size === 0)
      line.isAgainNext = !isAgain
      const [body] = isAgain ? line.again : line.fresh
      if (body === undefined) return
      this.#leave(body)
      // The other clients come before its next one.
      if (this.#lines.delete(client)) this.#lines.set(client, line)
      this.#read(body, client)
      body.resume()
    }
  }

  #wait(body: PausableBody, client: string, place: 'fresh' | 'again'): void {
    this.#waiting.set(body, client)
    const line = this.#lines.get(client) ?? { fresh: new Set(), again: new Set(), isAgainNext: false }
    this.#lines.set(client, line)
    line[place].add(body)
  }

  #leave(body: PausableBody): void {
    const client = this.#waiting.get(body)
    const line = client === undefined ? undefined : this.#lines.get(client)
    if (client === undefined || line === undefined) return
    this.#waiting.delete(body)
    line.fresh.delete(body)
    line.again.delete(body)
    if (line.fresh.size + line.again.size === 0) this.#lines.delete(client)
  }

  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#takeTurns()
      if (this.#waiting.size > 0) this.#watch()
    }, STALLED_MS / 2).unref()
  }

  #takeTurns(): void {
    const nowMs = performance.now()
    for (const [body, { client, sinceMs, lastMs, isWhole }] of this.#reading) {
      if (this.#waiting.size === 0) return
      if (isWhole || (nowMs - lastMs < STALLED_MS && nowMs - sinceMs < TURN_MS)) continue
      this.#reading.delete(body)
      body.pause()
      // The one that comes in stands before it.
      this.#readNext()
      this.#wait(body, client, 'again')
    }
  }
}
