/** Values that several ask for at about the same time: the last few that were asked for are made once. */
export class Recent<Value> {
  readonly #most: number
  readonly #values = new Map<string, Promise<Value>>()

  constructor(most: number) {
    this.#most = most
  }

  /** One that failed is made anew. */
  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const made = make()
    this.#values.set(key, made)
    made.catch(() => this.#values.delete(key))
    for (const [oldest] of this.#values) {
      if (this.#values.size <= this.#most) break
      this.#values.delete(oldest)
    }
    return made
  }

  clear(): void {
    this.#values.clear()
  }
}
