/**
 * The index of logs by address and topic: the cost of a search follows the number of matches, not the range.
 * Postings are per block: key L kind(1) value prefix(12) height(8), value pairs of varints (transaction, log in it).
 * Kinds: 0 address, 1 to 4 topic by position, 255 every block that has logs (empty value).
 */
import { bytesToKey, concatBytes, EMPTY_BYTES, keyToBytes, readUint64, uint64ToBytes } from '../../core/bytes.ts'
import type { Receipt } from '../records/receipt.ts'
import type { Batch, Cursor } from '../../store/store.ts'

const TAG = 'L'.charCodeAt(0)
const PREFIX_BYTES = 12
const ANY_LOG = 255

/** One value sought at one position: 0 the address, 1 to 4 the topics. */
export interface LogTerm {
  readonly kind: number
  readonly value: Uint8Array
}

const termPrefix = ({ kind, value }: LogTerm): Uint8Array =>
  concatBytes(Uint8Array.of(TAG, kind), value.subarray(0, PREFIX_BYTES))

/** Terms that the index cannot tell apart are sought once: each would hold all that is found of it. */
const distinctPrefixes = (terms: readonly LogTerm[]): readonly Uint8Array[] => [
  ...new Map(terms.map(termPrefix).map((prefix) => [bytesToKey(prefix), prefix])).values(),
]

const pushVarint = (out: number[], value: number): void => {
  let rest = value
  while (rest >= 0x80) {
    out.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  out.push(rest)
}

/** The postings of a block by their keys without the height, and the places of the logs. */
const postingsOf = (receipts: readonly Receipt[]): ReadonlyMap<string, readonly number[]> => {
  const postings = new Map<string, number[]>()
  const add = (kind: number, value: Uint8Array, transaction: number, log: number): void => {
    const key = bytesToKey(termPrefix({ kind, value }))
    let list = postings.get(key)
    if (list === undefined) postings.set(key, (list = []))
    pushVarint(list, transaction)
    pushVarint(list, log)
  }
  for (const [transaction, receipt] of receipts.entries()) {
    for (const [index, log] of receipt.logs.entries()) {
      add(0, log.address, transaction, index)
      for (const [position, topic] of log.topics.entries()) add(position + 1, topic, transaction, index)
    }
  }
  return postings
}

const anyLogKey = (heightBytes: Uint8Array): Uint8Array => concatBytes(Uint8Array.of(TAG, ANY_LOG), heightBytes)

/** Adds the postings of a block. */
export const writeLogIndex = (batch: Batch, height: number, receipts: readonly Receipt[]): void => {
  const postings = postingsOf(receipts)
  if (postings.size === 0) return
  const heightBytes = uint64ToBytes(height)
  batch.put('index', anyLogKey(heightBytes), EMPTY_BYTES)
  for (const [key, list] of postings) {
    batch.put('index', concatBytes(keyToBytes(key), heightBytes), Uint8Array.from(list))
  }
}

/** The inverse of {@link writeLogIndex}. */
export const deleteLogIndex = (batch: Batch, height: number, receipts: readonly Receipt[]): void => {
  const postings = postingsOf(receipts)
  if (postings.size === 0) return
  const heightBytes = uint64ToBytes(height)
  batch.delete('index', anyLogKey(heightBytes))
  for (const key of postings.keys()) batch.delete('index', concatBytes(keyToBytes(key), heightBytes))
}

/** A place is one number, so that a block may have millions: transaction times this, and the log in it. */
const LOGS_A_TRANSACTION = 2 ** 26

/** The first of some places from `from` on that is not of the transaction there. */
export const endOfTransaction = (places: readonly number[], from: number): number => {
  const next = (transactionOf(places[from] ?? 0) + 1) * LOGS_A_TRANSACTION
  let [low, high] = [from, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] ?? Infinity) < next) low = middle + 1
    else high = middle
  }
  return low
}

export const transactionOf = (place: number): number => Math.floor(place / LOGS_A_TRANSACTION)
export const logOf = (place: number): number => place % LOGS_A_TRANSACTION

/** Places of which so many are read or compared between two looks at the time. */
const PLACES_A_LOOK = 4_096

type Interrupt = () => void

/** Ascending, as they were written. */
const decodePostings = (bytes: Uint8Array, interrupt: Interrupt): number[] => {
  const places: number[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const transaction = varint()
    places.push(transaction * LOGS_A_TRANSACTION + varint())
    if (places.length % PLACES_A_LOOK === 0) interrupt()
  }
  return places
}

/** Heights at which a term occurs, ascending. The cursor is that of all terms: every look is a search. */
class TermHeights {
  readonly #cursor: Cursor
  readonly #prefix: Uint8Array
  height = -1
  postings: Uint8Array = EMPTY_BYTES

  constructor(cursor: Cursor, prefix: Uint8Array) {
    this.#cursor = cursor
    this.#prefix = prefix
  }

  /** Moves to the first height at or after `height`; Infinity when there is none. */
  seek(height: number): number {
    if (this.height >= height) return this.height
    const entry = this.#cursor.seek(concatBytes(this.#prefix, uint64ToBytes(height)))
    const key = entry?.[0]
    const found = key !== undefined && key.length === this.#prefix.length + 8 && startsWith(key, this.#prefix)
    this.height = found ? readUint64(key, this.#prefix.length) : Number.POSITIVE_INFINITY
    this.postings = found && entry !== undefined ? entry[1] : EMPTY_BYTES
    return this.height
  }
}

const startsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean => {
  for (let i = 0; i < prefix.length; i++) if (bytes[i] !== prefix[i]) return false
  return true
}

/** What is in one of two lists or in both; all lists ascend, and have nothing twice. */
const merge = (one: readonly number[], other: readonly number[], interrupt: Interrupt): readonly number[] => {
  if (one.length === 0) return other
  if (other.length === 0) return one
  const out: number[] = []
  let [at, beside] = [0, 0]
  while (at < one.length || beside < other.length) {
    const [a, b] = [one[at] ?? Infinity, other[beside] ?? Infinity]
    if (a <= b) at++
    if (b <= a) beside++
    out.push(Math.min(a, b))
    if (out.length % PLACES_A_LOOK === 0) interrupt()
  }
  return out
}

/** Lists are merged by pairs: a thousand of them cost ten times their places, not a thousand times. */
const union = (lists: readonly (readonly number[])[], interrupt: Interrupt): readonly number[] => {
  let left = lists
  while (left.length > 1) {
    const merged: (readonly number[])[] = []
    for (let at = 0; at < left.length; at += 2) merged.push(merge(left[at] ?? [], left[at + 1] ?? [], interrupt))
    left = merged
  }
  return left[0] ?? []
}

const intersection = (one: readonly number[], other: readonly number[], interrupt: Interrupt): readonly number[] => {
  const out: number[] = []
  let beside = 0
  for (const [at, place] of one.entries()) {
    while ((other[beside] ?? Infinity) < place) beside++
    if (other[beside] === place) out.push(place)
    if (at % PLACES_A_LOOK === 0) interrupt()
  }
  return out
}

const intersect = (
  positions: readonly (readonly TermHeights[])[],
  height: number,
  interrupt: Interrupt,
): readonly number[] => {
  let kept: readonly number[] | undefined
  for (const terms of positions) {
    const lists = terms
      .filter((term) => term.height === height)
      .map(({ postings }) => decodePostings(postings, interrupt))
    const here = union(lists, interrupt)
    kept = kept === undefined ? here : intersection(kept, here, interrupt)
  }
  return kept ?? []
}

/**
 * Blocks from `from` to `to` in which a log may match, with the places of those logs ({@link transactionOf},
 * {@link logOf}); ascending. Each member of
 * `positions` is a set of alternatives, and all members must match. Without members every block with logs is given,
 * with no places: all its logs are meant. A prefix can collide, so the caller compares the logs themselves.
 * `interrupt` is called before every search and now and then among many places, and may throw.
 */
export function* searchLogIndex(
  openCursor: () => Cursor,
  positions: readonly (readonly LogTerm[])[],
  from: number,
  to: number,
  interrupt: Interrupt = () => undefined,
): Generator<{ readonly height: number; readonly places: readonly number[] | undefined }> {
  const cursor = openCursor()
  const heights = (prefix: Uint8Array): TermHeights => new TermHeights(cursor, prefix)
  try {
    const sets =
      positions.length === 0
        ? [[heights(Uint8Array.of(TAG, ANY_LOG))]]
        : positions.map((terms) => distinctPrefixes(terms).map(heights))
    for (let height = from; height <= to; ) {
      interrupt()
      let next = height
      for (const terms of sets) {
        let nearest = Number.POSITIVE_INFINITY
        for (const term of terms) {
          nearest = Math.min(nearest, term.seek(height))
          interrupt()
        }
        next = Math.max(next, nearest)
      }
      if (next > to) return
      if (next === height) {
        if (positions.length === 0) yield { height, places: undefined }
        else {
          const places = intersect(sets, height, interrupt)
          if (places.length > 0) yield { height, places }
        }
        height++
      } else height = next
    }
  } finally {
    cursor.close()
  }
}
