/** Many changes of a path-keyed Merkle Patricia trie at once: the new root and the nodes to write. */
import { bytesToKey, equalBytes } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, type Hash } from '../../core/hash.ts'
import { ChangeApplier } from './apply-changes.ts'
import { TrieEncoder } from './encode-trie.ts'
import { TrieLoader } from './load-trie.ts'
import { SortedChanges } from './sorted-changes.ts'
import type { TrieChange, TrieNodeReader, TrieUpdate } from './trie.ts'

export interface UpdateTrieOptions {
  /** Compares the hash of every node read with what its parent says: for checking a database, not for every block. */
  readonly verify?: boolean
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
  if (changes.length === 0) return { root, nodes: new Map() }
  const sorted = new SortedChanges(changes)
  const empty = equalBytes(root, EMPTY_TRIE_ROOT)
  const before = empty ? undefined : new TrieLoader(reader, sorted, options.verify === true).load(root)
  const applier = new ChangeApplier(sorted)
  const after = applier.apply(before, 0, sorted.count, 0)
  const encoder = new TrieEncoder(sorted.maxLength, true)
  const newRoot = after === undefined ? EMPTY_TRIE_ROOT : encoder.root(after)
  const { nodes } = encoder
  for (const path of applier.vacated) {
    const key = bytesToKey(path)
    if (!nodes.has(key)) nodes.set(key, undefined)
  }
  return { root: newRoot, nodes }
}
