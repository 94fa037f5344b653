/**
 * The root over a market's open orders: 1,024 buckets by order_seq, in each the orders as state has them, and CometBFT's
 * simple Merkle tree (RFC 6962) over the hashes of the buckets. docs/clob-spec.md, Book root.
 */
import { concatBytes, EMPTY_BYTES, readUint64, uint64ToBytes } from '../../../core/bytes.ts'
import { sha256, type Hash } from '../../../core/hash.ts'

export const BUCKETS = 1_024
const HASH = 32
const SEQ = 8
const INNER = 1
/** RLP: a list of so many bytes or more has its length in the byte behind the header. */
const LONG_LIST = 0xf8
const LIST = 0xc0

/** Values of orders by order_seq, ascending; undefined where the order is gone. */
export type OrderChanges = readonly (readonly [seq: number, value: Uint8Array | undefined])[]

const leafOf = (bucketHash: Uint8Array): Hash => {
  const bytes = new Uint8Array(1 + HASH)
  bytes.set(bucketHash, 1)
  return sha256(bytes)
}

/** Tree as a heap: node 1 is the root, the children of n are 2n and 2n + 1, leaf b is 1,024 + b. */
const innerOf = (tree: Uint8Array, node: number): Hash => {
  const bytes = new Uint8Array(1 + 2 * HASH)
  bytes[0] = INNER
  bytes.set(tree.subarray(2 * node * HASH, (2 * node + 2) * HASH), 1)
  return sha256(bytes)
}

const makeEmptyTree = (): Uint8Array => {
  const tree = new Uint8Array(2 * BUCKETS * HASH)
  let node = leafOf(sha256(EMPTY_BYTES))
  for (let first = BUCKETS; first >= 1; first /= 2) {
    for (let at = first; at < 2 * first; at++) tree.set(node, at * HASH)
    if (first > 1) node = innerOf(tree, first / 2)
  }
  return tree
}

const EMPTY_TREE = makeEmptyTree()

export const EMPTY_BOOK_ROOT: Hash = EMPTY_TREE.slice(HASH, 2 * HASH)

/** Length of the value at an offset: it is an RLP list of fewer than 256 bytes. */
const valueLength = (bytes: Uint8Array, at: number): number => {
  const header = bytes[at] as number
  return header < LONG_LIST ? 1 + header - LIST : 2 + (bytes[at + 1] as number)
}

/** The bytes of a bucket after changes of its orders. */
const changeBucket = (bucket: Uint8Array, changes: OrderChanges): Uint8Array => {
  const parts: Uint8Array[] = []
  let [at, kept] = [0, 0]
  for (const [seq, value] of changes) {
    while (at < bucket.length && readUint64(bucket, at) < seq) at += SEQ + valueLength(bucket, at + SEQ)
    if (kept < at) parts.push(bucket.subarray(kept, at))
    if (at < bucket.length && readUint64(bucket, at) === seq) at += SEQ + valueLength(bucket, at + SEQ)
    kept = at
    if (value !== undefined) parts.push(uint64ToBytes(seq), value)
  }
  if (kept < bucket.length) parts.push(bucket.subarray(kept))
  return concatBytes(...parts)
}

const byBucket = (changes: OrderChanges): ReadonlyMap<number, OrderChanges> => {
  const grouped = new Map<number, (readonly [number, Uint8Array | undefined])[]>()
  for (const change of changes) {
    const bucket = change[0] % BUCKETS
    const group = grouped.get(bucket)
    if (group === undefined) grouped.set(bucket, [change])
    else group.push(change)
  }
  return grouped
}

const setLeaves = (tree: Uint8Array, leaves: ReadonlyMap<number, Hash>): void => {
  let changed = new Set<number>()
  for (const [bucket, hash] of leaves) {
    tree.set(leafOf(hash), (BUCKETS + bucket) * HASH)
    changed.add((BUCKETS + bucket) >>> 1)
  }
  for (let first = BUCKETS / 2; first >= 1; first /= 2) {
    const parents = new Set<number>()
    for (const node of changed) {
      tree.set(innerOf(tree, node), node * HASH)
      parents.add(node >>> 1)
    }
    changed = parents
  }
}

/** The buckets of the committed head. A candidate asks what the root would be, and commit makes it so. */
export class OrderBuckets {
  readonly #buckets: Uint8Array[] = new Array<Uint8Array>(BUCKETS).fill(EMPTY_BYTES)
  readonly #tree: Uint8Array = EMPTY_TREE.slice()

  get root(): Hash {
    return this.#tree.slice(HASH, 2 * HASH)
  }

  /** `changes` are sorted by order_seq, each order once. */
  rootAfter(changes: OrderChanges): Hash {
    if (changes.length === 0) return this.root
    const leaves = new Map<number, Hash>()
    for (const [bucket, of] of byBucket(changes)) leaves.set(bucket, sha256(this.#changed(bucket, of)))
    const tree = this.#tree.slice()
    setLeaves(tree, leaves)
    return tree.slice(HASH, 2 * HASH)
  }

  /** Does what {@link rootAfter} does, for good. */
  apply(changes: OrderChanges): void {
    if (changes.length === 0) return
    const leaves = new Map<number, Hash>()
    for (const [bucket, of] of byBucket(changes)) {
      const bytes = this.#changed(bucket, of)
      this.#buckets[bucket] = bytes
      leaves.set(bucket, sha256(bytes))
    }
    setLeaves(this.#tree, leaves)
  }

  #changed(bucket: number, changes: OrderChanges): Uint8Array {
    return changeBucket(this.#buckets[bucket] as Uint8Array, changes)
  }
}

/** The root over all open orders of a market: values by order_seq, ascending. */
export const rootOfOrders = (orders: OrderChanges): Hash => {
  const buckets = new OrderBuckets()
  buckets.apply(orders)
  return buckets.root
}
