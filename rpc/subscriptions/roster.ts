/**
 * Subscriptions by rank: the first ones of each connection are told beside all others and do not wait for them, so that whoever
 * has one is not kept waiting by connections that have a thousand.
 */

/** Subscriptions of a connection that do not wait for those that others have beyond so many. */
export const FIRST_OF_CONNECTION = 10

export type Rank = 'first' | 'more'
export const RANKS: readonly Rank[] = ['first', 'more']

export interface Listed {
  readonly connection: string
}

export class Roster<Item extends Listed> {
  readonly #first = new Set<Item>()
  readonly #more = new Set<Item>()
  /** How many of them are among the first; none is zero. */
  readonly #counts = new Map<string, number>()

  add(item: Item): void {
    const count = this.#counts.get(item.connection) ?? 0
    if (count >= FIRST_OF_CONNECTION) return void this.#more.add(item)
    this.#first.add(item)
    this.#counts.set(item.connection, count + 1)
  }

  has(item: Item): boolean {
    return this.#first.has(item) || this.#more.has(item)
  }

  /** True if it was there. */
  delete(item: Item): boolean {
    if (!this.#first.delete(item)) return this.#more.delete(item)
    const { connection } = item
    const count = (this.#counts.get(connection) ?? 0) - 1
    if (count > 0) this.#counts.set(connection, count)
    else this.#counts.delete(connection)
    return true
  }

  /** In the order in which they were added. */
  of(rank: Rank): Iterable<Item> {
    return rank === 'first' ? this.#first : this.#more
  }

  clear(): void {
    this.#first.clear()
    this.#more.clear()
    this.#counts.clear()
  }

  *[Symbol.iterator](): Generator<Item> {
    yield* this.#first
    yield* this.#more
  }
}
