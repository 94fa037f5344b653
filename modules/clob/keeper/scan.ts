/** All values below a prefix, read in pages: for loading, exports and invariants, never in a block. */
import { concatBytes } from '../../../core/bytes.ts'
import type { StateReader } from '../../../store/state.ts'
import { CLOB_ACCOUNT } from '../keys.ts'

const PAGE = 1_000
const NEXT = Uint8Array.of(0)

export function* scanValues(
  state: StateReader,
  prefix: Uint8Array,
): Generator<readonly [key: Uint8Array, value: Uint8Array], void> {
  for (let start = prefix; ; ) {
    const page = state.values(CLOB_ACCOUNT, prefix, PAGE, start)
    yield* page
    const last = page.at(-1)?.[0]
    if (last === undefined || page.length < PAGE) return
    start = concatBytes(last, NEXT)
  }
}
