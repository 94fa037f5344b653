/** An immutable balanced tree (AVL) of entries by string key: every version stays readable, so a view costs nothing. */
import type { Entry } from '../store.ts'

export interface SortedTree {
  readonly key: string
  readonly entry: Entry
  readonly left: SortedTree | undefined
  readonly right: SortedTree | undefined
  readonly depth: number
}

type Tree = SortedTree | undefined

const depthOf = (tree: Tree): number => tree?.depth ?? 0

const node = (at: SortedTree, left: Tree, right: Tree): SortedTree => ({
  key: at.key,
  entry: at.entry,
  left,
  right,
  depth: 1 + Math.max(depthOf(left), depthOf(right)),
})

const rotateRight = (at: SortedTree, left: SortedTree, right: Tree): SortedTree =>
  node(left, left.left, node(at, left.right, right))

const rotateLeft = (at: SortedTree, left: Tree, right: SortedTree): SortedTree =>
  node(right, node(at, left, right.left), right.right)

/** A node whose subtrees differ in depth by at most two becomes balanced. */
const balanced = (at: SortedTree, left: Tree, right: Tree): SortedTree => {
  const lean = depthOf(left) - depthOf(right)
  if (lean > 1 && left !== undefined) {
    const inner = left.right
    const outer = inner !== undefined && depthOf(left.left) < depthOf(inner) ? rotateLeft(left, left.left, inner) : left
    return rotateRight(at, outer, right)
  }
  if (lean < -1 && right !== undefined) {
    const inner = right.left
    const outer =
      inner !== undefined && depthOf(right.right) < depthOf(inner) ? rotateRight(right, inner, right.right) : right
    return rotateLeft(at, left, outer)
  }
  return node(at, left, right)
}

export const find = (tree: Tree, key: string): Entry | undefined => {
  let at = tree
  while (at !== undefined && at.key !== key) at = key < at.key ? at.left : at.right
  return at?.entry
}

export const insert = (tree: Tree, key: string, entry: Entry): SortedTree => {
  if (tree === undefined) return { key, entry, left: undefined, right: undefined, depth: 1 }
  if (key === tree.key) return { ...tree, entry }
  return key < tree.key
    ? balanced(tree, insert(tree.left, key, entry), tree.right)
    : balanced(tree, tree.left, insert(tree.right, key, entry))
}

const first = (tree: SortedTree): SortedTree => (tree.left === undefined ? tree : first(tree.left))

export const remove = (tree: Tree, key: string): Tree => {
  if (tree === undefined) return undefined
  if (key < tree.key) return balanced(tree, remove(tree.left, key), tree.right)
  if (key > tree.key) return balanced(tree, tree.left, remove(tree.right, key))
  if (tree.left === undefined || tree.right === undefined) return tree.left ?? tree.right
  const successor = first(tree.right)
  return balanced(successor, tree.left, remove(tree.right, successor.key))
}

/** Entries from `from` on (inclusive; the first one when undefined) in key order. */
export function* ascending(tree: Tree, from: string | undefined): Generator<Entry, undefined> {
  const stack: SortedTree[] = []
  for (let at = tree; at !== undefined; ) {
    if (from !== undefined && at.key < from) at = at.right
    else {
      stack.push(at)
      at = at.left
    }
  }
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    yield at.entry
    for (let below = at.right; below !== undefined; below = below.left) stack.push(below)
  }
}

/** Entries before `before` (exclusive; from the last one when undefined) in reverse key order. */
export function* descending(tree: Tree, before: string | undefined): Generator<Entry, undefined> {
  const stack: SortedTree[] = []
  for (let at = tree; at !== undefined; ) {
    if (before !== undefined && at.key >= before) at = at.left
    else {
      stack.push(at)
      at = at.right
    }
  }
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    yield at.entry
    for (let below = at.left; below !== undefined; below = below.right) stack.push(below)
  }
}
