/** Entries below a prefix, read in pieces. */
import { concatBytes } from '../../../core/bytes.ts'
import type { StateReader } from '../../../store/state.ts'
import { ERC20_ADDRESS } from '../keys.ts'

const CHUNK = 500

/** Scans entries in the order of keys, from `start` (inclusive) on. */
export function* scanEntries(
  state: StateReader,
  prefix: Uint8Array,
  start: Uint8Array = prefix,
): Generator<readonly [Uint8Array, Uint8Array], void> {
  for (let next = start; ; ) {
    const chunk = state.values(ERC20_ADDRESS, prefix, CHUNK, next)
    yield* chunk
    const last = chunk.at(-1)
    if (last === undefined || chunk.length < CHUNK) return
    next = concatBytes(last[0], Uint8Array.of(0))
  }
}
