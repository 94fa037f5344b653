/** Encodes and hashes what changed, from the leaves up. */
import { EMPTY_BYTES, viewBuffer } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { keccak256, type Hash } from '../../core/hash.ts'
import { ByteArena } from './byte-arena.ts'
import {
  BRANCH,
  BRANCH_WIDTH,
  branchOffsets,
  EMPTY_ITEM,
  encodeBranch,
  encodeShort,
  readReference,
  referenceLength,
  writeReference,
  type BranchNode,
  type Child,
  type ShortNode,
  type TrieNode,
} from './node.ts'

/** RLP shorter than this stands in the parent instead of its hash. */
const MIN_HASHED_BYTES = 32

export class TrieEncoder {
  /** Changed nodes by database key; undefined deletes one that is embedded in its parent now. */
  readonly nodes = new Map<string, Uint8Array | undefined>()
  /** What the database held at those keys. */
  readonly before = new Map<string, Uint8Array>()
  /** The database key of the node that is being encoded: prefix and path. */
  readonly #key: Buffer
  readonly #prefixLength: number
  readonly #offsets = new Int32Array(BRANCH_WIDTH + 1)
  readonly #arena = new ByteArena()
  readonly #collect: boolean

  /** `maxDepth` is the length in nibbles of the longest changed key. Without `collect` only the root is computed. */
  constructor(maxDepth: number, collect: boolean, prefix: Uint8Array = EMPTY_BYTES) {
    this.#key = viewBuffer(new Uint8Array(prefix.length + maxDepth + 1))
    this.#key.set(prefix)
    this.#prefixLength = prefix.length
    this.#collect = collect
  }

  root(node: TrieNode): Hash {
    if (node.ref !== undefined) return node.ref
    const rlp = this.#encode(node, 0)
    if (this.#collect) this.#note(node, 0, rlp)
    return keccak256(rlp)
  }

  #reference(node: TrieNode, depth: number): Uint8Array {
    if (node.ref !== undefined) return node.ref
    const rlp = this.#encode(node, depth)
    const hashed = rlp.length >= MIN_HASHED_BYTES
    if (this.#collect && (hashed || node.stored !== undefined)) this.#note(node, depth, hashed ? rlp : undefined)
    node.ref = hashed ? keccak256(rlp) : rlp
    return node.ref
  }

  #note(node: TrieNode, depth: number, rlp: Uint8Array | undefined): void {
    const key = this.#key.toString('latin1', 0, this.#prefixLength + depth)
    this.nodes.set(key, rlp)
    if (node.stored !== undefined) this.before.set(key, node.stored)
  }

  #encode(node: TrieNode, depth: number): Uint8Array {
    return node.kind === BRANCH ? this.#encodeBranch(node, depth) : this.#encodeShort(node, depth)
  }

  #encodeShort(node: ShortNode, depth: number): Uint8Array {
    const { path, value, child } = node
    if (value !== undefined) return encodeShort(this.#arena, path, value, undefined)
    invariant(child !== undefined, 'a trie node is neither leaf nor extension')
    if (child instanceof Uint8Array) return encodeShort(this.#arena, path, undefined, child)
    if (child.ref === undefined) this.#key.set(path, this.#prefixLength + depth)
    return encodeShort(this.#arena, path, undefined, this.#reference(child, depth + path.length))
  }

  #encodeBranch(node: BranchNode, depth: number): Uint8Array {
    const { raw, children, value } = node
    for (let i = 0; i < BRANCH_WIDTH; i++) {
      const child = children[i]
      if (child === undefined || child === null || child instanceof Uint8Array || child.ref !== undefined) continue
      this.#key[this.#prefixLength + depth] = i
      this.#reference(child, depth + 1)
    }
    if (raw === undefined) return encodeBranch(this.#arena, children.map(referenceOf), value)
    // Only now: the children used the same offsets.
    branchOffsets(raw, this.#offsets)
    return this.#patched(raw, children, value) ?? encodeBranch(this.#arena, this.#allReferences(raw, children), value)
  }

  /** The usual case: no reference changes its length, so the bytes read are copied and the new ones written over. */
  #patched(raw: Uint8Array, children: readonly Child[], value: Uint8Array | undefined): Uint8Array | undefined {
    const offsets = this.#offsets
    if (value !== undefined || raw[offsets[BRANCH_WIDTH] as number] !== EMPTY_ITEM) return undefined
    for (let i = 0; i < BRANCH_WIDTH; i++) {
      const child = children[i]
      if (child === undefined) continue
      const ref = referenceOf(child)
      const length = (offsets[i + 1] as number) - (offsets[i] as number)
      if (length !== (ref === undefined ? 1 : referenceLength(ref))) return undefined
    }
    const out = this.#arena.allocate(raw.length)
    out.set(raw)
    for (let i = 0; i < BRANCH_WIDTH; i++) {
      const child = children[i]
      if (child === undefined) continue
      const ref = referenceOf(child)
      if (ref === undefined) out[offsets[i] as number] = EMPTY_ITEM
      else writeReference(out, offsets[i] as number, ref)
    }
    return out
  }

  #allReferences(raw: Uint8Array, children: readonly Child[]): (Uint8Array | undefined)[] {
    return children.map((child, i) =>
      child === undefined
        ? readReference(raw, this.#offsets[i] as number, this.#offsets[i + 1] as number)
        : referenceOf(child),
    )
  }
}

/** The reference of a child that is encoded already. */
const referenceOf = (child: Child): Uint8Array | undefined => {
  if (child === undefined || child === null) return undefined
  if (child instanceof Uint8Array) return child
  invariant(child.ref !== undefined, 'a trie node was not encoded before its parent')
  return child.ref
}
