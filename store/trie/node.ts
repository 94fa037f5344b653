/**
 * Nodes of the Merkle Patricia trie (Yellow Paper, appendix D) and their RLP.
 *
 * A node keeps the bytes it was read from; children are parsed only where a change passes through. A reference to a
 * node is what its parent holds: the 32-byte hash, or the node's RLP itself where that is shorter than 32 bytes.
 */
import { invariant } from '../../core/errors.ts'
import type { ByteArena } from './byte-arena.ts'

export const BRANCH = 0
export const SHORT = 1

export const BRANCH_WIDTH = 16
const HASH_BYTES = 32
/** RLP of the empty string: an absent child or value. */
export const EMPTY_ITEM = 0x80
/** RLP header of a 32-byte string. */
const HASH_HEADER = 0xa0
const LIST = 0xc0
/** A list whose length takes two bytes. */
const LONG_LIST = 0xf9
const LONG_LIST_HEADER = 3
const HASH_ITEM_BYTES = 1 + HASH_BYTES
const FULL_BRANCH_BYTES = LONG_LIST_HEADER + BRANCH_WIDTH * HASH_ITEM_BYTES + 1

/** Set by whoever changes a node: the reference no longer holds. */
interface Common {
  /** What the parent holds of this node; undefined once it was changed. */
  ref: Uint8Array | undefined
  /** What the database holds at this node's path (its RLP before any change); undefined for nothing. */
  stored: Uint8Array | undefined
}

export interface BranchNode extends Common {
  readonly kind: typeof BRANCH
  /** The RLP it was read from; undefined for a new branch. */
  readonly raw: Uint8Array | undefined
  /** The children by nibble. undefined: as in `raw`; null: none; bytes: a reference to a node that was not read. */
  readonly children: Child[]
  value: Uint8Array | undefined
}

/** A leaf (with a value) or an extension (with a child). */
export interface ShortNode extends Common {
  readonly kind: typeof SHORT
  /** Nibbles, one a byte. Not empty in an extension. */
  readonly path: Uint8Array
  readonly value: Uint8Array | undefined
  child: TrieNode | Uint8Array | undefined
}

export type TrieNode = BranchNode | ShortNode
export type Child = TrieNode | Uint8Array | null | undefined

const NO_CHILDREN: readonly Child[] = new Array<Child>(BRANCH_WIDTH).fill(undefined)

export const newBranch = (): BranchNode => ({
  kind: BRANCH,
  ref: undefined,
  stored: undefined,
  raw: undefined,
  children: new Array<Child>(BRANCH_WIDTH).fill(null),
  value: undefined,
})

export const newLeaf = (path: Uint8Array, value: Uint8Array): ShortNode => ({
  kind: SHORT,
  ref: undefined,
  stored: undefined,
  path,
  value,
  child: undefined,
})

export const newExtension = (path: Uint8Array, child: TrieNode | Uint8Array): ShortNode => ({
  kind: SHORT,
  ref: undefined,
  stored: undefined,
  path,
  value: undefined,
  child,
})

/**
 * A branch of sixteen hashes and no value, as most nodes near the root of a large trie are: its layout is known. By
 * induction over the items: where each begins with the header of a hash, the next stands 33 bytes on.
 */
const isFullBranch = (raw: Uint8Array): boolean => {
  if (raw.length !== FULL_BRANCH_BYTES || raw[FULL_BRANCH_BYTES - 1] !== EMPTY_ITEM) return false
  for (let at = LONG_LIST_HEADER; at < FULL_BRANCH_BYTES - 1; at += HASH_ITEM_BYTES) {
    if (raw[at] !== HASH_HEADER) return false
  }
  return raw[0] === LONG_LIST
}

// ---- reading --------------------------------------------------------------------------------------------------

/** Bytes of a length of `bytes`, big-endian. */
const readLength = (bytes: Uint8Array, at: number, size: number): number => {
  let length = 0
  for (let i = 0; i < size; i++) length = length * 256 + (bytes[at + i] ?? 0)
  return length
}

/** Where the payload of the item at `at` begins. */
const payloadStart = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] ?? 0
  if (first < EMPTY_ITEM) return at
  const short = first - (first < LIST ? EMPTY_ITEM : LIST)
  return short < 56 ? at + 1 : at + 1 + (short - 55)
}

/** Where the item at `at` ends. */
export const itemEnd = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] ?? 0
  if (first < EMPTY_ITEM) return at + 1
  const short = first - (first < LIST ? EMPTY_ITEM : LIST)
  if (short < 56) return at + 1 + short
  const size = short - 55
  return at + 1 + size + readLength(bytes, at + 1, size)
}

/** The reference in the item of a branch or an extension; undefined for none. */
export const readReference = (raw: Uint8Array, start: number, end: number): Uint8Array | undefined => {
  const first = raw[start]
  if (first === HASH_HEADER) return raw.subarray(start + 1, end)
  if (first === EMPTY_ITEM) return undefined
  invariant(first !== undefined && first >= LIST, 'a child of a trie node is neither a hash nor a node')
  return raw.subarray(start, end)
}

/** True for a hash, false for the RLP of an embedded node. */
export const isHashReference = (ref: Uint8Array): boolean => ref.length === HASH_BYTES

/** Nibbles of a hex-prefix encoded path (Yellow Paper, appendix C). */
const decodePath = (bytes: Uint8Array, start: number, end: number): Uint8Array => {
  const flags = bytes[start] ?? 0
  const odd = (flags & 0x10) !== 0
  const path = new Uint8Array(2 * (end - start - 1) + (odd ? 1 : 0))
  let at = 0
  if (odd) path[at++] = flags & 0x0f
  for (let i = start + 1; i < end; i++) {
    const byte = bytes[i] as number
    path[at++] = byte >> 4
    path[at++] = byte & 0x0f
  }
  return path
}

const isLeafPath = (raw: Uint8Array, start: number): boolean => ((raw[start] ?? 0) & 0x20) !== 0

const readBranch = (
  raw: Uint8Array,
  ref: Uint8Array,
  stored: Uint8Array | undefined,
  value: Uint8Array | undefined,
): BranchNode => ({ kind: BRANCH, ref, stored, raw, children: NO_CHILDREN.slice(), value })

/** Parses a node from the database or out of its parent. `isStored` tells which. */
export const parseNode = (raw: Uint8Array, ref: Uint8Array, isStored: boolean): TrieNode => {
  const stored = isStored ? raw : undefined
  if (isFullBranch(raw)) return readBranch(raw, ref, stored, undefined)
  invariant((raw[0] ?? 0) >= LIST && itemEnd(raw, 0) === raw.length, 'a trie node is not an RLP list')
  const first = payloadStart(raw, 0)
  const second = itemEnd(raw, first)
  const secondEnd = itemEnd(raw, second)
  if (secondEnd !== raw.length) {
    return readBranch(raw, ref, stored, branchValue(raw))
  }
  const pathStart = payloadStart(raw, first)
  const path = decodePath(raw, pathStart, second)
  if (isLeafPath(raw, pathStart)) {
    const value = raw.subarray(payloadStart(raw, second), secondEnd)
    return { kind: SHORT, ref, stored, path, value, child: undefined }
  }
  const child = readReference(raw, second, secondEnd)
  return { kind: SHORT, ref, stored, path, value: undefined, child }
}

/** True for a branch, false for a leaf or an extension. */
export const isBranch = (raw: Uint8Array): boolean => itemEnd(raw, itemEnd(raw, payloadStart(raw, 0))) !== raw.length

/** The path of a leaf, one nibble a byte; undefined for every other node. */
export const readLeafPath = (raw: Uint8Array): Uint8Array | undefined => {
  if (isBranch(raw)) return undefined
  const first = payloadStart(raw, 0)
  const start = payloadStart(raw, first)
  return isLeafPath(raw, start) ? decodePath(raw, start, itemEnd(raw, first)) : undefined
}

const branchValue = (raw: Uint8Array): Uint8Array | undefined => {
  let at = payloadStart(raw, 0)
  for (let i = 0; i < BRANCH_WIDTH; i++) at = itemEnd(raw, at)
  const start = payloadStart(raw, at)
  return start === raw.length ? undefined : raw.subarray(start)
}

/** Writes where each of the sixteen children of a branch begins, and where the last one ends, to `offsets` (17). */
export const branchOffsets = (raw: Uint8Array, offsets: Int32Array): void => {
  if (isFullBranch(raw)) {
    for (let i = 0; i <= BRANCH_WIDTH; i++) offsets[i] = LONG_LIST_HEADER + i * HASH_ITEM_BYTES
    return
  }
  let at = payloadStart(raw, 0)
  for (let i = 0; i < BRANCH_WIDTH; i++) {
    offsets[i] = at
    at = itemEnd(raw, at)
  }
  offsets[BRANCH_WIDTH] = at
}

// ---- writing --------------------------------------------------------------------------------------------------

export const headerLength = (payload: number): number =>
  payload < 56 ? 1 : payload < 0x100 ? 2 : payload < 0x1_0000 ? 3 : payload < 0x100_0000 ? 4 : 5

export const writeHeader = (out: Uint8Array, at: number, payload: number, base: number): number => {
  const length = headerLength(payload)
  if (length === 1) {
    out[at] = base + payload
    return at + 1
  }
  out[at] = base + 54 + length
  for (let i = length - 1, rest = payload; i > 0; i--) {
    out[at + i] = rest & 0xff
    rest = Math.floor(rest / 256)
  }
  return at + length
}

const stringLength = (bytes: Uint8Array): number =>
  bytes.length === 1 && (bytes[0] as number) < EMPTY_ITEM ? 1 : headerLength(bytes.length) + bytes.length

const writeString = (out: Uint8Array, at: number, bytes: Uint8Array): number => {
  const start =
    bytes.length === 1 && (bytes[0] as number) < EMPTY_ITEM ? at : writeHeader(out, at, bytes.length, EMPTY_ITEM)
  out.set(bytes, start)
  return start + bytes.length
}

/** Bytes that a reference takes in its parent. */
export const referenceLength = (ref: Uint8Array): number => (isHashReference(ref) ? 1 + HASH_BYTES : ref.length)

export const writeReference = (out: Uint8Array, at: number, ref: Uint8Array): number => {
  if (!isHashReference(ref)) {
    out.set(ref, at)
    return at + ref.length
  }
  out[at] = HASH_HEADER
  out.set(ref, at + 1)
  return at + 1 + HASH_BYTES
}

const writePath = (out: Uint8Array, at: number, path: Uint8Array, leaf: boolean): number => {
  const odd = path.length % 2
  const flags = (leaf ? 0x20 : 0) | (odd === 1 ? 0x10 | (path[0] as number) : 0)
  const length = 1 + ((path.length - odd) >> 1)
  let to = at
  if (length > 1) to = writeHeader(out, at, length, EMPTY_ITEM)
  out[to++] = flags
  for (let i = odd; i < path.length; i += 2) out[to++] = ((path[i] as number) << 4) | (path[i + 1] as number)
  return to
}

/** The RLP of a leaf (`value`) or an extension (`childRef`). */
export const encodeShort = (
  arena: ByteArena,
  path: Uint8Array,
  value: Uint8Array | undefined,
  childRef: Uint8Array | undefined,
): Uint8Array => {
  const pathBytes = 1 + (path.length >> 1)
  const pathLength = pathBytes === 1 ? 1 : headerLength(pathBytes) + pathBytes
  const bodyLength = value !== undefined ? stringLength(value) : childRef !== undefined ? referenceLength(childRef) : 0
  const payload = pathLength + bodyLength
  const out = arena.allocate(headerLength(payload) + payload)
  const at = writePath(out, writeHeader(out, 0, payload, LIST), path, value !== undefined)
  if (value !== undefined) writeString(out, at, value)
  else if (childRef !== undefined) writeReference(out, at, childRef)
  return out
}

/** The RLP of a branch from the references of its children (undefined: none) and its value. */
export const encodeBranch = (
  arena: ByteArena,
  refs: readonly (Uint8Array | undefined)[],
  value: Uint8Array | undefined,
): Uint8Array => {
  let payload = value === undefined ? 1 : stringLength(value)
  for (let i = 0; i < BRANCH_WIDTH; i++) {
    const ref = refs[i]
    payload += ref === undefined ? 1 : referenceLength(ref)
  }
  const out = arena.allocate(headerLength(payload) + payload)
  let at = writeHeader(out, 0, payload, LIST)
  for (let i = 0; i < BRANCH_WIDTH; i++) {
    const ref = refs[i]
    if (ref === undefined) out[at++] = EMPTY_ITEM
    else at = writeReference(out, at, ref)
  }
  if (value === undefined) out[at] = EMPTY_ITEM
  else writeString(out, at, value)
  return out
}

/** The RLP of a branch without a value from its children as RLP items: what stands between two branch offsets. */
export const joinBranch = (items: readonly Uint8Array[]): Uint8Array => {
  let payload = 1
  for (const item of items) payload += item.length
  const out = new Uint8Array(headerLength(payload) + payload)
  let at = writeHeader(out, 0, payload, LIST)
  for (const item of items) {
    out.set(item, at)
    at += item.length
  }
  out[at] = EMPTY_ITEM
  return out
}
