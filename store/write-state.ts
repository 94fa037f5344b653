/** The state part of a block's one atomic write: flat values, code, trie nodes, and what was there before. */
import { bytesToKey, concatBytes, keyToBytes } from '../core/bytes.ts'
import { encodeAccount } from './account-codec.ts'
import type { Commitment } from './commitment.ts'
import { accountKey, historyKey, storageKey, valueKey } from './keys.ts'
import type { Batch } from './store.ts'
import { encodeNodeHistory, trieHistoryKey } from './trie-history.ts'

const HELD = Uint8Array.of(1)
const ABSENT = Uint8Array.of(0)

const present = (value: Uint8Array): Uint8Array | undefined => (value.length === 0 ? undefined : value)

class CommitmentWriter {
  readonly #batch: Batch
  readonly #height: number

  constructor(batch: Batch, height: number) {
    this.#batch = batch
    this.#height = height
  }

  write(commitment: Commitment): void {
    for (const { address, before, after } of commitment.accounts) {
      this.#writeKey(accountKey(address), before && encodeAccount(before), after && encodeAccount(after))
    }
    for (const { address, slot, before, after } of commitment.slots) {
      this.#writeKey(storageKey(address, slot), present(before), present(after))
    }
    for (const { system, key, before, after } of commitment.values) {
      this.#writeKey(valueKey(system, key), before, after)
    }
    for (const [hash, code] of commitment.codes) this.#batch.put('code', keyToBytes(hash), code)
    this.#writeNodes(commitment)
  }

  #writeKey(key: Uint8Array, before: Uint8Array | undefined, after: Uint8Array | undefined): void {
    this.#batch.put('history', historyKey(key, this.#height), before === undefined ? ABSENT : concatBytes(HELD, before))
    if (after === undefined) this.#batch.delete('state', key)
    else this.#batch.put('state', key, after)
  }

  #writeNodes({ accounts, nodes, nodesBefore }: Commitment): void {
    const addresses = new Map(accounts.map(({ address, hash }) => [bytesToKey(hash), address]))
    for (const [name, after] of nodes) {
      const key = keyToBytes(name)
      const entry = encodeNodeHistory(key, this.#height, nodesBefore.get(name), after, addresses)
      this.#batch.put('trie_history', trieHistoryKey(key, this.#height), entry)
      if (after === undefined) this.#batch.delete('trie', key)
      else this.#batch.put('trie', key, after)
    }
  }
}

/** Adds what `commitment` changed to `batch`; what was there before goes to the history of `height`. */
export const writeState = (batch: Batch, height: number, commitment: Commitment): void =>
  new CommitmentWriter(batch, height).write(commitment)
