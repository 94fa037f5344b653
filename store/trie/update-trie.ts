/** Many changes of a path-keyed Merkle Patricia trie at once: the new root and the nodes to write. */
import { bytesToKey, EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, type Hash } from '../../core/hash.ts'
import { ChangeApplier } from './apply-changes.ts'
import { TrieEncoder } from './encode-trie.ts'
import { TrieLoader } from './load-trie.ts'
import { SortedChanges } from './sorted-changes.ts'
import type { TrieChange, TrieNodeReader, TrieUpdate } from './trie.ts'

export interface UpdateTrieOptions {
  /** Compares the hash of every node read with what its parent says: for checking a database, not for every block. */
  readonly verify?: boolean
  /** Stands before the path in the key of every node, where they are read and in what is returned; empty when left out. */
  readonly prefix?: Uint8Array
}

/**
 * The trie under `root` after `changes` (in any order, keys unique). Nothing is written, so that several candidates
 * can stand on the same base; `nodes` holds what turns the base into this one.
 *
 * Three passes: read every node that a change passes through, level by level; apply; encode and hash from below.
 * Keys may differ in length, and one may be a prefix of another (a plain trie); those of a secure trie have 32 bytes.
 * A node that the parent names and the reader does not have breaks an invariant.
 */
export const updateTrie = (
  reader: TrieNodeReader,
  root: Hash,
  changes: readonly TrieChange[],
  options: UpdateTrieOptions = {},
): TrieUpdate => {
  if (changes.length === 0) return { root, nodes: new Map(), before: new Map() }
  const { prefix = EMPTY_BYTES, verify = false } = options
  const sorted = new SortedChanges(changes, prefix)
  const empty = equalBytes(root, EMPTY_TRIE_ROOT)
  const loaded = empty ? undefined : new TrieLoader(reader, sorted, verify).load(root)
  const applier = new ChangeApplier(sorted)
  const changed = applier.apply(loaded, 0, sorted.count, 0)
  const encoder = new TrieEncoder(sorted.maxLength, true, prefix)
  const newRoot = changed === undefined ? EMPTY_TRIE_ROOT : encoder.root(changed)
  const { nodes, before } = encoder
  for (const { key: bytes, node } of applier.vacated) {
    const key = bytesToKey(bytes)
    if (!nodes.has(key)) nodes.set(key, undefined)
    before.set(key, node)
  }
  return { root: newRoot, nodes, before }
}
