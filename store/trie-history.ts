/**
 * What trie nodes were before a height changed them: column `trie_history`.
 *
 * Key: tag ('A', or 'S' and the account's hash), number of nibbles of the path (1), the nibbles two a byte, height (8).
 * Value, by its first byte:
 *   0x00 absent      there was no node
 *   0x01 whole       its RLP
 *   0x02 difference  mask (2, bit i for child i), then the old references of these children as they stood (RLP items):
 *                    the other children are as in the entry that follows, or as in the latest node behind the last one
 *   0x03 leaf        address (20): a leaf of the account trie, whose account the flat state has at that height
 */
import type { Address } from '../core/address.ts'
import { bytesToKey, concatBytes, readUint64 } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { ACCOUNT_TRIE_PREFIX_BYTES, isAccountTrieKey, STORAGE_TRIE_PREFIX_BYTES } from './keys.ts'
import { BRANCH_WIDTH, branchOffsets, EMPTY_ITEM, isBranch, itemEnd, joinBranch, readLeafPath } from './trie/node.ts'

export const NODE_ABSENT = 0
export const NODE_WHOLE = 1
export const NODE_DIFFERENCE = 2
export const NODE_LEAF = 3

const HEIGHT_BYTES = 8
/** Kind and mask of a difference. */
const MASK_END = 3
const ALL_CHILDREN = 0xffff
/** One in so many changes of a branch is written whole: so many entries are read for a node at most, on average. */
const WHOLE_EVERY = 16

const ABSENT = Uint8Array.of(NODE_ABSENT)
const WHOLE = Uint8Array.of(NODE_WHOLE)
const LEAF = Uint8Array.of(NODE_LEAF)

// ---- keys -----------------------------------------------------------------------------------------------------

const prefixBytes = (key: Uint8Array): number =>
  isAccountTrieKey(key) ? ACCOUNT_TRIE_PREFIX_BYTES : STORAGE_TRIE_PREFIX_BYTES

/** `key` is that of the node in column `trie`. */
export const trieHistoryKey = (key: Uint8Array, height: number): Uint8Array => {
  const prefix = prefixBytes(key)
  const nibbles = key.length - prefix
  const out = new Uint8Array(prefix + 1 + ((nibbles + 1) >> 1) + HEIGHT_BYTES)
  for (let i = 0; i < prefix; i++) out[i] = key[i] as number
  out[prefix] = nibbles
  let at = prefix + 1
  for (let i = prefix; i < key.length; i += 2) out[at++] = ((key[i] as number) << 4) | (key[i + 1] ?? 0)
  at = out.length
  for (let rest = height; rest > 0; rest = Math.floor(rest / 256)) out[--at] = rest & 0xff
  return out
}

/** The inverse of {@link trieHistoryKey}. */
export const readTrieHistoryKey = (bytes: Uint8Array): { readonly key: Uint8Array; readonly height: number } => {
  const prefix = prefixBytes(bytes)
  const nibbles = bytes[prefix] ?? 0
  const key = new Uint8Array(prefix + nibbles)
  key.set(bytes.subarray(0, prefix))
  for (let i = 0; i < nibbles; i++) {
    const byte = bytes[prefix + 1 + (i >> 1)] ?? 0
    key[prefix + i] = (i & 1) === 0 ? byte >> 4 : byte & 0x0f
  }
  return { key, height: readUint64(bytes, bytes.length - HEIGHT_BYTES) }
}

// ---- writing --------------------------------------------------------------------------------------------------

const beforeOffsets = new Int32Array(BRANCH_WIDTH + 1)
const afterOffsets = new Int32Array(BRANCH_WIDTH + 1)

/** Spread well enough over keys and heights; what it decides costs room or time, never an answer. */
const isWrittenWhole = (key: Uint8Array, height: number): boolean => {
  let hash = Math.imul(height, 0x9e37_79b1)
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ (key[i] as number), 0x0100_0193)
  return (hash >>> 8) % WHOLE_EVERY === 0
}

const isPlainBranch = (raw: Uint8Array): boolean => isBranch(raw) && raw[raw.length - 1] === EMPTY_ITEM

/** The children of `before` that `after` has otherwise; undefined when that is not shorter than the whole node. */
const encodeDifference = (before: Uint8Array, after: Uint8Array): Uint8Array | undefined => {
  branchOffsets(before, beforeOffsets)
  branchOffsets(after, afterOffsets)
  let mask = 0
  let length = MASK_END
  for (let i = 0; i < BRANCH_WIDTH; i++) {
    const start = beforeOffsets[i] as number
    const end = beforeOffsets[i + 1] as number
    const other = afterOffsets[i] as number
    let same = end - start === (afterOffsets[i + 1] as number) - other
    for (let at = start; same && at < end; at++) same = before[at] === after[other + at - start]
    if (same) continue
    mask |= 1 << i
    length += end - start
  }
  if (length > before.length) return undefined
  const out = new Uint8Array(length)
  out[0] = NODE_DIFFERENCE
  out[1] = mask >> 8
  out[2] = mask & 0xff
  let to = MASK_END
  for (let i = 0; i < BRANCH_WIDTH; i++) {
    if ((mask & (1 << i)) === 0) continue
    for (let at = beforeOffsets[i] as number; at < (beforeOffsets[i + 1] as number); at++)
      out[to++] = before[at] as number
  }
  return out
}

/** keccak256 of the address whose account the leaf at `key` has, as bytesToKey; undefined for other nodes. */
const leafHash = (key: Uint8Array, node: Uint8Array): string | undefined => {
  const path = readLeafPath(node)
  if (path === undefined) return undefined
  const nibbles = concatBytes(key.subarray(ACCOUNT_TRIE_PREFIX_BYTES), path)
  const hash = new Uint8Array(nibbles.length >> 1)
  for (let i = 0; i < hash.length; i++) hash[i] = ((nibbles[2 * i] as number) << 4) | (nibbles[2 * i + 1] as number)
  return bytesToKey(hash)
}

/**
 * The entry for a change of the node at `key` (of column `trie`) at `height`. `addresses` has those of the accounts that
 * changed at this height, by bytesToKey of their hashes: only their leaves are read from the flat state later.
 */
export const encodeNodeHistory = (
  key: Uint8Array,
  height: number,
  before: Uint8Array | undefined,
  after: Uint8Array | undefined,
  addresses: ReadonlyMap<string, Address>,
): Uint8Array => {
  if (before === undefined) return ABSENT
  if (isPlainBranch(before)) {
    const differs = after !== undefined && isPlainBranch(after) && !isWrittenWhole(key, height)
    const difference = differs ? encodeDifference(before, after) : undefined
    return difference ?? concatBytes(WHOLE, before)
  }
  const hash = isAccountTrieKey(key) ? leafHash(key, before) : undefined
  const address = hash === undefined ? undefined : addresses.get(hash)
  return address === undefined ? concatBytes(WHOLE, before) : concatBytes(LEAF, address)
}

// ---- reading --------------------------------------------------------------------------------------------------

/** Children of a branch, the older entries' before those that follow. */
export class BranchChildren {
  readonly #items: (Uint8Array | undefined)[] = new Array<Uint8Array | undefined>(BRANCH_WIDTH).fill(undefined)
  readonly #offsets = new Int32Array(BRANCH_WIDTH + 1)
  #known = 0

  get complete(): boolean {
    return this.#known === ALL_CHILDREN
  }

  addDifference(entry: Uint8Array): void {
    const mask = ((entry[1] ?? 0) << 8) | (entry[2] ?? 0)
    let at = MASK_END
    for (let i = 0; i < BRANCH_WIDTH; i++) {
      if ((mask & (1 << i)) === 0) continue
      const end = itemEnd(entry, at)
      this.#add(i, entry.subarray(at, end))
      at = end
    }
    invariant(at === entry.length, 'a difference of a trie node is cut short')
  }

  addNode(raw: Uint8Array): void {
    invariant(isPlainBranch(raw), 'a difference of a branch is followed by another node')
    branchOffsets(raw, this.#offsets)
    for (let i = 0; i < BRANCH_WIDTH; i++) this.#add(i, raw.subarray(this.#offsets[i], this.#offsets[i + 1]))
  }

  node(): Uint8Array {
    invariant(this.complete, 'a child of a branch is not known')
    return joinBranch(this.#items.filter((item) => item !== undefined))
  }

  difference(): Uint8Array {
    const known = this.#items.filter((item) => item !== undefined)
    return concatBytes(Uint8Array.of(NODE_DIFFERENCE, this.#known >> 8, this.#known & 0xff), ...known)
  }

  #add(child: number, item: Uint8Array): void {
    if ((this.#known & (1 << child)) !== 0) return
    this.#known |= 1 << child
    this.#items[child] = item
  }
}

/**
 * The older of two entries of one node that follow each other, made to stand without the newer one, which pruning
 * removes: a difference takes over the children that only the newer one names.
 */
export const mergeNodeHistory = (older: Uint8Array, newer: Uint8Array): Uint8Array => {
  if (older[0] !== NODE_DIFFERENCE) return older
  const children = new BranchChildren()
  children.addDifference(older)
  if (newer[0] === NODE_DIFFERENCE) {
    children.addDifference(newer)
    return children.difference()
  }
  invariant(newer[0] === NODE_WHOLE, 'a difference of a branch is followed by another node')
  children.addNode(newer.subarray(1))
  return concatBytes(WHOLE, children.node())
}
