/** Reading many keys at once, and indices by heights. */
import { compareBytes, concatBytes, uint64ToBytes } from '../../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { PRESENT, STAKING_ADDRESS } from '../keys.ts'

/** Where an index by heights begins with a height. */
const sinceStart = (prefix: Uint8Array, height: number): Uint8Array =>
  concatBytes(prefix, uint64ToBytes(Math.max(0, height)))

/** What follows prefix, validator and height in the keys of an index by heights, from a height (inclusive) on, ascending. */
export const readSince = (state: StateReader, prefix: Uint8Array, height: number): readonly Uint8Array[] => {
  const start = sinceStart(prefix, height)
  return [...readAll(state, prefix, start)].map(([key]) => key.slice(start.length)).sort(compareBytes)
}

/** At most `limit` whole keys of such an index in their order, behind `last` where that is not empty. */
export const readKeysSince = (
  state: StateReader,
  prefix: Uint8Array,
  height: number,
  last: Uint8Array,
  limit: number,
): readonly Uint8Array[] => {
  const start = last.length === 0 ? sinceStart(prefix, height) : concatBytes(last, Uint8Array.of(0))
  return state.values(STAKING_ADDRESS, prefix, limit, start).map(([key]) => key.slice())
}

/** Moves the key of a record to the height of its newest entry. */
export const followNewest = (
  state: StateWriter,
  keyAt: (height: number) => Uint8Array,
  before: readonly { readonly creationHeight: number }[],
  after: readonly { readonly creationHeight: number }[],
): void => {
  const newest = (entries: typeof before): number | undefined =>
    entries.length === 0 ? undefined : Math.max(...entries.map(({ creationHeight }) => creationHeight))
  const [from, to] = [newest(before), newest(after)]
  if (from === to) return
  if (from !== undefined) state.setValue(STAKING_ADDRESS, keyAt(from), undefined)
  if (to !== undefined) state.setValue(STAKING_ADDRESS, keyAt(to), PRESENT)
}

/** Most values read at once. */
const CHUNK = 500

/** Every value under a prefix, from `start` (inclusive) on. What is written meanwhile behind the place is not seen. */
export function* readAll(
  state: StateReader,
  prefix: Uint8Array,
  start: Uint8Array = prefix,
): Generator<readonly [Uint8Array, Uint8Array], void> {
  for (let next = start; ; ) {
    const chunk = state.values(STAKING_ADDRESS, prefix, CHUNK, next)
    yield* chunk
    const last = chunk.at(-1)
    if (last === undefined || chunk.length < CHUNK) return
    next = concatBytes(last[0], Uint8Array.of(0))
  }
}
