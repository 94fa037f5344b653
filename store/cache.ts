/** A bounded cache by string key that forgets what was not used for long. */

/**
 * Two generations: what is used moves to the young one; when that holds half of the capacity, it becomes the old one
 * and the former old one is dropped. No bookkeeping per hit, and never more than `capacity` units are held.
 */
export class BoundedCache<Value> {
  readonly #half: number
  readonly #weigh: (value: Value) => number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()
  #weight = 0

  /** `weigh` tells the units of a value; without it every value is one unit. */
  constructor(capacity: number, weigh: (value: Value) => number = () => 1) {
    this.#half = capacity / 2
    this.#weigh = weigh
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: Value): void {
    const weight = this.#weigh(value)
    const held = this.#young.get(key)
    const freed = held === undefined ? 0 : this.#weigh(held)
    if (this.#weight - freed + weight > this.#half) {
      this.#old = this.#young
      this.#young = new Map()
      this.#weight = 0
      // The value set here must win over the one of the old generation, and one too heavy for the cache is not kept.
      this.#old.delete(key)
      if (weight > this.#half) return
      this.#weight = weight
    } else {
      this.#weight += weight - freed
    }
    this.#young.set(key, value)
  }

  delete(key: string): void {
    const held = this.#young.get(key)
    if (held !== undefined) this.#weight -= this.#weigh(held)
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
