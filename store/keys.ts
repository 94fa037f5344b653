/**
 * Every key of the database and its layout. Integers are big-endian, so that keys sort by height.
 *
 * meta          "format"                           number of this layout: format.ts
 *               "chain"                            facts of the genesis, JSON: app/index/chain-reader.ts
 *               "height"                           the committed height(8)
 *               "base"  "kept"                     lowest block; heights whose state is kept: kept-range.ts
 *               "sweep"                            where pruning goes on: sweep.ts
 *               "rollback"                         target of a rollback that is under way: rollback.ts
 *               "restore"  "restore/block/" key    progress and staged block of a restore: snapshot/
 * state         a address(20)                      account: RLP [nonce, balance, storageRoot or "", codeHash or ""]
 *               s address(20) slot(32)             storage value without leading zeros
 *               v system(20) key                   a module's value
 * history       state key, terminated, height(8)   the value before that height: 0x00 absent, 0x01 value
 * trie          A path                             node of the account trie, one nibble a byte
 *               S keccak(address)(32) path         node of a storage trie
 * trie_history  trie key, packed, height(8)        what the node was before that height: see trie-history.ts
 * blocks        h height(8)                        header with its facts: app/records/records.ts, also of the next two
 *               b height(8)                        body: transactions of the Ethereum block with their senders
 *               r height(8)                        receipts
 *               b or r height(8) page(4)           a part of a large body, or of large receipts: app/records/paged-items.ts
 *               f height(8)                        FinalizeBlock request: app/index/finalize-request.ts
 *               n height(8)                        results of the native transactions; left out without any
 *               c height(8)                        transactions shown to clients: before(8), through(8) it
 *               e height(8)                        events of the block and what no receipt tells: app/index/block-outcome.ts
 *               p height(8)                        header RLP of a block before the snapshot that began this database
 * index         H block hash(32)                   height(8)
 *               T transaction hash(32)             height(8) index(4) in the Ethereum block
 *               N sha256 of a native one(32)       height(8) index(4) among all transactions of the block
 *               L kind(1) value prefix(12) height(8)   log postings, see app/index
 */
import type { Address } from '../core/address.ts'
import { concatBytes, uint64ToBytes, utf8ToBytes } from '../core/bytes.ts'
import type { Hash } from '../core/hash.ts'

const tag = (letter: string): Uint8Array => Uint8Array.of(letter.charCodeAt(0))

/** Column `meta`. */
export const FORMAT_KEY = utf8ToBytes('format')

const ACCOUNT = tag('a')
const STORAGE = tag('s')
const VALUE = tag('v')
const ACCOUNT_TRIE = tag('A')
const STORAGE_TRIE = tag('S')

export const accountKey = (address: Address): Uint8Array => concatBytes(ACCOUNT, address)
export const storageKey = (address: Address, slot: Uint8Array): Uint8Array => concatBytes(STORAGE, address, slot)
export const storagePrefix = (address: Address): Uint8Array => concatBytes(STORAGE, address)
export const valueKey = (system: Address, key: Uint8Array): Uint8Array => concatBytes(VALUE, system, key)

/**
 * Tells whether an address keeps values of a module, and so no storage slots: in the trie the two look alike, and only the
 * address says which they are.
 */
export type IsModule = (address: Address) => boolean

/** Bytes before the path in the keys of nodes. */
export const ACCOUNT_TRIE_PREFIX_BYTES = 1
export const STORAGE_TRIE_PREFIX_BYTES = 33

export const isAccountTrieKey = (key: Uint8Array): boolean => key[0] === ACCOUNT_TRIE[0]
export const accountTriePath = (path: Uint8Array): Uint8Array => concatBytes(ACCOUNT_TRIE, path)
export const storageTriePath = (accountHash: Hash, path: Uint8Array): Uint8Array =>
  concatBytes(STORAGE_TRIE, accountHash, path)

/**
 * Escapes zero bytes and ends with 0x00 0x01, so that no key is a prefix of another and order is kept: history of
 * one key is one contiguous run.
 */
export const terminated = (key: Uint8Array): Uint8Array => {
  let zeros = 0
  for (const byte of key) if (byte === 0) zeros++
  const out = new Uint8Array(key.length + zeros + 2)
  let at = 0
  for (const byte of key) {
    out[at++] = byte
    if (byte === 0) out[at++] = 0xff
  }
  out[at] = 0
  out[at + 1] = 1
  return out
}

/** The inverse of {@link terminated} for a key followed by `suffix` bytes. */
export const unterminated = (encoded: Uint8Array, suffix: number): Uint8Array => {
  const end = encoded.length - suffix - 2
  const out = new Uint8Array(end)
  let length = 0
  for (let at = 0; at < end; at++) {
    out[length++] = encoded[at] as number
    if (encoded[at] === 0) at++
  }
  return out.subarray(0, length)
}

export const historyKey = (key: Uint8Array, height: number): Uint8Array =>
  concatBytes(terminated(key), uint64ToBytes(height))

/** The smallest key after every key that starts with `prefix`; undefined when there is none. */
export const prefixEnd = (prefix: Uint8Array): Uint8Array | undefined => {
  for (let i = prefix.length - 1; i >= 0; i--) {
    const byte = prefix[i] as number
    if (byte < 0xff) {
      const out = prefix.slice(0, i + 1)
      out[i] = byte + 1
      return out
    }
  }
  return undefined
}

export const headerKey = (height: number): Uint8Array => concatBytes(tag('h'), uint64ToBytes(height))
export const bodyKey = (height: number): Uint8Array => concatBytes(tag('b'), uint64ToBytes(height))
export const receiptsKey = (height: number): Uint8Array => concatBytes(tag('r'), uint64ToBytes(height))
export const finalizeRequestKey = (height: number): Uint8Array => concatBytes(tag('f'), uint64ToBytes(height))
export const nativeResultsKey = (height: number): Uint8Array => concatBytes(tag('n'), uint64ToBytes(height))
export const shownCountKey = (height: number): Uint8Array => concatBytes(tag('c'), uint64ToBytes(height))
export const blockOutcomeKey = (height: number): Uint8Array => concatBytes(tag('e'), uint64ToBytes(height))
export const ancestorHeaderKey = (height: number): Uint8Array => concatBytes(tag('p'), uint64ToBytes(height))

export const blockHashKey = (hash: Hash): Uint8Array => concatBytes(tag('H'), hash)
export const transactionHashKey = (hash: Hash): Uint8Array => concatBytes(tag('T'), hash)
export const nativeHashKey = (hash: Hash): Uint8Array => concatBytes(tag('N'), hash)
