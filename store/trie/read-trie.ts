/** Single reads of a path-keyed trie, and Merkle proofs as eth_getProof gives them. */
import { bytesToKey, equalBytes } from '../../core/bytes.ts'
import { CodedError, invariant } from '../../core/errors.ts'
import { EMPTY_TRIE_ROOT, keccak256, type Hash } from '../../core/hash.ts'
import { decodeRlp, encodedLength, type RlpItem } from '../../core/rlp.ts'
import {
  BRANCH,
  BRANCH_WIDTH,
  branchOffsets,
  isHashReference,
  parseNode,
  readReference,
  type TrieNode,
} from './node.ts'
import { unpack } from './sorted-changes.ts'
import type { TrieNodeReader } from './trie.ts'
import { trieError } from './errors.ts'

/** Largest proof accepted: a path of 64 nibbles has at most 65 nodes. */
const MAX_PROOF_NODES = 65

/** Gives the RLP of the node at `path` with this hash. */
type Fetch = (path: Uint8Array, hash: Uint8Array) => Uint8Array

interface Step {
  /** The value of the key, when the node has it. */
  readonly value: Uint8Array | undefined
  /** Where the way goes on. */
  readonly ref: Uint8Array | undefined
  readonly depth: number
}

const step = (node: TrieNode, nibbles: Uint8Array, depth: number): Step => {
  const nothing: Step = { value: undefined, ref: undefined, depth }
  if (node.kind === BRANCH) {
    if (depth === nibbles.length) return { ...nothing, value: node.value }
    const { raw } = node
    if (raw === undefined) return nothing
    const offsets = new Int32Array(BRANCH_WIDTH + 1)
    branchOffsets(raw, offsets)
    const nibble = nibbles[depth] as number
    const ref = readReference(raw, offsets[nibble] as number, offsets[nibble + 1] as number)
    return { value: undefined, ref, depth: depth + 1 }
  }
  const below = depth + node.path.length
  if (below > nibbles.length || !equalBytes(node.path, nibbles.subarray(depth, below))) return nothing
  if (node.value !== undefined) return below === nibbles.length ? { ...nothing, value: node.value } : nothing
  return { value: undefined, ref: node.child instanceof Uint8Array ? node.child : undefined, depth: below }
}

const walk = (fetch: Fetch, root: Hash, key: Uint8Array): Uint8Array | undefined => {
  if (equalBytes(root, EMPTY_TRIE_ROOT)) return undefined
  const nibbles = new Uint8Array(2 * key.length)
  unpack(key, nibbles, 0)
  let ref: Uint8Array | undefined = root
  let depth = 0
  while (ref !== undefined) {
    const raw: Uint8Array = isHashReference(ref) ? fetch(nibbles.subarray(0, depth), ref) : ref
    const taken: Step = step(parseNode(raw, ref, true), nibbles, depth)
    if (taken.value !== undefined) return taken.value
    ref = taken.ref
    depth = taken.depth
  }
  return undefined
}

const readNode = (reader: TrieNodeReader, path: Uint8Array): Uint8Array => {
  const raw = reader.getMany([path])[0]
  invariant(raw !== undefined, `the trie node at [${path.join(' ')}] is missing`)
  return raw
}

/** The value of `key` (hashed already where the trie is secure), as it stands in the leaf. */
export const readTrie = (reader: TrieNodeReader, root: Hash, key: Uint8Array): Uint8Array | undefined =>
  walk((path) => readNode(reader, path), root, key)

export interface TrieProof {
  /** The value as it stands in the leaf; undefined: absent. */
  readonly value: Uint8Array | undefined
  /** RLP, from the root on. */
  readonly nodes: readonly Uint8Array[]
}

/**
 * The nodes from the root towards `key`: they prove its value or its absence. As in geth, a node that is embedded in
 * its parent is not listed, and an empty trie has an empty proof.
 */
export const proveTrie = (reader: TrieNodeReader, root: Hash, key: Uint8Array): TrieProof => {
  const nodes: Uint8Array[] = []
  const fetch: Fetch = (path) => {
    const raw = readNode(reader, path)
    nodes.push(raw)
    return raw
  }
  return { value: walk(fetch, root, key), nodes }
}

const fail = (message: string): never => {
  throw trieError('malformed', `bad proof: ${message}`)
}

const checkChild = (item: RlpItem | undefined): void => {
  if (item === undefined) fail('not a trie node')
  else if (!(item instanceof Uint8Array)) {
    if (encodedLength(item) >= 32) fail('an embedded node is too long')
    checkNode(item)
  } else if (item.length !== 0 && item.length !== 32) fail('not a reference to a trie node')
}

const checkPath = (path: Uint8Array): boolean => {
  const flags = path[0] ?? 0xff
  if (flags >= 0x40 || ((flags & 0x10) === 0 && (flags & 0x0f) !== 0)) fail('not a path of a trie node')
  return (flags & 0x20) !== 0
}

/** Proofs come from outside: their nodes are checked before they are walked. */
const checkNode = (item: RlpItem): void => {
  if (item instanceof Uint8Array) return fail('not a trie node')
  const [first, second] = item
  if (item.length === BRANCH_WIDTH + 1) {
    item.slice(0, BRANCH_WIDTH).forEach(checkChild)
    if (!(item[BRANCH_WIDTH] instanceof Uint8Array)) fail('not a value of a branch')
    return
  }
  if (item.length !== 2 || !(first instanceof Uint8Array)) return fail('not a trie node')
  if (!checkPath(first)) return checkChild(second)
  if (!(second instanceof Uint8Array)) fail('not a value of a leaf')
}

const parseProof = (proof: readonly Uint8Array[]): Map<string, Uint8Array> => {
  if (proof.length > MAX_PROOF_NODES) fail(`more than ${MAX_PROOF_NODES} nodes`)
  const nodes = new Map<string, Uint8Array>()
  for (const raw of proof) {
    try {
      checkNode(decodeRlp(raw))
    } catch (error) {
      if (error instanceof CodedError && error.codespace === 'rlp') fail(error.message)
      throw error
    }
    nodes.set(bytesToKey(keccak256(raw)), raw)
  }
  return nodes
}

/** What the proof says of `key` in the trie with this root; undefined: absent. Throws trie/1 for a bad proof. */
export const verifyProof = (root: Hash, key: Uint8Array, proof: readonly Uint8Array[]): Uint8Array | undefined => {
  const nodes = parseProof(proof)
  return walk((_path, hash) => nodes.get(bytesToKey(hash)) ?? fail('a node is missing'), root, key)
}
