/** Reads of the `state` and `code` columns that readers at the head and at a height share. */
import type { Address } from '../core/address.ts'
import { compareBytes, EMPTY_BYTES, equalBytes } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { EMPTY_CODE_HASH, type Hash } from '../core/hash.ts'
import { prefixEnd, valueKey } from './keys.ts'
import type { KeyValueStore } from './store.ts'

/** Length of the tag and the system's address before a module's key. */
export const VALUE_KEY_OFFSET = 21

export const readCode = (store: KeyValueStore, codeHash: Hash): Uint8Array => {
  if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
  const code = store.get('code', codeHash)
  invariant(code !== undefined, 'the code of an account is not in the database')
  return code
}

/** A module's values as they stand in the `state` column now; see StateReader.values. */
export const scanValues = (
  store: KeyValueStore,
  system: Address,
  prefix: Uint8Array,
  limit: number,
  start: Uint8Array,
): (readonly [Uint8Array, Uint8Array])[] => {
  const gte = valueKey(system, compareBytes(start, prefix) < 0 ? prefix : start)
  const lt = prefixEnd(valueKey(system, prefix))
  invariant(lt !== undefined, 'keys of values begin with a tag')
  return store.scan('state', { gte, lt, limit }).map(([key, value]) => [key.subarray(VALUE_KEY_OFFSET), value])
}
