/** Reading many keys. */
import { concatBytes } from '../../../core/bytes.ts'
import type { StateReader } from '../../../store/state.ts'
import { GOV_ADDRESS } from '../keys.ts'

/** Values read at once. */
const CHUNK = 1_000

/** Every value under a prefix in the order of keys, from `start` (inclusive) on. */
export function* readAll(
  state: StateReader,
  prefix: Uint8Array,
  start: Uint8Array = prefix,
): Generator<readonly [Uint8Array, Uint8Array], void> {
  for (let next = start; ; ) {
    const page = state.values(GOV_ADDRESS, prefix, CHUNK, next)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < CHUNK) return
    next = concatBytes(last[0], Uint8Array.of(0))
  }
}
