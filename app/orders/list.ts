/** A list whose items hold their own links, so that any of them leaves at once. An item is in one list at a time. */

export interface Link<Item> {
  previous: Item | undefined
  next: Item | undefined
}

export class LinkedList<Item extends Link<Item>> {
  #first: Item | undefined
  #last: Item | undefined

  get first(): Item | undefined {
    return this.#first
  }

  get last(): Item | undefined {
    return this.#last
  }

  append(item: Item): void {
    item.previous = this.#last
    item.next = undefined
    if (this.#last === undefined) this.#first = item
    else this.#last.next = item
    this.#last = item
  }

  prepend(item: Item): void {
    item.previous = undefined
    item.next = this.#first
    if (this.#first === undefined) this.#last = item
    else this.#first.previous = item
    this.#first = item
  }

  /** The item is in this list. */
  delete(item: Item): void {
    if (item.previous === undefined) this.#first = item.next
    else item.previous.next = item.next
    if (item.next === undefined) this.#last = item.previous
    else item.next.previous = item.previous
    item.previous = undefined
    item.next = undefined
  }
}
