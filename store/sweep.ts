/**
 * Deletes the history that no kept height needs: a walk over the columns `history` and `trie_history` in key order, a
 * bounded number of entries a step, round and round. No list of what a height changed is kept: the keys themselves say
 * which heights an entry serves. Everything that a step changes, and how far it came, is one write: it can be killed
 * anywhere.
 *
 * Entries of one key have the heights e1 < e2 < ...; the entry of e(i) serves reads at the heights from e(i-1) up to,
 * not including, e(i), so it is needed when one of those is kept. Where entries are missing already, no height that
 * they served is kept any more, and the same rule over what is left gives the same answer.
 */
import { concatBytes, EMPTY_BYTES, equalBytes, readUint64, utf8ToBytes } from '../core/bytes.ts'
import { firstKeptFrom, type KeptRange, readKeptRange } from './kept-range.ts'
import type { Batch, Entry, KeyValueStore } from './store.ts'
import { mergeNodeHistory } from './trie-history.ts'

const SWEPT = ['history', 'trie_history'] as const
type SweptColumn = (typeof SWEPT)[number]

const HEIGHT_BYTES = 8
/** A key that changed this often lately is left by a seek to the next one. */
const SKIP_AFTER = 16
const AFTER_EVERY_HEIGHT = new Uint8Array(HEIGHT_BYTES + 1).fill(0xff)

/** Column `meta`: column(1) key. */
const POSITION_KEY = utf8ToBytes('sweep')

/**
 * Where the walk goes on. It may be between two entries of one key: the first one met then passes for the first of all.
 * That keeps it too long at most, until the next round: where no kept height lies before it at all, the entries that
 * were left behind serve none either.
 */
interface Position {
  readonly column: SweptColumn
  readonly key: Uint8Array
}

const START: Position = { column: SWEPT[0], key: EMPTY_BYTES }

const readPosition = (store: KeyValueStore): Position => {
  const bytes = store.get('meta', POSITION_KEY)
  const column = SWEPT[bytes?.[0] ?? 0]
  return bytes === undefined || column === undefined ? START : { column, key: bytes.slice(1) }
}

const writePosition = (batch: Batch, { column, key }: Position): void => {
  batch.put('meta', POSITION_KEY, concatBytes(Uint8Array.of(SWEPT.indexOf(column)), key))
}

/** Begins again at the first key: after entries were taken away in another way. */
export const resetSweep = (batch: Batch): void => writePosition(batch, START)

export interface SweepStep {
  readonly visited: number
  readonly dropped: number
  /** Both columns have been walked through. */
  readonly finished: boolean
}

/** The entries of one key, from the first that the walk met. */
class Group {
  readonly prefix: Uint8Array
  /** The last entry that stays. */
  anchor: Entry | undefined
  /** Its height; 0 before there is one. */
  height = 0
  /** Entries that stay whatever is pruned next, in a row. */
  recent = 0

  constructor(key: Uint8Array) {
    this.prefix = key.subarray(0, -HEIGHT_BYTES)
  }

  has(key: Uint8Array): boolean {
    const { prefix } = this
    return key.length === prefix.length + HEIGHT_BYTES && equalBytes(key.subarray(0, prefix.length), prefix)
  }

  keep(entry: Entry, height: number, from: number): void {
    this.recent = this.height >= from ? this.recent + 1 : 0
    this.anchor = entry
    this.height = height
  }
}

class Step {
  readonly #range: KeptRange
  readonly #column: SweptColumn
  readonly #batch: Batch
  visited = 0
  dropped = 0
  #group: Group | undefined

  constructor(range: KeptRange, column: SweptColumn, batch: Batch) {
    this.#range = range
    this.#column = column
    this.#batch = batch
  }

  /** Where a long run of recent entries ends; undefined where there is none. */
  get skipTo(): Uint8Array | undefined {
    const group = this.#group
    return group === undefined || group.recent < SKIP_AFTER ? undefined : concatBytes(group.prefix, AFTER_EVERY_HEIGHT)
  }

  visit(entry: Entry): void {
    const [key, value] = entry
    this.visited++
    if (this.#group?.has(key) !== true) this.#group = new Group(key)
    const group = this.#group
    const height = readUint64(key, key.length - HEIGHT_BYTES)
    if (firstKeptFrom(this.#range, group.height) < height) {
      group.keep(entry, height, this.#range.from)
      return
    }
    this.#batch.delete(this.#column, key)
    this.dropped++
    if (this.#column === 'trie_history') this.#merge(group, value)
  }

  /** A difference that stays may rely on children that only the dropped entry names. */
  #merge(group: Group, dropped: Uint8Array): void {
    if (group.anchor === undefined) return
    const [key, value] = group.anchor
    const merged = mergeNodeHistory(value, dropped)
    if (merged === value) return
    this.#batch.put(this.#column, key, merged)
    group.anchor = [key, merged]
  }
}

const nextColumn = (column: SweptColumn): SweptColumn | undefined => SWEPT[SWEPT.indexOf(column) + 1]

/** Looks at `limit` entries at most. The kept range is read first, and must have been synced by then. */
export const sweepStep = (store: KeyValueStore, limit: number): SweepStep => {
  const range = readKeptRange(store)
  if (range.from === 0) return { visited: 0, dropped: 0, finished: true }
  const { column, key } = readPosition(store)
  const batch = store.batch()
  const step = new Step(range, column, batch)
  const cursor = store.cursor(column)
  let entry = cursor.seek(key)
  try {
    while (entry !== undefined && step.visited < limit) {
      step.visit(entry)
      const { skipTo } = step
      entry = skipTo === undefined ? cursor.next() : cursor.seek(skipTo)
    }
  } finally {
    cursor.close()
  }
  const next = entry === undefined ? nextColumn(column) : column
  writePosition(batch, entry === undefined ? { ...START, column: next ?? START.column } : { column, key: entry[0] })
  store.write(batch, { sync: false })
  return { visited: step.visited, dropped: step.dropped, finished: next === undefined }
}
