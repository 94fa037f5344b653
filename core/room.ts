/** Memory that is used again: a megabyte that the system has to give and to clear takes longer than filling it. */

export class Room {
  readonly #maxBytes: number
  #bytes: Uint8Array | undefined

  /** All of it is asked for at once, and comes from the system page by page as it is written to. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** At least `capacity` bytes, of any content. They are the taker's until the next call. Larger ones are not kept. */
  take(capacity: number): Uint8Array {
    if (capacity > this.#maxBytes) return new Uint8Array(capacity)
    this.#bytes ??= new Uint8Array(this.#maxBytes)
    return this.#bytes
  }
}
