/** Roots of lists: the trie that maps rlp(index) to each value, as headers commit to transactions and receipts. */
import { bigintToBytes } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, type Hash } from '../../core/hash.ts'
import { encodeRlp } from '../../core/rlp.ts'
import { buildTrie } from './build-trie.ts'
import { TrieEncoder } from './encode-trie.ts'
import { SortedChanges } from './sorted-changes.ts'

/** Values as they stand in the block (typed transactions and receipts with their type byte); none is empty. */
export const orderedTrieRoot = (values: readonly Uint8Array[]): Hash => {
  if (values.length === 0) return EMPTY_TRIE_ROOT
  const changes = new SortedChanges(
    values.map((value, index) => ({ key: encodeRlp(bigintToBytes(BigInt(index))), value })),
  )
  const root = buildTrie(changes, 0, changes.count, 0)
  return root === undefined ? EMPTY_TRIE_ROOT : new TrieEncoder(changes.maxLength, false).root(root)
}
