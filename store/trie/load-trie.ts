/** Reads, level by level, every node that changes can touch. */
import { concatBytes, equalBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { keccak256, type Hash } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import {
  BRANCH,
  BRANCH_WIDTH,
  branchOffsets,
  EMPTY_ITEM,
  isHashReference,
  parseNode,
  readReference,
  type BranchNode,
  type ShortNode,
  type TrieNode,
} from './node.ts'
import type { SortedChanges } from './sorted-changes.ts'
import type { TrieNodeReader } from './trie.ts'

/** A node to read, where to hang it, and the changes that pass through it. */
interface Wanted {
  readonly ref: Uint8Array
  /** Its database key. */
  readonly key: Uint8Array
  readonly attach: BranchNode | ShortNode | undefined
  readonly nibble: number
  readonly low: number
  readonly high: number
  readonly depth: number
}

export class TrieLoader {
  readonly #reader: TrieNodeReader
  readonly #changes: SortedChanges
  /** Whether the hash of every node is compared with what its parent says. */
  readonly #verify: boolean
  readonly #offsets = new Int32Array(BRANCH_WIDTH + 1)
  #wanted: Wanted[] = []
  #root: TrieNode | undefined

  constructor(reader: TrieNodeReader, changes: SortedChanges, verify: boolean) {
    this.#reader = reader
    this.#changes = changes
    this.#verify = verify
  }

  /** The root node with everything below it that the changes need. */
  load(root: Hash): TrieNode | undefined {
    const high = this.#changes.count
    const key = this.#changes.nodeKey(0, 0)
    this.#wanted.push({ ref: root, key, attach: undefined, nibble: 0, low: 0, high, depth: 0 })
    while (this.#wanted.length > 0) {
      const level = this.#wanted
      this.#wanted = []
      const nodes = this.#reader.getMany(level.map((wanted) => wanted.key))
      for (let i = 0; i < level.length; i++) {
        const wanted = level[i] as Wanted
        this.#attach(wanted, this.#parse(wanted, nodes[i]))
      }
    }
    return this.#root
  }

  #parse(wanted: Wanted, raw: Uint8Array | undefined): TrieNode {
    // The message is made for a broken database only: this runs for every node.
    if (raw === undefined) invariant(false, `the trie node at ${bytesToHex(wanted.key)} is missing`)
    invariant(!this.#verify || equalBytes(keccak256(raw), wanted.ref), 'a trie node does not have its hash')
    return parseNode(raw, wanted.ref, true)
  }

  #attach(wanted: Wanted, node: TrieNode): void {
    const { attach } = wanted
    if (attach === undefined) this.#root = node
    else if (attach.kind === BRANCH) attach.children[wanted.nibble] = node
    else attach.child = node
    if (wanted.low === wanted.high) return
    if (node.kind === BRANCH) this.#descendBranch(node, wanted.low, wanted.high, wanted.depth)
    else this.#descendExtension(node, wanted.low, wanted.high, wanted.depth)
  }

  #want(wanted: Wanted): void {
    if (isHashReference(wanted.ref)) this.#wanted.push(wanted)
    else this.#attach(wanted, parseNode(wanted.ref, wanted.ref, false))
  }

  #descendExtension(node: ShortNode, from: number, to: number, depth: number): void {
    const { child, path } = node
    if (!(child instanceof Uint8Array)) return
    let low = from
    let high = to
    while (low < high && this.#changes.commonLength(low, depth, path) < path.length) low++
    while (low < high && this.#changes.commonLength(high - 1, depth, path) < path.length) high--
    if (low === high) return
    const below = depth + path.length
    const key = this.#changes.nodeKey(low, below)
    this.#want({ ref: child, key, attach: node, nibble: 0, low, high, depth: below })
  }

  #descendBranch(node: BranchNode, from: number, high: number, depth: number): void {
    const { raw } = node
    invariant(raw !== undefined, 'a trie node was read without its bytes')
    const offsets = this.#offsets
    branchOffsets(raw, offsets)
    // Collected first: an embedded child descends at once, and uses the same offsets.
    const wanted: Wanted[] = []
    let touched = 0
    // At most one key ends here, and it sorts first.
    let low = this.#changes.length(from) === depth ? from + 1 : from
    while (low < high) {
      const nibble = this.#changes.nibble(low, depth)
      const end = this.#changes.groupEnd(low, high, depth)
      touched |= 1 << nibble
      const ref = readReference(raw, offsets[nibble] as number, offsets[nibble + 1] as number)
      if (ref !== undefined) {
        const key = this.#changes.nodeKey(low, depth + 1)
        wanted.push({ ref, key, attach: node, nibble, low, high: end, depth: depth + 1 })
      }
      low = end
    }
    if (this.#changes.onlyDeletions(from, high)) {
      const nibble = onlySibling(raw, offsets, touched)
      if (nibble !== undefined) {
        const ref = readReference(raw, offsets[nibble] as number, offsets[nibble + 1] as number)
        invariant(ref !== undefined, 'an empty child is no sibling')
        const key = concatBytes(this.#changes.nodeKey(from, depth), Uint8Array.of(nibble))
        wanted.push({ ref, key, attach: node, nibble, low: 0, high: 0, depth: depth + 1 })
      }
    }
    for (const child of wanted) this.#want(child)
  }
}

/** The one child that no change touches: it swallows the branch when all others go. Undefined for more or none. */
const onlySibling = (raw: Uint8Array, offsets: Int32Array, touched: number): number | undefined => {
  let found: number | undefined
  for (let i = 0; i < BRANCH_WIDTH; i++) {
    if ((touched & (1 << i)) !== 0 || raw[offsets[i] as number] === EMPTY_ITEM) continue
    if (found !== undefined) return undefined
    found = i
  }
  return found
}
