/**
 * The root of a market's book, by itself: values of orders in RLP, 1,024 buckets by order_seq, and the Merkle tree of RFC 6962 over
 * them, which is CometBFT's. Nothing of the project's own encoders or trees is used.
 */
import { createHash } from 'node:crypto'
import { rlpList, rlpNumber } from './records.ts'
import type { ModelOrder } from './world.ts'

const BUCKETS = 1_024
const SIDES = { buy: 1n, sell: 2n } as const
const TIFS = { gtc: 1n, ioc: 2n, fok: 3n, post_only: 4n } as const
const TRIGGERS = { none: 0n, stop: 1n, take_profit: 2n } as const
const STPS = { cancel_maker: 0n, cancel_taker: 1n, cancel_both: 2n, decrement: 3n } as const
const MODES = { reject: 0n, slide: 1n } as const

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Hexadecimal, as state holds an open order. */
export const encodeModelOrder = (order: ModelOrder): string =>
  rlpList([
    order.owner,
    rlpNumber(BigInt(order.subaccount)),
    rlpNumber(SIDES[order.side]),
    rlpNumber(TIFS[order.tif]),
    rlpNumber(order.price),
    rlpNumber(order.lots),
    rlpNumber(order.left),
    rlpNumber(order.lockedPpm),
    order.clientId,
    rlpNumber(order.expireS),
    rlpNumber(order.triggerTicks),
    rlpNumber(TRIGGERS[order.triggerKind]),
    rlpNumber(STPS[order.stp]),
    rlpNumber(BigInt(order.maxFills)),
    rlpNumber(MODES[order.postOnlyMode]),
  ])

const EMPTY_BUCKET = sha256()
const emptyRoots = new Map<number, Buffer>()

/** RFC 6962, 2.1: a leaf is hashed behind 0, an inner node behind 1, and the left side is the greatest power of two below n. */
export const merkleRoot = (leaves: readonly Uint8Array[]): Buffer => {
  if (leaves.length === 0) return sha256()
  const [first] = leaves
  if (leaves.length === 1 && first !== undefined) return sha256(Buffer.from([0]), first)
  const isEmpty = leaves.every((leaf) => leaf === EMPTY_BUCKET)
  const known = isEmpty ? emptyRoots.get(leaves.length) : undefined
  if (known !== undefined) return known
  let left = 1
  while (left * 2 < leaves.length) left *= 2
  const root = sha256(Buffer.from([1]), merkleRoot(leaves.slice(0, left)), merkleRoot(leaves.slice(left)))
  if (isEmpty) emptyRoots.set(leaves.length, root)
  return root
}

/** Roots by the orders that they are of: most blocks leave most books as they were. */
const known = new Map<string, string>()
const MOST_KNOWN = 1_000

/** Hexadecimal. `orders` are those of one market. */
export const bookRoot = (orders: readonly ModelOrder[]): string => {
  const sorted = orders.toSorted((a, b) => (a.seq < b.seq ? -1 : 1))
  const key = sorted.map((order) => `${order.seq} ${encodeModelOrder(order)}`).join()
  const root = known.get(key) ?? rootOf(sorted)
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(key, root)
  return root
}

const rootOf = (orders: readonly ModelOrder[]): string => {
  const buckets = new Map<number, Buffer[]>()
  for (const order of orders) {
    const seq = Buffer.alloc(8)
    seq.writeBigUInt64BE(order.seq)
    const bucket = Number(order.seq % BigInt(BUCKETS))
    const parts = buckets.get(bucket) ?? []
    parts.push(seq, Buffer.from(encodeModelOrder(order), 'hex'))
    buckets.set(bucket, parts)
  }
  const leaves = Array.from({ length: BUCKETS }, (_, bucket) => {
    const parts = buckets.get(bucket)
    return parts === undefined ? EMPTY_BUCKET : sha256(...parts)
  })
  return merkleRoot(leaves).toString('hex')
}
