/**
 * A binary tree of keccak-256 with 2^32 places, of which the first `size` are taken and the others are zero. Nodes all of whose places
 * are taken never change: they are stored once, and with them the root and every proof of each size are made of few reads.
 */
import { keccak256 } from './hash.ts'

export const TREE_DEPTH = 32

/** Nodes by level (0: the leaves) and index. Only those are asked for of which all places are taken. */
export type CompleteNodes = (level: number, index: number) => Uint8Array

/** Roots of trees without leaves, by level. */
const EMPTY: readonly Uint8Array[] = ((): readonly Uint8Array[] => {
  const roots: Uint8Array[] = [new Uint8Array(32)]
  for (let level = 0; level < TREE_DEPTH; level++) {
    const below = roots[level] ?? new Uint8Array(32)
    roots.push(keccak256(below, below))
  }
  return roots
})()
const emptyAt = (level: number): Uint8Array => EMPTY[level] ?? new Uint8Array(32)

/**
 * The nodes that a leaf at place `size` completes, itself first: what is to be stored. At most 33, and two on average.
 */
export function* appendedNodes(
  size: number,
  leaf: Uint8Array,
  nodes: CompleteNodes,
): Generator<{ readonly level: number; readonly index: number; readonly node: Uint8Array }, void> {
  let [level, index, node] = [0, size, leaf]
  yield { level, index, node }
  while (index % 2 === 1 && level < TREE_DEPTH) {
    node = keccak256(nodes(level, index - 1), node)
    index = (index - 1) / 2
    level++
    yield { level, index, node }
  }
}

/** The nodes on the way from place `size` to the root, one a level, as the places below `size` make them. */
const rightEdge = (size: number, nodes: CompleteNodes): readonly Uint8Array[] => {
  const edge = [emptyAt(0)]
  for (let level = 1; level <= TREE_DEPTH; level++) {
    const below = edge[level - 1] ?? emptyAt(level - 1)
    const index = Math.floor(size / 2 ** (level - 1))
    edge.push(index % 2 === 1 ? keccak256(nodes(level - 1, index - 1), below) : keccak256(below, emptyAt(level - 1)))
  }
  return edge
}

/** The root of the first `size` leaves, below 2^32. It takes at most 32 reads and 32 hashes. */
export const treeRoot = (size: number, nodes: CompleteNodes): Uint8Array =>
  rightEdge(size, nodes)[TREE_DEPTH] ?? emptyAt(TREE_DEPTH)

/** The 32 siblings from the leaf `index` upwards, under the root of the first `size` leaves; `index` is below `size`. */
export const treeProof = (index: number, size: number, nodes: CompleteNodes): readonly Uint8Array[] => {
  const edge = rightEdge(size, nodes)
  return Array.from({ length: TREE_DEPTH }, (_, level) => {
    const own = Math.floor(index / 2 ** level)
    const sibling = own % 2 === 0 ? own + 1 : own - 1
    const taken = size / 2 ** level
    if (sibling + 1 <= taken) return nodes(level, sibling)
    return sibling === Math.floor(taken) ? (edge[level] ?? emptyAt(level)) : emptyAt(level)
  })
}
