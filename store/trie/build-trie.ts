/** A subtree out of sorted changes alone, where the trie has nothing yet. */
import { newBranch, newExtension, newLeaf, type TrieNode } from './node.ts'
import type { SortedChanges } from './sorted-changes.ts'

/** The node at `depth` that holds the values of the changes from `from` to `to`; undefined when all of them delete. */
export const buildTrie = (changes: SortedChanges, from: number, to: number, depth: number): TrieNode | undefined => {
  let low = from
  let high = to
  while (low < high && changes.isDeletion(low)) low++
  while (low < high && changes.isDeletion(high - 1)) high--
  const value = changes.value(low)
  if (low === high || value === undefined) return undefined
  if (high - low === 1) return newLeaf(changes.rest(low, depth), value)
  // Sorted: what the first and the last key share, all share.
  const common = changes.commonLength(low, depth, changes.rest(high - 1, depth))
  const below = depth + common
  const branch = newBranch()
  let at = low
  if (changes.length(low) === below) {
    branch.value = value
    at++
  }
  while (at < high) {
    const end = changes.groupEnd(at, high, below)
    branch.children[changes.nibble(at, below)] = buildTrie(changes, at, end, below + 1) ?? null
    at = end
  }
  return common === 0 ? branch : newExtension(changes.path(low, depth, below), branch)
}
