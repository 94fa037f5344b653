/**
 * Whose turn it is on the thread of a gateway. How much work a request is, clients decide: each turn of the event loop does
 * some milliseconds of it, clients and their connections one after another and short pieces before long ones, and a long piece is
 * followed by a pause as long as it took, in which what is short passes. Before all goes whoever asks one thing, waits for
 * the answer, and asks the next: hundreds of connections that send ahead do not keep him waiting for each of theirs.
 * Nothing is left out, and what one connection asks for keeps its order.
 */

/** Texts up to this length are short work. */
export const SHORT_LENGTH = 16 * 1024
/** The length that what follows of a batch is taken for: behind single questions of others. */
export const PART_OF_BATCH = SHORT_LENGTH
/** A single question, and no batch of a hundred. */
const TINY_LENGTH = 2 * 1024
/** Short work in one turn of the event loop. */
const TURN_MS = 2
/** A piece of work that takes less needs no pause behind it. */
const UNNOTICED_MS = 2
const LONGEST_PAUSE_MS = 50

interface Piece {
  readonly length: number
  readonly work: () => void
}

interface Line {
  readonly key: object
  readonly client: string
  readonly pieces: Piece[]
}

/** Lines in the order of their turns: clients have turns, and of each its connections. */
class Lines {
  /** None is empty. */
  readonly #clients = new Map<string, Set<Line>>()
  size = 0

  add(line: Line): void {
    const lines = this.#clients.get(line.client)
    if (lines === undefined) this.#clients.set(line.client, new Set([line]))
    else if (lines.has(line)) return
    else lines.add(line)
    this.size++
  }

  delete(line: Line): boolean {
    const lines = this.#clients.get(line.client)
    if (lines?.delete(line) !== true) return false
    if (lines.size === 0) this.#clients.delete(line.client)
    this.size--
    return true
  }

  /** Takes out the line that has waited longest of the client that has. */
  take(): Line | undefined {
    for (const [client, lines] of this.#clients) {
      const [line] = lines
      if (line === undefined) return undefined
      this.delete(line)
      // Behind all others, also where it has more.
      if (this.#clients.delete(client) && lines.size > 0) this.#clients.set(client, lines)
      return line
    }
    return undefined
  }

  clear(): void {
    this.#clients.clear()
    this.size = 0
  }
}

export class Turns {
  readonly #lines = new Map<object, Line>()
  /** Lines by what is in them, in the order in which they are served. Of a modest line one tiny piece waits. */
  readonly #modest = new Lines()
  readonly #short = new Lines()
  readonly #long = new Lines()
  readonly #clientOf: (key: object) => string
  #usedMs = 0
  #isCounting = false
  #isScheduled = false
  #longFromMs = 0
  #pause: NodeJS.Timeout | undefined

  /** `clientOf` tells whose connection a key is. Without it all are of one client. */
  constructor(clientOf: (key: object) => string = () => '') {
    this.#clientOf = clientOf
  }

  /** Work that waits. */
  get waiting(): number {
    let count = 0
    for (const { pieces } of this.#lines.values()) count += pieces.length
    return count
  }

  /** Does the work now, where it is short and the turn has time for it, or when its time has come. It must not throw. */
  run(key: object, length: number, work: () => void): void {
    const line = this.#lines.get(key)
    if (line !== undefined) {
      line.pieces.push({ length, work })
      if (this.#modest.delete(line)) this.#enlist(line)
      return
    }
    const mayPass = length <= TINY_LENGTH ? this.#modest.size === 0 : this.#modest.size + this.#short.size === 0
    if (length <= SHORT_LENGTH && mayPass && this.#usedMs < TURN_MS) {
      this.#measure(work)
      return
    }
    this.#await({ key, client: this.#clientOf(key), pieces: [{ length, work }] })
  }

  /** Does what {@link run} does, for work with a result. */
  take<Result>(key: object, length: number, work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.run(key, length, () => {
        try {
          resolve(work())
        } catch (error) {
          reject(error as Error)
        }
      })
    })
  }

  /** What still waits is never done. */
  close(): void {
    clearTimeout(this.#pause)
    this.#lines.clear()
    this.#modest.clear()
    this.#short.clear()
    this.#long.clear()
  }

  #await(line: Line): void {
    this.#lines.set(line.key, line)
    this.#enlist(line)
    this.#schedule()
  }

  #enlist(line: Line): void {
    const [first] = line.pieces
    if (first === undefined) return
    if (first.length > SHORT_LENGTH) this.#long.add(line)
    else if (first.length <= TINY_LENGTH && line.pieces.length === 1) this.#modest.add(line)
    else this.#short.add(line)
  }

  #measure(work: () => void): number {
    const startMs = performance.now()
    work()
    const tookMs = performance.now() - startMs
    this.#usedMs += tookMs
    if (!this.#isCounting) {
      this.#isCounting = true
      setImmediate(() => {
        this.#isCounting = false
        this.#usedMs = 0
      })
    }
    return tookMs
  }

  /** One piece of the line whose turn it is, which then stands behind the others. */
  #serve(lines: Lines): number {
    const line = lines.take()
    if (line === undefined) return 0
    const piece = line.pieces.shift()
    const tookMs = piece === undefined ? 0 : this.#measure(piece.work)
    if (line.pieces.length === 0) this.#lines.delete(line.key)
    else this.#enlist(line)
    return tookMs
  }

  readonly #turn = (): void => {
    this.#isScheduled = false
    this.#usedMs = 0
    while (this.#modest.size > 0 && this.#usedMs < TURN_MS) this.#serve(this.#modest)
    // One of them in any case: there may always be somebody modest.
    do this.#serve(this.#short)
    while (this.#short.size > 0 && this.#usedMs < TURN_MS)
    if (this.#long.size > 0 && performance.now() >= this.#longFromMs) {
      const tookMs = this.#serve(this.#long)
      const pauseMs = tookMs < UNNOTICED_MS ? 0 : Math.min(tookMs, LONGEST_PAUSE_MS)
      this.#longFromMs = performance.now() + pauseMs
    }
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#lines.size === 0) return
    const pauseMs = this.#modest.size + this.#short.size > 0 ? 0 : this.#longFromMs - performance.now()
    if (pauseMs > 0) {
      this.#pause ??= setTimeout(() => {
        this.#pause = undefined
        this.#schedule()
      }, Math.ceil(pauseMs))
      return
    }
    this.#isScheduled = true
    setImmediate(this.#turn)
  }
}
