import { expect, it } from 'vitest'
import { uint64ToBytes } from '../../core/bytes.ts'
import { MAX_TRANSACTION_GAS, MAX_TRANSACTION_WEIGHT } from '../../core/limits.ts'
import { DEFAULT_MAX_BLOCK_WEIGHT } from '../../modules/weight/index.ts'
import type { ProposableTransaction } from './choose.ts'
import { HeavyTransactions, WeightShares } from './weight-shares.ts'

const ORDINARY_SHARE = 400_000_000
let made = 0
/** Makes entries, each of another account. */
const entryOf = (gasLimit: bigint): ProposableTransaction =>
  ({ gasLimit, nonce: 7n, sender: uint64ToBytes(made++) }) as unknown as ProposableTransaction
const largest = (): ProposableTransaction => entryOf(MAX_TRANSACTION_GAS)

it('lets any one transaction of the greatest gas run to its end in an empty block', () => {
  for (const maxWeight of [MAX_TRANSACTION_WEIGHT, DEFAULT_MAX_BLOCK_WEIGHT, 10_000_000_000]) {
    const shares = new WeightShares(new HeavyTransactions(), maxWeight)
    expect(shares.limitOf(largest(), maxWeight)).toBeGreaterThanOrEqual(MAX_TRANSACTION_WEIGHT)
  }
})

it('keeps a share for ordinary transactions, whatever heavy ones have used', () => {
  const shares = new WeightShares(new HeavyTransactions(), DEFAULT_MAX_BLOCK_WEIGHT)
  let left = DEFAULT_MAX_BLOCK_WEIGHT
  for (let tries = 0; tries < 100; tries++) {
    const entry = entryOf(1_000_000n)
    const limit = shares.limitOf(entry, left)
    if (limit === undefined) continue
    const heavy = Math.min(limit, 77_000_000)
    if (heavy < 77_000_000) {
      shares.noteStopped(entry, limit, 0)
      continue
    }
    expect(shares.noteIncluded(1_000_000n, heavy, 0)).toBe('heavy')
    left -= heavy
  }
  expect(left).toBeGreaterThanOrEqual(ORDINARY_SHARE)
  expect(left).toBeLessThan(ORDINARY_SHARE + 77_000_000)
  expect(shares.limitOf(entryOf(21_000n), left)).toBeGreaterThan(60_000)
})

it('wastes a bounded time on transactions that it has to stop, and small ones still have their turn', () => {
  const shares = new WeightShares(new HeavyTransactions(), DEFAULT_MAX_BLOCK_WEIGHT)
  let left = DEFAULT_MAX_BLOCK_WEIGHT
  expect(shares.noteIncluded(MAX_TRANSACTION_GAS, 1_200_000_000, 0)).toBe('heavy')
  left -= 1_200_000_000
  let wasted = 0
  for (let tries = 0; tries < 1_000; tries++) {
    const entry = largest()
    const limit = shares.limitOf(entry, left)
    if (limit === undefined) continue
    wasted += limit
    shares.noteStopped(entry, limit, 0)
  }
  expect(wasted).toBeLessThan(700_000_000)
  expect(shares.limitOf(entryOf(100_000n), left)).toBeGreaterThan(1_000_000)
})

it.each([100_000n, 600_000n])('wastes a bounded time on any number of small ones, too (%d gas)', (gas) => {
  const shares = new WeightShares(new HeavyTransactions(), DEFAULT_MAX_BLOCK_WEIGHT)
  const weight = 75 * Number(gas)
  let [left, wasted, stopped] = [DEFAULT_MAX_BLOCK_WEIGHT, 0, 0]
  for (let tries = 0; tries < 20_000; tries++) {
    const entry = entryOf(gas)
    const limit = shares.limitOf(entry, left)
    if (limit === undefined) continue
    if (weight <= limit) {
      shares.noteIncluded(gas, weight, 0)
      left -= weight
      continue
    }
    wasted += limit
    stopped++
    shares.noteStopped(entry, limit, 0)
  }
  expect(stopped).toBeGreaterThan(10)
  expect(wasted).toBeLessThan(700_000_000)
  expect(left).toBeGreaterThanOrEqual(0)
})

it('wastes no more on one transaction than on all', () => {
  const shares = new WeightShares(new HeavyTransactions(), DEFAULT_MAX_BLOCK_WEIGHT)
  expect(shares.noteIncluded(MAX_TRANSACTION_GAS, 300_000_000, 0)).toBe('heavy')
  expect(shares.limitOf(largest(), DEFAULT_MAX_BLOCK_WEIGHT - 300_000_000)).toBeLessThanOrEqual(400_000_000)
})

it('remembers what it stopped: it waits for a block with room, and is worth less', () => {
  const heavy = new HeavyTransactions()
  const entry = largest()
  const shares = new WeightShares(heavy, DEFAULT_MAX_BLOCK_WEIGHT)
  shares.noteIncluded(MAX_TRANSACTION_GAS, 1_200_000_000, 0)
  const limit = shares.limitOf(entry, 600_000_000)
  expect(limit).toBeLessThan(MAX_TRANSACTION_WEIGHT)
  expect(shares.noteStopped(entry, limit ?? 0, 0)).toBe(false)
  expect(shares.limitOf(entry, 600_000_000)).toBeUndefined()
  const next = new WeightShares(heavy, DEFAULT_MAX_BLOCK_WEIGHT)
  expect(next.limitOf(entry, DEFAULT_MAX_BLOCK_WEIGHT)).toBeGreaterThanOrEqual(MAX_TRANSACTION_WEIGHT)
  const rank = heavy.beginProposal(1_900_000_000n)
  expect(rank(entry, 1_000_000_000n)).toBeLessThan(rank(largest(), 0n))
})

it('takes whatever replaces a heavy transaction for heavy, and wastes no more on its account and nonce', () => {
  const heavy = new HeavyTransactions()
  const first = largest()
  const shares = new WeightShares(heavy, DEFAULT_MAX_BLOCK_WEIGHT)
  shares.noteIncluded(MAX_TRANSACTION_GAS, 1_200_000_000, 0)
  shares.noteStopped(first, shares.limitOf(first, 600_000_000) ?? 0, 0)
  const next = new WeightShares(heavy, DEFAULT_MAX_BLOCK_WEIGHT)
  next.noteIncluded(MAX_TRANSACTION_GAS, 1_200_000_000, 0)
  // Another pool entry, of other bytes.
  expect(next.limitOf({ ...first }, 600_000_000)).toBeUndefined()
  expect(next.limitOf({ ...first, gasLimit: 12_000_000n }, 600_000_000)).toBeUndefined()
  // Nothing is known of another nonce or account, and a plain transfer runs no code: it may take the place at once.
  expect(next.limitOf({ ...first, nonce: 8n }, 600_000_000)).toBeDefined()
  expect(next.limitOf(largest(), 600_000_000)).toBeDefined()
  expect(next.limitOf({ ...first, gasLimit: 21_000n }, 600_000_000)).toBeDefined()
})

it('remembers that a transaction fits into no block, of its account and nonce', () => {
  const heavy = new HeavyTransactions()
  const entry = entryOf(900_000_000n)
  const shares = new WeightShares(heavy, DEFAULT_MAX_BLOCK_WEIGHT)
  expect(heavy.fitsNoBlock(entry)).toBe(false)
  shares.noteStopped(entry, shares.limitOf(entry, DEFAULT_MAX_BLOCK_WEIGHT) ?? 0, 0)
  expect(heavy.fitsNoBlock({ ...entry, gasLimit: 800_000_000n })).toBe(true)
  expect(heavy.fitsNoBlock({ ...entry, gasLimit: MAX_TRANSACTION_GAS })).toBe(false)
  expect(heavy.fitsNoBlock({ ...entry, nonce: 8n })).toBe(false)
})

it('remembers a bounded number of places, and forgets the oldest first', () => {
  const heavy = new HeavyTransactions()
  const entries = Array.from({ length: 10_001 }, largest)
  for (const entry of entries) heavy.add(entry, false)
  const isKnown = (index: number): boolean => heavy.has({ ...(entries[index] as ProposableTransaction) })
  expect([isKnown(0), isKnown(1), isKnown(10_000)]).toEqual([false, true, true])
})

it('at every eighth proposal what was kept waiting comes before all others, heavy or not tried yet', () => {
  const heavy = new HeavyTransactions()
  const [known, untried, ordinary] = [largest(), largest(), largest()]
  const shares = new WeightShares(heavy, DEFAULT_MAX_BLOCK_WEIGHT)
  shares.noteIncluded(MAX_TRANSACTION_GAS, 1_200_000_000, 0)
  shares.noteStopped(known, shares.limitOf(known, 600_000_000) ?? 0, 0)
  expect(shares.limitOf(untried, 600_000_000)).toBeUndefined()
  const isFirst: boolean[] = []
  for (let proposal = 1; proposal <= 16; proposal++) {
    const rank = heavy.beginProposal(1_900_000_000n)
    const most = rank(ordinary, 2n ** 256n - 1n)
    // Equal ranks: the older one comes first.
    isFirst.push(rank(known, 0n) > most && rank(known, 0n) === rank(untried, 5n))
  }
  expect(isFirst.flatMap((is, index) => (is ? [index + 1] : []))).toEqual([8, 16])
})

it('tells that a transaction fits into no block', () => {
  const shares = new WeightShares(new HeavyTransactions(), DEFAULT_MAX_BLOCK_WEIGHT)
  const entry = entryOf(900_000_000n)
  const limit = shares.limitOf(entry, DEFAULT_MAX_BLOCK_WEIGHT)
  expect(shares.noteStopped(entry, limit ?? 0, 0)).toBe(true)
})

it('on a slow machine, by the clock, the heavy ones have no room any more', () => {
  const shares = new WeightShares(new HeavyTransactions(), DEFAULT_MAX_BLOCK_WEIGHT)
  shares.noteIncluded(1_000_000n, 77_000_000, 5_000)
  const limit = shares.limitOf(entryOf(1_000_000n), DEFAULT_MAX_BLOCK_WEIGHT - 77_000_000)
  expect(limit).toBeLessThan(20_000_000)
})
