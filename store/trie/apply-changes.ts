/** Applies sorted changes to the loaded part of a trie. */
import { concatBytes, equalBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { buildTrie } from './build-trie.ts'
import {
  BRANCH,
  BRANCH_WIDTH,
  branchOffsets,
  EMPTY_ITEM,
  isHashReference,
  newBranch,
  newExtension,
  newLeaf,
  parseNode,
  SHORT,
  type BranchNode,
  type ShortNode,
  type TrieNode,
} from './node.ts'
import type { SortedChanges } from './sorted-changes.ts'

/**
 * Every function works on the node at `depth` nibbles below the root, on the path that the changes from `low` to
 * `high` share. It returns the node that stands there afterwards: the same object when it changed in place or not at
 * all, a new one, or undefined for none.
 */
export class ChangeApplier {
  readonly #changes: SortedChanges
  readonly #offsets = new Int32Array(BRANCH_WIDTH + 1)
  /** Nodes of the database that are no longer there (another may take the place of one), with their keys. */
  readonly vacated: { readonly key: Uint8Array; readonly node: Uint8Array }[] = []

  constructor(changes: SortedChanges) {
    this.#changes = changes
  }

  apply(node: TrieNode | undefined, low: number, high: number, depth: number): TrieNode | undefined {
    if (node === undefined) return buildTrie(this.#changes, low, high, depth)
    const after =
      node.kind === BRANCH ? this.#applyToBranch(node, low, high, depth) : this.#applyToShort(node, low, high, depth)
    if (after !== node && node.stored !== undefined) {
      if (after === undefined) this.vacated.push({ key: this.#changes.nodeKey(low, depth), node: node.stored })
      else after.stored = node.stored
    }
    return after
  }

  /** `mayShrink` tells of a new branch that it holds less than two things yet. */
  #applyToBranch(
    branch: BranchNode,
    from: number,
    high: number,
    depth: number,
    mayShrink = false,
  ): TrieNode | undefined {
    let low = from
    let shrunk = mayShrink
    if (this.#changes.length(low) === depth) {
      const value = this.#changes.value(low++)
      shrunk ||= value === undefined && branch.value !== undefined
      if (!sameValue(value, branch.value)) branch.ref = undefined
      branch.value = value
    }
    while (low < high) {
      const nibble = this.#changes.nibble(low, depth)
      const end = this.#changes.groupEnd(low, high, depth)
      const held = branch.children[nibble]
      invariant(!(held instanceof Uint8Array), 'a trie node that changes was not read')
      const before = held ?? undefined
      const after = this.apply(before, low, end, depth + 1)
      if (after !== before || after?.ref === undefined) {
        // An absent key was deleted: nothing there before, nothing after.
        if (before !== undefined || after !== undefined) branch.ref = undefined
        branch.children[nibble] = after ?? null
        if (after === undefined && before !== undefined) shrunk = true
      }
      low = end
    }
    return shrunk ? this.#shrink(branch, from, depth) : branch
  }

  /** A branch must hold two things: with one it becomes a leaf or an extension, with none it goes. */
  #shrink(branch: BranchNode, low: number, depth: number): TrieNode | undefined {
    let only: number | undefined
    if (branch.raw !== undefined) branchOffsets(branch.raw, this.#offsets)
    for (let i = 0; i < BRANCH_WIDTH; i++) {
      const child = branch.children[i]
      const present = child === undefined ? branch.raw?.[this.#offsets[i] as number] !== EMPTY_ITEM : child !== null
      if (!present) continue
      if (only !== undefined || branch.value !== undefined) return branch
      only = i
    }
    if (only === undefined) return branch.value === undefined ? undefined : newLeaf(new Uint8Array(0), branch.value)
    const child = this.#readChild(branch, only)
    const nibble = Uint8Array.of(only)
    return this.#joined(nibble, child, concatBytes(this.#changes.nodeKey(low, depth), nibble))
  }

  #readChild(branch: BranchNode, nibble: number): TrieNode {
    const child = branch.children[nibble]
    if (child === undefined && branch.raw !== undefined) {
      const embedded = branch.raw.subarray(this.#offsets[nibble], this.#offsets[nibble + 1])
      return parseEmbedded(embedded)
    }
    invariant(child !== null && child !== undefined, 'a branch lost a child')
    return child instanceof Uint8Array ? parseEmbedded(child) : child
  }

  /** `child`, which stood at `childKey`, with `path` before it. */
  #joined(path: Uint8Array, child: TrieNode, childKey: Uint8Array): ShortNode {
    if (child.kind === BRANCH) return newExtension(path, child)
    if (child.stored !== undefined) this.vacated.push({ key: childKey, node: child.stored })
    const joined = concatBytes(path, child.path)
    if (child.value !== undefined) return newLeaf(joined, child.value)
    invariant(child.child !== undefined, 'a trie node is neither leaf nor extension')
    return newExtension(joined, child.child)
  }

  #applyToShort(node: ShortNode, from: number, to: number, depth: number): TrieNode | undefined {
    let low = from
    let high = to
    // Deletions of absent keys must not split the path.
    while (low < high && this.#changes.isDeletion(low) && !this.#passes(low, depth, node)) low++
    while (low < high && this.#changes.isDeletion(high - 1) && !this.#passes(high - 1, depth, node)) high--
    if (low === high) return node
    const common = Math.min(
      this.#changes.commonLength(low, depth, node.path),
      this.#changes.commonLength(high - 1, depth, node.path),
    )
    if (common < node.path.length) return this.#split(node, common, low, high, depth)
    return node.value === undefined
      ? this.#applyToExtension(node, low, high, depth)
      : this.#applyToLeaf(node, node.value, low, high, depth)
  }

  #passes(index: number, depth: number, node: ShortNode): boolean {
    return this.#changes.commonLength(index, depth, node.path) === node.path.length
  }

  #applyToExtension(node: ShortNode, low: number, high: number, depth: number): TrieNode | undefined {
    const { child, path } = node
    invariant(child !== undefined && !(child instanceof Uint8Array), 'a trie node that changes was not read')
    const below = depth + path.length
    const after = this.apply(child, low, high, below)
    if (after === undefined) return undefined
    if (after.kind === SHORT) return this.#joined(path, after, this.#changes.nodeKey(low, below))
    if (after.ref === undefined) node.ref = undefined
    node.child = after
    return node
  }

  /** All keys begin with the leaf's. The first may be equal; longer ones exist only outside secure tries. */
  #applyToLeaf(leaf: ShortNode, held: Uint8Array, low: number, high: number, depth: number): TrieNode | undefined {
    const below = depth + leaf.path.length
    const exact = this.#changes.length(low) === below
    const value = exact ? this.#changes.value(low) : held
    const rest = exact ? low + 1 : low
    if (this.#changes.onlyDeletions(rest, high)) {
      if (value === undefined) return undefined
      return equalBytes(value, held) ? leaf : newLeaf(leaf.path, value)
    }
    const branch = newBranch()
    branch.value = value
    const after = this.#applyToBranch(branch, rest, high, below, true)
    return after === undefined ? undefined : this.#under(leaf.path, after, low, below)
  }

  /** Some put leaves the path of `node` after `common` nibbles: a branch stands there. */
  #split(node: ShortNode, common: number, low: number, high: number, depth: number): TrieNode | undefined {
    const below = depth + common
    const branch = newBranch()
    const tail = node.path.subarray(common + 1)
    const nibble = node.path[common] as number
    if (node.value !== undefined) branch.children[nibble] = newLeaf(tail, node.value)
    else if (node.child !== undefined) {
      branch.children[nibble] = tail.length > 0 ? newExtension(tail, node.child) : node.child
    }
    const after = this.#applyToBranch(branch, low, high, below)
    return after === undefined ? undefined : this.#under(node.path.subarray(0, common), after, low, below)
  }

  #under(path: Uint8Array, node: TrieNode, low: number, depth: number): TrieNode {
    return path.length === 0 ? node : this.#joined(path, node, this.#changes.nodeKey(low, depth))
  }
}

const sameValue = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === undefined || b === undefined ? a === b : equalBytes(a, b)

const parseEmbedded = (ref: Uint8Array): TrieNode => {
  invariant(!isHashReference(ref) && (ref[0] ?? 0) >= 0xc0, 'the sibling of a deleted trie node was not read')
  return parseNode(ref, ref, false)
}
