/** The port to the Merkle Patricia trie: roots of many changes at once, without a node being written. */
import type { Hash } from '../../core/hash.ts'

/**
 * Reads nodes by their path (one nibble a byte), behind a prefix where one is given: with those of keys.ts by their keys
 * in the `trie` column, from the database or a cache in front of it. Several at once, for reads are dearer than hashes.
 */
export interface TrieNodeReader {
  getMany(paths: readonly Uint8Array[]): (Uint8Array | undefined)[]
}

export interface TrieChange {
  /** keccak256 of the key (a secure trie): 32 bytes. Plain tries of transactions use their own function. */
  readonly key: Uint8Array
  /** RLP or raw bytes stored in the leaf; undefined deletes. Never empty. */
  readonly value: Uint8Array | undefined
}

export interface TrieUpdate {
  readonly root: Hash
  /**
   * Nodes to write (RLP) or delete (undefined), by bytesToKey of prefix and path. Only nodes of 32 bytes or more, and
   * the root.
   */
  readonly nodes: ReadonlyMap<string, Uint8Array | undefined>
  /** What stood at those keys before; nothing where a key is left out. */
  readonly before: ReadonlyMap<string, Uint8Array>
}
