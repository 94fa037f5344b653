/**
 * A range of values over a base: what a block wrote goes before what it found. Of values that it has deleted there may be tens of
 * thousands side by side, as of orders; whoever looks behind them again must not pass over all of them again.
 */
import type { Address } from '../core/address.ts'
import { bytesToKey, concatBytes, keyToBytes } from '../core/bytes.ts'
import { prefixEnd } from './keys.ts'
import type { StateReader } from './state.ts'
import type { WrittenValues } from './written-values.ts'

type Entry = readonly [Uint8Array, Uint8Array]

interface BaseEntry {
  readonly key: string
  readonly entry: Entry
}

/** Values of the base read at once where the block has deleted those before them. */
const PAGE = 256

/** Deleted keys in a row that are noted: to pass over fewer costs as little as to look them up. */
const LONG_RUN = 16

/** What is asked for: the first `limit` values below `prefix`. */
export interface Range {
  readonly system: Address
  readonly prefix: Uint8Array
  readonly limit: number
}

/** Values of the base until nobody asks for more: how many of them the block has deleted is not known before. */
function* readInPages(
  base: StateReader,
  { system, prefix, limit }: Range,
  start: Uint8Array,
): Generator<BaseEntry, undefined> {
  // One more than wanted: who takes them all has looked at the next one too.
  for (let next = start, pageSize = limit + 1; ; pageSize = Math.max(PAGE, limit)) {
    const page = base.values(system, prefix, pageSize, next)
    for (const entry of page) yield { key: bytesToKey(entry[0]), entry }
    const last = page.at(-1)?.[0]
    if (last === undefined || page.length < pageSize) return
    next = concatBytes(last, Uint8Array.of(0))
  }
}

/** Base and block in one order; without a value where the block has deleted it. */
function* merge(
  base: StateReader,
  written: WrittenValues,
  range: Range,
  from: string,
): Generator<readonly [key: string, entry: Entry | undefined], void> {
  const olds = readInPages(base, range, keyToBytes(from))
  let old = olds.next().value
  for (const [key, value] of written.range(bytesToKey(range.prefix), from)) {
    for (; old !== undefined && old.key < key; old = olds.next().value) yield [old.key, old.entry]
    if (old?.key === key) old = olds.next().value
    yield [key, value === undefined ? undefined : [keyToBytes(key), value]]
  }
  for (; old !== undefined; old = olds.next().value) yield [old.key, old.entry]
}

/** Adds to `out` from a key on. Ends where a run begins that is known already: at its end, from which it goes on. */
const readUntilRun = (
  base: StateReader,
  written: WrittenValues,
  range: Range,
  from: string,
  out: Entry[],
): string | undefined => {
  let [deleted, first] = [0, from]
  const note = (end: string): void => {
    if (deleted >= LONG_RUN) written.noteDeleted(first, end)
  }
  for (const [key, entry] of merge(base, written, range, from)) {
    if (entry !== undefined) {
      note(key)
      deleted = 0
      out.push(entry)
      if (out.length >= range.limit) return undefined
      continue
    }
    if (deleted === 0) first = key
    const end = written.endOfDeleted(key)
    if (end !== undefined) {
      if (deleted > 0) written.noteDeleted(first, end)
      return end
    }
    deleted++
  }
  const end = prefixEnd(range.prefix)
  if (end !== undefined) note(bytesToKey(end))
  return undefined
}

/** `limit` is above zero. */
export const mergedValues = (base: StateReader, written: WrittenValues, range: Range, start: Uint8Array): Entry[] => {
  const prefix = bytesToKey(range.prefix)
  const startKey = bytesToKey(start)
  const out: Entry[] = []
  for (let from: string | undefined = startKey > prefix ? startKey : prefix; from?.startsWith(prefix); ) {
    from = readUntilRun(base, written, range, from, out)
  }
  return out
}
