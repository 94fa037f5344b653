/** Openings that are kept for all who ask for the same. What is beyond the bounds is made anew: the oldest goes first. */

export interface KeptBounds {
  readonly entries: number
  readonly bytes: number
}

interface Entry<Value> {
  readonly value: Value
  readonly bytes: number
}

export class Kept<Value> {
  readonly #bounds: KeptBounds
  /** Oldest first. */
  readonly #entries = new Map<string, Entry<Value>>()
  #bytes = 0

  constructor(bounds: KeptBounds) {
    this.#bounds = bounds
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value
  }

  /** What is larger than all that may be kept is not. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key)
    if (bytes > this.#bounds.bytes) return
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#bounds.entries && this.#bytes + bytes <= this.#bounds.bytes) break
      this.delete(oldest)
    }
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0
    this.#entries.delete(key)
  }

  deleteWhere(isOver: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#entries) if (isOver(value)) this.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }
}
