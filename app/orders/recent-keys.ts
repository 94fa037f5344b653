/** The newest of many keys with something each; the oldest are forgotten. */
export class RecentKeys<Value> {
  readonly #max: number
  /** Two generations: a key is moved to the newer one by nobody, and the older one goes as a whole. */
  #newer = new Map<string, Value>()
  #older = new Map<string, Value>()

  /** Remembers between half of `max` and `max` keys. */
  constructor(max: number) {
    this.#max = max
  }

  has(key: string): boolean {
    return this.#newer.has(key) || this.#older.has(key)
  }

  get(key: string): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key)
  }

  set(key: string, value: Value): void {
    this.#newer.set(key, value)
    if (this.#newer.size * 2 < this.#max) return
    this.#older = this.#newer
    this.#newer = new Map()
  }

  clear(): void {
    this.#newer = new Map()
    this.#older = new Map()
  }
}
