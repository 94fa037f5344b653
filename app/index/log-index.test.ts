import { describe, expect, it } from 'vitest'
import { equalBytes } from '../../core/bytes.ts'
import { keccak256 } from '../../core/hash.ts'
import type { Log } from '../../evm/engine.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import type { Cursor, KeyValueStore } from '../../store/store.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import type { Receipt } from '../records/receipt.ts'
import { logOf, type LogTerm, searchLogIndex, transactionOf, writeLogIndex } from './log-index.ts'

const BLOCKS = 300

/** Few values, so that they meet; two of them share the twelve bytes that the index keeps. */
const words = Array.from({ length: 6 }, (_, index) => keccak256(Uint8Array.of(index)))
const twin = (words[0] ?? new Uint8Array(32)).slice()
twin[20] = (twin[20] ?? 0) ^ 1
const TOPICS: readonly Uint8Array[] = [...words, twin]
const ADDRESSES: readonly Uint8Array[] = TOPICS.map((topic) => topic.slice(0, 20))

const makeLog = (random: Random): Log => ({
  address: random.pick(ADDRESSES),
  topics: Array.from({ length: random.below(5) }, () => random.pick(TOPICS)),
  data: random.bytes(3),
})

const makeReceipt = (logs: readonly Log[]): Receipt => ({
  type: 2,
  succeeded: true,
  gasUsed: 1n,
  cumulativeGasUsed: 1n,
  effectiveGasPrice: 1n,
  contractAddress: undefined,
  firstLogIndex: 0,
  logs,
})

/** Logs by height, transaction and place. */
type Chain = ReadonlyMap<number, readonly (readonly Log[])[]>

const writeChain = (random: Random, store: KeyValueStore): Chain => {
  const chain = new Map<number, readonly (readonly Log[])[]>()
  for (let height = 1; height <= BLOCKS; height++) {
    // Some blocks hold hundreds of transactions, so that places take two bytes.
    const count = random.chance(5) ? 200 : random.below(4)
    const transactions = Array.from({ length: count }, () =>
      Array.from({ length: random.below(3) }, () => makeLog(random)),
    )
    chain.set(height, transactions)
    const batch = store.batch()
    writeLogIndex(batch, height, transactions.map(makeReceipt))
    store.write(batch, { sync: false })
  }
  return chain
}

const matches = (log: Log, positions: readonly (readonly LogTerm[])[], bytes: number): boolean =>
  positions.every((terms) =>
    terms.some(({ kind, value }) => {
      const held = kind === 0 ? log.address : log.topics[kind - 1]
      return held !== undefined && equalBytes(held.slice(0, bytes), value.slice(0, bytes))
    }),
  )

const places = (chain: Chain, from: number, to: number, wanted: (log: Log) => boolean): string[] => {
  const out: string[] = []
  for (let height = from; height <= to; height++) {
    for (const [transaction, logs] of (chain.get(height) ?? []).entries()) {
      for (const [index, log] of logs.entries()) if (wanted(log)) out.push(`${height}/${transaction}/${index}`)
    }
  }
  return out
}

const randomPositions = (random: Random): (readonly LogTerm[])[] =>
  [0, 1, 2, 3, 4].flatMap((kind) => {
    if (random.chance(55)) return []
    const values = kind === 0 ? ADDRESSES : TOPICS
    return [Array.from({ length: 1 + random.below(3) }, () => ({ kind, value: random.pick(values) }))]
  })

describe('the index of logs', () => {
  it(
    'finds what a look at every log finds, for addresses, topics, alternatives, wildcards and ranges',
    seeded(70, (random) => {
      const store = openMemoryStore()
      const chain = writeChain(random, store)
      let found = 0
      for (let query = 0; query < 400; query++) {
        const positions = randomPositions(random)
        const from = random.below(BLOCKS)
        const to = from + random.below(BLOCKS + 50 - from)
        const results = [...searchLogIndex(() => store.cursor('index'), positions, from, to)]
        expect(results.map(({ height }) => height)).toEqual(
          results.map(({ height }) => height).toSorted((a, b) => a - b),
        )
        const shown = results.flatMap(({ height, places: found }) =>
          found === undefined
            ? places(chain, height, height, () => true)
            : found.map((place) => `${height}/${transactionOf(place)}/${logOf(place)}`),
        )
        // The index compares twelve bytes; whoever reads the logs compares the rest.
        expect(shown).toEqual(places(chain, from, to, (log) => matches(log, positions, 12)))
        const exact = places(chain, from, to, (log) => matches(log, positions, 32))
        expect(exact.every((place) => shown.includes(place))).toBe(true)
        found += exact.length
      }
      expect(found).toBeGreaterThan(1_000)
    }),
  )

  it(
    'costs by what matches: a rare address beside a common topic is found with a few seeks',
    seeded(71, (random) => {
      const store = openMemoryStore()
      const [common = new Uint8Array(32)] = TOPICS
      const rare = random.bytes(20)
      const batch = store.batch()
      const rareHeights = new Set([10, 5_000, 9_999])
      for (let height = 1; height <= 10_000; height++) {
        const address = rareHeights.has(height) ? rare : (ADDRESSES[1] ?? new Uint8Array(20))
        writeLogIndex(batch, height, [makeReceipt([{ address, topics: [common], data: new Uint8Array(0) }])])
      }
      store.write(batch, { sync: false })
      let seeks = 0
      let open = 0
      const counting = (): Cursor => {
        const cursor = store.cursor('index')
        open++
        return {
          seek: (key) => {
            seeks++
            return cursor.seek(key)
          },
          next: () => cursor.next(),
          close: () => {
            open--
            cursor.close()
          },
        }
      }
      const positions = [[{ kind: 0, value: rare }], [{ kind: 1, value: common }]]
      const heights = [...searchLogIndex(counting, positions, 0, 10_000)].map(({ height }) => height)
      expect(heights).toEqual([...rareHeights])
      expect(seeks).toBeLessThanOrEqual(4 * (rareHeights.size + 1))
      // What is named again is not sought again, and the time is looked at between all seeks.
      seeks = 0
      let looks = 0
      const named = positions.map((terms) => Array.from({ length: 500 }, () => terms).flat())
      const again = searchLogIndex(counting, named, 0, 10_000, () => looks++)
      expect([...again].map(({ height }) => height)).toEqual([...rareHeights])
      expect(seeks).toBeLessThanOrEqual(4 * (rareHeights.size + 1))
      expect(looks).toBeGreaterThanOrEqual(seeks)
      // A search that its reader leaves early closes its cursors too.
      for (const { height } of searchLogIndex(counting, positions, 0, 10_000)) if (height > 0) break
      expect(open).toBe(0)
    }),
  )
})
