/** Lists of the bridge's store, in the order of keys. */
import { readUint32 } from '../../../core/bytes.ts'
import type { StateReader } from '../../../store/state.ts'
import { BRIDGE_ADDRESS, idKey } from '../keys.ts'

/** Values read at once. */
const CHUNK = 256

/** Lists entries in the order of keys, from `start` (inclusive) on. */
export function* list(
  state: StateReader,
  prefix: Uint8Array,
  start: Uint8Array = prefix,
): Generator<readonly [Uint8Array, Uint8Array], void> {
  for (let from = start; ; ) {
    const chunk = state.values(BRIDGE_ADDRESS, prefix, CHUNK, from)
    yield* chunk
    const last = chunk.at(-1)
    if (last === undefined || chunk.length < CHUNK) return
    from = Uint8Array.of(...last[0], 0)
  }
}

/** Lists entries whose keys end with an id of four bytes, from the id `start` (inclusive) on. */
export function* listById<Value>(
  state: StateReader,
  prefix: Uint8Array,
  decode: (value: Uint8Array) => Value,
  start = 0,
): Generator<readonly [number, Value], void> {
  for (const [key, value] of list(state, prefix, idKey(prefix, start))) {
    yield [readUint32(key, prefix.length), decode(value)]
  }
}
