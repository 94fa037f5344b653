/** How many of something each client has, such as connections, where one may have a part of all alone. */
export class ClientCounts {
  readonly #most: number
  readonly #counts = new Map<string, number>()

  /** 0 is no limit. */
  constructor(most: number) {
    this.#most = most
  }

  isFull(client: string): boolean {
    return this.#most > 0 && (this.#counts.get(client) ?? 0) >= this.#most
  }

  /** Returns how to leave, which counts once. */
  enter(client: string): () => void {
    if (this.#most === 0) return () => undefined
    this.#counts.set(client, (this.#counts.get(client) ?? 0) + 1)
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      const left = (this.#counts.get(client) ?? 1) - 1
      if (left === 0) this.#counts.delete(client)
      else this.#counts.set(client, left)
    }
  }
}
