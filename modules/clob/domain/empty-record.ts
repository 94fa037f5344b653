/** The record of a market in which nothing has happened. */
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { type Hash, sha256 } from '../../../core/hash.ts'
import type { MarketRecord } from './market.ts'

/** Buckets go by order_seq mod 1,024: the tree of their hashes has so many levels above its leaves. */
const BUCKET_LEVELS = 10
const LEAF = Uint8Array.of(0)
const INNER = Uint8Array.of(1)

/** CometBFT's simple Merkle tree (RFC 6962) of 1,024 buckets without orders: all its nodes of one level are the same. */
const emptyBookRoot = (): Hash => {
  let node = sha256(LEAF, sha256(EMPTY_BYTES))
  for (let level = 0; level < BUCKET_LEVELS; level++) node = sha256(INNER, node, node)
  return node
}

export const EMPTY_RECORD: MarketRecord = {
  sequence: 0,
  blockPriceTicks: 0,
  priceMs: 0n,
  sinceMs: 0,
  bestBidTicks: 0,
  bestAskTicks: 0,
  openOrders: 0,
  bookRoot: emptyBookRoot(),
}
