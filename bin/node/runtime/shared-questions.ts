/**
 * Questions that have the same answer, by their key: each has its own place among those that wait, and whichever is
 * answered first answers all of them. So nobody waits in the place of another one, who may have asked a thousand others
 * before, and what is made once is not made again.
 */

interface Sharing {
  readonly key: string | undefined
  /** It was tried, and takes longer than a slice. */
  isLong: boolean
}

const NONE: ReadonlySet<never> = new Set()

export class SharedQuestions<Item extends Sharing> {
  readonly #items = new Map<string, Set<Item>>()

  #of(key: string | undefined): ReadonlySet<Item> {
    return key === undefined ? NONE : (this.#items.get(key) ?? NONE)
  }

  /** Whether one of them has turned out to be long: none of the others need be tried. */
  isLong(key: string | undefined): boolean {
    const [first] = this.#of(key)
    return first?.isLong === true
  }

  join(item: Item): void {
    if (item.key === undefined) return
    const items = this.#items.get(item.key)
    if (items === undefined) this.#items.set(item.key, new Set([item]))
    else items.add(item)
  }

  leave(item: Item): void {
    if (item.key === undefined) return
    const items = this.#items.get(item.key)
    items?.delete(item)
    if (items?.size === 0) this.#items.delete(item.key)
  }

  /** Notes it for all of its key. */
  turnLong(item: Item): void {
    item.isLong = true
    for (const other of this.#of(item.key)) other.isLong = true
  }

  othersOf(item: Item): readonly Item[] {
    return [...this.#of(item.key)].filter((other) => other !== item)
  }
}
