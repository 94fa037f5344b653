/**
 * A sorted set of pairs (key, tie), each with an item. One array would move on every insertion far from its end, so it is
 * cut into chunks; each chunk knows the least tie in it, so that the least tie among all keys up to a limit is found
 * without a look at every item.
 */
import { invariant } from '../../../core/errors.ts'

/** A chunk beyond it is split in two. */
const MOST = 512
/** The least tie of a chunk that changed is not known until it is asked for. */
const UNKNOWN = -1

interface Chunk<Item> {
  readonly keys: number[]
  readonly ties: number[]
  readonly items: Item[]
  leastTie: number
}

const newChunk = <Item>(keys: number[], ties: number[], items: Item[]): Chunk<Item> => ({
  keys,
  ties,
  items,
  leastTie: UNKNOWN,
})

/** Index of the first pair that is not below (key, tie). */
const lowerBound = (keys: readonly number[], ties: readonly number[], key: number, tie: number): number => {
  let [low, high] = [0, keys.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const found = keys[middle] as number
    if (found < key || (found === key && (ties[middle] as number) < tie)) low = middle + 1
    else high = middle
  }
  return low
}

const leastTieOf = <Item>(chunk: Chunk<Item>): number => {
  if (chunk.leastTie === UNKNOWN) {
    let least = Number.POSITIVE_INFINITY
    for (const tie of chunk.ties) if (tie < least) least = tie
    chunk.leastTie = least
  }
  return chunk.leastTie
}

/** The item with the least tie among the first `end` pairs of a chunk. */
const leastWithin = <Item>(
  { ties, items }: Chunk<Item>,
  end: number,
): { readonly tie: number; readonly item: Item | undefined } => {
  let [tie, place] = [Number.POSITIVE_INFINITY, -1]
  for (let at = 0; at < end; at++) {
    const found = ties[at] as number
    if (found >= tie) continue
    tie = found
    place = at
  }
  return { tie, item: items[place] }
}

export class SortedChunks<Item> {
  #chunks: Chunk<Item>[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  /** The item of the greatest pair. */
  get last(): Item | undefined {
    const chunk = this.#chunks[this.#chunks.length - 1]
    return chunk?.items[chunk.items.length - 1]
  }

  /** The item of the least pair. */
  get first(): Item | undefined {
    return this.#chunks[0]?.items[0]
  }

  /** The pair must not be there yet. */
  insert(key: number, tie: number, item: Item): void {
    this.#size++
    const place = this.#chunkFor(key, tie)
    const chunk = this.#chunks[place]
    if (chunk === undefined) {
      this.#chunks.push(newChunk([key], [tie], [item]))
      return
    }
    const at = lowerBound(chunk.keys, chunk.ties, key, tie)
    chunk.keys.splice(at, 0, key)
    chunk.ties.splice(at, 0, tie)
    chunk.items.splice(at, 0, item)
    if (chunk.leastTie !== UNKNOWN && tie < chunk.leastTie) chunk.leastTie = tie
    if (chunk.keys.length > MOST) this.#split(place, chunk)
  }

  /** The pair must be there. */
  remove(key: number, tie: number): void {
    const [place, at] = this.#find(key, tie)
    const chunk = this.#chunks[place] as Chunk<Item>
    this.#size--
    if (chunk.keys.length === 1) {
      this.#chunks.splice(place, 1)
      return
    }
    chunk.keys.splice(at, 1)
    chunk.ties.splice(at, 1)
    chunk.items.splice(at, 1)
    if (chunk.leastTie === tie) chunk.leastTie = UNKNOWN
  }

  /** Gives a pair that is there another item. */
  replace(key: number, tie: number, item: Item): void {
    const [place, at] = this.#find(key, tie)
    const chunk = this.#chunks[place] as Chunk<Item>
    chunk.items[at] = item
  }

  /**
   * The item with the least tie of all pairs whose key is at most `limit`. It looks into two chunks at most, whatever
   * the order of the ties: the one that the limit cuts, and that of the whole ones which has the least tie.
   */
  leastTieUpTo(limit: number): Item | undefined {
    let best: Chunk<Item> | undefined
    let found = { tie: Number.POSITIVE_INFINITY, item: undefined as Item | undefined }
    for (const chunk of this.#chunks) {
      if ((chunk.keys[0] as number) > limit) break
      const isWhole = (chunk.keys[chunk.keys.length - 1] as number) <= limit
      if (!isWhole) found = leastWithin(chunk, lowerBound(chunk.keys, chunk.ties, limit, Number.POSITIVE_INFINITY))
      else if (best === undefined || leastTieOf(chunk) < leastTieOf(best)) best = chunk
    }
    if (best === undefined || leastTieOf(best) >= found.tie) return found.item
    return leastWithin(best, best.keys.length).item
  }

  /** The items from the greatest pair whose key is at most `limit` down. The set must not change meanwhile. */
  *descending(limit = Number.POSITIVE_INFINITY): Generator<Item, undefined> {
    const first = this.#chunkFor(limit, Number.POSITIVE_INFINITY)
    for (let place = first; place >= 0; place--) {
      const chunk = this.#chunks[place]
      if (chunk === undefined) break
      const { keys, ties, items } = chunk
      const end = place === first ? lowerBound(keys, ties, limit, Number.POSITIVE_INFINITY) : items.length
      for (let at = end - 1; at >= 0; at--) yield items[at] as Item
    }
    return undefined
  }

  #find(key: number, tie: number): readonly [number, number] {
    const place = this.#chunkFor(key, tie)
    const chunk = this.#chunks[place]
    const at = chunk === undefined ? 0 : lowerBound(chunk.keys, chunk.ties, key, tie)
    invariant(chunk?.keys[at] === key && chunk.ties[at] === tie, 'the sorted set holds what is taken out of it')
    return [place, at]
  }

  /** The first chunk whose last pair is not below (key, tie), or the last one. */
  #chunkFor(key: number, tie: number): number {
    const chunks = this.#chunks
    let [low, high] = [0, Math.max(0, chunks.length - 1)]
    while (low < high) {
      const middle = (low + high) >>> 1
      const { keys, ties } = chunks[middle] as Chunk<Item>
      const last = keys.length - 1
      const found = keys[last] as number
      if (found < key || (found === key && (ties[last] as number) < tie)) low = middle + 1
      else high = middle
    }
    return low
  }

  #split(place: number, chunk: Chunk<Item>): void {
    const half = MOST >>> 1
    chunk.leastTie = UNKNOWN
    const upper = newChunk(chunk.keys.splice(half), chunk.ties.splice(half), chunk.items.splice(half))
    this.#chunks.splice(place + 1, 0, upper)
  }
}
