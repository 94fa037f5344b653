/** Proves of a stream that nothing is missing between its messages. */
import { ClobClientError } from './errors.ts'

/** What a message says of its place in the stream. */
export interface StreamPlace {
  readonly height: number
  readonly isSnapshot: boolean
  /** A place in a market's stream. */
  readonly sequence?: number
  readonly previousSequence?: number
}

const gap = (message: string): ClobClientError => new ClobClientError('gap', message)

export class Continuity<Message extends StreamPlace> {
  #last: Message | undefined
  /** The block that may come without a snapshot before it. */
  #first: number | undefined

  /** A stream that resumes at a height has no snapshot, and begins with that block. */
  constructor(fromHeight: number | undefined) {
    this.#first = fromHeight
  }

  /** Undefined before the first and after a gap. */
  get last(): Message | undefined {
    return this.#last
  }

  /** Takes the next message. Throws `gap`, and then for every message until a snapshot. */
  take(message: Message): void {
    const [last, first] = [this.#last, this.#first]
    this.#last = undefined
    this.#first = undefined
    const { height, isSnapshot, previousSequence } = message
    if (!isSnapshot && last === undefined && first === undefined)
      throw gap(`block ${height} was told, and no snapshot before`)
    if (!isSnapshot && first !== undefined && height !== first)
      throw gap(`block ${height} was told first, and the stream should begin at block ${first}`)
    if (!isSnapshot && last !== undefined) {
      if (height !== last.height + 1) throw gap(`block ${height} was told after block ${last.height}`)
      if (previousSequence !== last.sequence) {
        throw gap(`block ${height} follows sequence ${previousSequence}, and ${last.sequence} was the last`)
      }
    }
    this.#last = message
  }
}
