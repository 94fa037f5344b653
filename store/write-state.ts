/** The state part of a block's one atomic write: flat values, their history, code and trie nodes. */
import { concatBytes, keyToBytes } from '../core/bytes.ts'
import { encodeAccount } from './account-codec.ts'
import type { Commitment } from './commitment.ts'
import { accountKey, historyKey, storageKey, valueKey } from './keys.ts'
import type { Batch } from './store.ts'

const HELD = Uint8Array.of(1)
const ABSENT = Uint8Array.of(0)

const writeKey = (
  batch: Batch,
  height: number,
  key: Uint8Array,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
): void => {
  batch.put('history', historyKey(key, height), before === undefined ? ABSENT : concatBytes(HELD, before))
  if (after === undefined) batch.delete('state', key)
  else batch.put('state', key, after)
}

const present = (value: Uint8Array): Uint8Array | undefined => (value.length === 0 ? undefined : value)

/** Adds what `commitment` changed to `batch`; what was there before goes to the history of `height`. */
export const writeState = (batch: Batch, height: number, commitment: Commitment): void => {
  for (const { address, before, after } of commitment.accounts) {
    writeKey(batch, height, accountKey(address), before && encodeAccount(before), after && encodeAccount(after))
  }
  for (const { address, slot, before, after } of commitment.slots) {
    writeKey(batch, height, storageKey(address, slot), present(before), present(after))
  }
  for (const { system, key, before, after } of commitment.values) {
    writeKey(batch, height, valueKey(system, key), before, after)
  }
  for (const [hash, code] of commitment.codes) batch.put('code', keyToBytes(hash), code)
  for (const [key, node] of commitment.nodes) {
    if (node === undefined) batch.delete('trie', keyToBytes(key))
    else batch.put('trie', keyToBytes(key), node)
  }
}
