import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Random } from '../../../test/sim/random.ts'
import { encodeOrder } from '../keeper/index.ts'
import { BUCKETS, EMPTY_BOOK_ROOT, OrderBuckets } from './bucket-root.ts'

const hash = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest()

/** RFC 6962, as it is written: the largest power of two below n on the left. */
const merkle = (leaves: readonly Uint8Array[]): Buffer => {
  const [first] = leaves
  if (first === undefined) return hash()
  if (leaves.length === 1) return hash(Uint8Array.of(0), first)
  const half = 2 ** Math.floor(Math.log2(leaves.length - 1))
  return hash(Uint8Array.of(1), merkle(leaves.slice(0, half)), merkle(leaves.slice(half)))
}

const rootOf = (orders: ReadonlyMap<number, Uint8Array>): Buffer => {
  const leaves = Array.from({ length: BUCKETS }, (_, bucket) => {
    const seqs = [...orders.keys()].filter((seq) => seq % BUCKETS === bucket).toSorted((a, b) => a - b)
    return hash(
      ...seqs.map((seq) => {
        const number = Buffer.alloc(8)
        number.writeBigUInt64BE(BigInt(seq))
        return Buffer.concat([number, orders.get(seq) ?? new Uint8Array(0)])
      }),
    )
  })
  return merkle(leaves)
}

const valueOf = (random: Random): Uint8Array =>
  encodeOrder({
    market: 1,
    seq: 1,
    owner: new Uint8Array(20).fill(random.below(256)),
    subaccount: random.below(2) === 0 ? 0 : 2 ** 32 - 1,
    side: 'buy',
    tif: 'gtc',
    priceTicks: 1 + random.below(2 ** 32 - 1),
    lots: random.below(2) === 0 ? 1 : 2 ** 53 - 1,
    left: 1 + random.below(1_000_000),
    lockedPpm: random.below(100_000),
    clientId: new Uint8Array(random.below(17)).fill(random.below(256)),
    expireS: random.below(2) * 1_800_000_000,
    triggerTicks: 0,
    triggerKind: 'none',
    stp: 'decrement',
    maxFills: 20,
    postOnlyMode: 'reject',
  })

describe('the book root', () => {
  it('of an empty book is that of 1,024 empty buckets', () => {
    expect(Buffer.from(EMPTY_BOOK_ROOT).equals(rootOf(new Map()))).toBe(true)
  })

  it.each([1, 2, 3])('is that of RFC 6962 over the buckets, after any changes (seed %i)', (seed) => {
    const random = new Random(seed)
    const buckets = new OrderBuckets()
    const orders = new Map<number, Uint8Array>()
    for (let round = 0; round < 8; round++) {
      const changes = new Map<number, Uint8Array | undefined>()
      for (let count = random.below(60); count > 0; count--) {
        // Few buckets, so that each has several orders.
        const seq = 1 + random.below(6) + BUCKETS * random.below(20)
        changes.set(seq, random.below(3) === 0 ? undefined : valueOf(random))
      }
      const sorted = [...changes].toSorted(([a], [b]) => a - b)
      const before = buckets.root
      const after = buckets.rootAfter(sorted)
      expect(buckets.root).toEqual(before)
      buckets.apply(sorted)
      expect(buckets.root).toEqual(after)
      for (const [seq, value] of sorted) {
        if (value === undefined) orders.delete(seq)
        else orders.set(seq, value)
      }
      expect(Buffer.from(after).equals(rootOf(orders))).toBe(true)
    }
  })
})
