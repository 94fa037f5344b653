/** Proves of a stream that nothing is missing between its messages. */
import { ClobClientError } from './errors.ts'

/** What a message says of its place in the stream. */
export interface Place {
  readonly height: number
  readonly isSnapshot: boolean
  /** Of a market's stream. */
  readonly sequence?: number
  readonly previousSequence?: number
}

export class Continuity {
  #last: Place | undefined

  /** Takes the next message. Throws `gap`, and then for every message until a snapshot. */
  take(place: Place): void {
    const last = this.#last
    this.#last = undefined
    if (!place.isSnapshot && last !== undefined) {
      if (place.height !== last.height + 1) {
        throw new ClobClientError('gap', `block ${place.height} was told after block ${last.height}`)
      }
      if (place.previousSequence !== last.sequence) {
        const [before, after] = [place.previousSequence, last.sequence]
        throw new ClobClientError('gap', `block ${place.height} follows sequence ${before}, and ${after} was the last`)
      }
    }
    this.#last = place
  }
}
