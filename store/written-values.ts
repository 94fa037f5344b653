/** What a block wrote into one system account, and its keys in order, so that a range costs what it holds. */

/** A chunk that grows beyond this is halved: an insertion moves no more keys than that. */
const MAX_CHUNK = 512

/** The first place in an ascending list whose item is not below `key`. */
const lowerBound = <T>(items: readonly T[], key: string, keyOf: (item: T) => string): number => {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const item = items[middle]
    if (item !== undefined && keyOf(item) < key) low = middle + 1
    else high = middle
  }
  return low
}

const same = (key: string): string => key
const lastOf = (chunk: readonly string[]): string => chunk[chunk.length - 1] ?? ''

/** Ascending keys in chunks that are never empty: finding, adding and removing one costs O(log n) and a short move. */
class SortedKeys {
  readonly #chunks: string[][] = []

  constructor(keys: Iterable<string>) {
    const sorted = [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    for (let at = 0; at < sorted.length; at += MAX_CHUNK / 2) this.#chunks.push(sorted.slice(at, at + MAX_CHUNK / 2))
  }

  /** Adds a key that is not there. */
  add(key: string): void {
    const place = Math.min(lowerBound(this.#chunks, key, lastOf), this.#chunks.length - 1)
    const chunk = this.#chunks[place]
    if (chunk === undefined) {
      this.#chunks.push([key])
      return
    }
    chunk.splice(lowerBound(chunk, key, same), 0, key)
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(place + 1, 0, chunk.splice(MAX_CHUNK / 2))
  }

  /** Removes a key that is there. */
  remove(key: string): void {
    const place = lowerBound(this.#chunks, key, lastOf)
    const chunk = this.#chunks[place] ?? []
    chunk.splice(lowerBound(chunk, key, same), 1)
    if (chunk.length === 0) this.#chunks.splice(place, 1)
  }

  *from(start: string): Generator<string, void> {
    const first = lowerBound(this.#chunks, start, lastOf)
    for (let place = first; place < this.#chunks.length; place++) {
      const chunk = this.#chunks[place] ?? []
      for (let at = place === first ? lowerBound(chunk, start, same) : 0; at < chunk.length; at++) {
        const key = chunk[at]
        if (key !== undefined) yield key
      }
    }
  }
}

/** Keys from the first to before the second, of which none has a value: neither here nor below. */
type DeletedRun = readonly [first: string, end: string]

const endOf = ([, end]: DeletedRun): string => end

/** Ascending runs that do not meet. */
class DeletedRuns {
  #runs: DeletedRun[] = []

  /** The place of the run that holds a key, or of the first one behind it. */
  #placeOf(key: string): number {
    const place = lowerBound(this.#runs, key, endOf)
    // The end of a run is none of it.
    return this.#runs[place]?.[1] === key ? place + 1 : place
  }

  endOf(key: string): string | undefined {
    const run = this.#runs[this.#placeOf(key)]
    return run !== undefined && run[0] <= key ? run[1] : undefined
  }

  /** Takes the place of those that it meets. */
  add(first: string, end: string): void {
    const from = lowerBound(this.#runs, first, endOf)
    let to = from
    let [low, high] = [first, end]
    for (let run = this.#runs[to]; run !== undefined && run[0] <= end; run = this.#runs[++to]) {
      if (run[0] < low) low = run[0]
      if (run[1] > high) high = run[1]
    }
    this.#runs.splice(from, to - from, [low, high])
  }

  /** The key has a value now, perhaps: the run that holds it is forgotten. */
  forget(key: string): void {
    const place = this.#placeOf(key)
    const run = this.#runs[place]
    if (run !== undefined && run[0] <= key) this.#runs.splice(place, 1)
  }
}

/** A map whose keys are put in order when the first range is asked for: most blocks ask for few, of few accounts. */
export class WrittenValues extends Map<string, Uint8Array | undefined> {
  #sorted: SortedKeys | undefined
  /** Only where a range has met one. */
  #deleted: DeletedRuns | undefined

  override set(key: string, value: Uint8Array | undefined): this {
    if (value !== undefined) this.#deleted?.forget(key)
    if (this.#sorted !== undefined && !this.has(key)) this.#sorted.add(key)
    return super.set(key, value)
  }

  override delete(key: string): boolean {
    this.#deleted?.forget(key)
    if (this.#sorted !== undefined && this.has(key)) this.#sorted.remove(key)
    return super.delete(key)
  }

  /** Notes that no key from `first` to before `end` has a value, here or below; both are kept until one of them may have. */
  noteDeleted(first: string, end: string): void {
    this.#deleted ??= new DeletedRuns()
    this.#deleted.add(first, end)
  }

  /** Where the noted run ends that holds a key; undefined where none does. */
  endOfDeleted(key: string): string | undefined {
    return this.#deleted?.endOf(key)
  }

  /** Keys that begin with `prefix`, from `start` (inclusive) on, with their values: undefined is deleted. */
  *range(prefix: string, start: string): Generator<readonly [string, Uint8Array | undefined], void> {
    this.#sorted ??= new SortedKeys(this.keys())
    for (const key of this.#sorted.from(start > prefix ? start : prefix)) {
      if (!key.startsWith(prefix)) return
      yield [key, this.get(key)]
    }
  }
}
