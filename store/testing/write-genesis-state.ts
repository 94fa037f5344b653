/** The first state of a small database, of one commitment: the node itself writes it in portions (../genesis-state.ts). */
import { keyToBytes } from '../../core/bytes.ts'
import { encodeAccount } from '../account-codec.ts'
import type { Commitment } from '../commitment.ts'
import { accountKey, storageKey, valueKey } from '../keys.ts'
import type { Batch } from '../store.ts'

/** Writes a state without history. Nothing is deleted: there was nothing before. */
export const writeGenesisState = (batch: Batch, { accounts, slots, values, codes, nodes }: Commitment): void => {
  for (const { address, after } of accounts) if (after) batch.put('state', accountKey(address), encodeAccount(after))
  for (const { address, slot, after } of slots) batch.put('state', storageKey(address, slot), after)
  for (const { system, key, after } of values) if (after) batch.put('state', valueKey(system, key), after)
  for (const [hash, code] of codes) batch.put('code', keyToBytes(hash), code)
  for (const [key, node] of nodes) if (node) batch.put('trie', keyToBytes(key), node)
}
