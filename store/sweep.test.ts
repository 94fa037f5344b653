import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { keyToBytes, readUint64 } from '../core/bytes.ts'
import { isKept, type KeptRange, readKeptRange, writeKeptRange } from './kept-range.ts'
import { openMemoryStore } from './memory/memory-store.ts'
import { openRocksStore } from './rocks/rocks-store.ts'
import type { KeyValueStore } from './store.ts'
import { sweepStep } from './sweep.ts'
import { BACKENDS, withDirectory } from './testing/backends.ts'
import { expectHeight } from './testing/expect-height.ts'
import { HEAD_KEY, runChain } from './testing/killed-sweep.ts'
import { keysOf, RandomChain, readColumn } from './testing/random-chain.ts'
import { type Pick, seededRandom } from './testing/seeded-random.ts'

const keptHeights = (range: KeptRange, head: number): readonly number[] =>
  Array.from({ length: head + 1 }, (_, height) => height).filter((height) => isKept(range, height))

/** The keys of entries that a full round must leave: by the rule, over the heights that each key changed at. */
const neededEntries = (
  changes: ReadonlyMap<string, readonly number[]>,
  range: KeptRange,
  head: number,
): ReadonlySet<string> => {
  const kept = keptHeights(range, head)
  const needed = new Set<string>()
  for (const [key, heights] of changes) {
    for (const [index, height] of heights.entries()) {
      const from = heights[index - 1] ?? 0
      if (kept.some((at) => from <= at && at < height)) needed.add(`${key}@${height}`)
    }
  }
  return needed
}

/** Heights at which each key of a history column changed, taken from the column itself before anything is swept. */
class ChangeLog {
  readonly #heights = new Map<string, Set<number>>()

  note(store: KeyValueStore, column: 'history' | 'trie_history'): void {
    for (const entry of entriesOf(store, column)) {
      const [key, height] = entry.split('@') as [string, string]
      const heights = this.#heights.get(key)
      if (heights === undefined) this.#heights.set(key, new Set([Number(height)]))
      else heights.add(Number(height))
    }
  }

  get changes(): ReadonlyMap<string, readonly number[]> {
    return new Map([...this.#heights].map(([key, heights]) => [key, [...heights].sort((a, b) => a - b)]))
  }
}

const entriesOf = (store: KeyValueStore, column: 'history' | 'trie_history'): readonly string[] =>
  [...readColumn(store, column).keys()].map((entry) => {
    const bytes = keyToBytes(entry)
    return `${Buffer.from(bytes.subarray(0, -8)).toString('hex')}@${readUint64(bytes, bytes.length - 8)}`
  })

const nextRange = (range: KeptRange, head: number, pick: Pick): KeptRange => {
  const from = Math.min(head - 1, range.from + pick(8))
  if (from <= range.from) return range
  if (range.interval > 0 || range.from > 0) return { ...range, from }
  const interval = [0, 2, 3, 7][pick(4)] as number
  return { from, interval, sparseFrom: 0 }
}

/**
 * Sweeps from anywhere to the end, once through both columns in small steps, and once in steps that end between keys:
 * where one ends between two entries of a key, one of them may stay for another round.
 */
const sweepFully = (store: KeyValueStore, pick: Pick): void => {
  for (let rounds = 0; rounds < 2; ) if (sweepStep(store, 1 + pick(40)).finished) rounds++
  while (!sweepStep(store, 1_000_000).finished);
}

const write = (store: KeyValueStore, range: KeptRange): void => {
  const batch = store.batch()
  writeKeptRange(batch, range)
  store.write(batch, { sync: true })
}

describe.each(BACKENDS)('sweepStep over $name', ({ name, withStore }) => {
  const seeds = name === 'memory' ? [1, 2, 3, 4, 5, 6, 7, 8] : [21, 22]

  it.each(seeds)('keeps what every kept height needs and nothing else, while blocks come (seed %i)', async (seed) => {
    await withStore((store) => {
      const pick = seededRandom(seed)
      const chain = new RandomChain(store, pick)
      const logs = { history: new ChangeLog(), trie_history: new ChangeLog() }
      for (let i = 0; i < 60; i++) {
        chain.block(12, (batch, height) => writeKeptRange(batch, nextRange(readKeptRange(store), height, pick)))
        logs.history.note(store, 'history')
        logs.trie_history.note(store, 'trie_history')
        for (let steps = pick(6); steps > 0; steps--) sweepStep(store, 1 + pick(60))
      }
      const range = readKeptRange(store)
      const trieKeys = keysOf(chain, 'trie')
      const kept = keptHeights(range, chain.height)
      expect(range.from).toBeGreaterThan(10)
      for (const height of kept) expectHeight(chain, height, trieKeys)
      sweepFully(store, pick)
      for (const height of kept) expectHeight(chain, height, trieKeys)
      for (const column of ['history', 'trie_history'] as const) {
        expect(new Set(entriesOf(store, column)), column).toEqual(
          neededEntries(logs[column].changes, range, chain.height),
        )
      }
    })
  })
})

describe('a process that sweeps', () => {
  it.each([23, 58, 101, 160])('can be killed after any write (%i): every kept height is whole', async (writes) => {
    const seed = 77
    const oracle = runChain(openMemoryStore(), seed)
    await withDirectory(async (path) => {
      const script = fileURLToPath(new URL('./testing/killed-sweep.ts', import.meta.url))
      const child = promisify(execFile)(process.execPath, [script, path, String(seed), String(writes)])
      await expect(child).rejects.toMatchObject({ signal: 'SIGKILL' })
      const store = await openRocksStore({ path, cacheBytes: 8 * 1024 * 1024 })
      const head = readUint64(store.get('meta', HEAD_KEY) ?? new Uint8Array(8))
      expect(head).toBeGreaterThan(0)
      for (const height of keptHeights(readKeptRange(store), head)) {
        expectHeight(oracle, height, keysOf(oracle, 'trie'), store, head)
      }
      store.close()
      await store.closed
    })
  })
})

describe('sweepStep', () => {
  const memory = BACKENDS.find(({ name }) => name === 'memory')

  it('leaves everything alone while every height is kept', async () => {
    await memory?.withStore((store) => {
      const chain = new RandomChain(store, seededRandom(11))
      for (let i = 0; i < 10; i++) chain.block()
      const before = entriesOf(store, 'history').length
      expect(sweepStep(store, 1_000)).toEqual({ visited: 0, dropped: 0, finished: true })
      expect(entriesOf(store, 'history')).toHaveLength(before)
    })
  })

  it('holds the number of entries flat over many blocks when each block pays for some steps', async () => {
    await memory?.withStore((store) => {
      const pick = seededRandom(12)
      const chain = new RandomChain(store, pick, 30)
      const sizes: number[] = []
      for (let i = 0; i < 600; i++) {
        chain.block(12, (batch, height) =>
          writeKeptRange(batch, { from: Math.max(0, height - 19), interval: 0, sparseFrom: 0 }),
        )
        for (let steps = 0; steps < 4; steps++) sweepStep(store, 50)
        sizes.push(entriesOf(store, 'history').length + entriesOf(store, 'trie_history').length)
      }
      const most = (from: number, to: number): number => Math.max(...sizes.slice(from, to))
      expect(most(500, 600)).toBeLessThan(1.3 * most(100, 200))
    })
  })

  it('follows a policy that changed: what the new one gives up goes, what it adds is kept from then on', async () => {
    await memory?.withStore((store) => {
      const pick = seededRandom(13)
      const chain = new RandomChain(store, pick)
      for (let i = 0; i < 40; i++) chain.block()
      write(store, { from: 30, interval: 5, sparseFrom: 0 })
      sweepFully(store, pick)
      write(store, { from: 30, interval: 10, sparseFrom: 0 })
      sweepFully(store, pick)
      for (let i = 0; i < 10; i++) chain.block()
      write(store, { from: 45, interval: 3, sparseFrom: 30 })
      sweepFully(store, pick)
      const trieKeys = keysOf(chain, 'trie')
      const range = readKeptRange(store)
      expect(keptHeights(range, chain.height)).toEqual([30, 33, 36, 39, 42, 45, 46, 47, 48, 49, 50])
      for (const height of keptHeights(range, chain.height)) expectHeight(chain, height, trieKeys)
    })
  })
})
