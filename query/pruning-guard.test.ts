import { describe, expect, it } from 'vitest'
import { writeBaseHeight } from '../store/base-height.ts'
import { writeKeptRange } from '../store/kept-range.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import type { KeyValueStore } from '../store/store.ts'
import { ChainReader } from '../app/index/chain-reader.ts'
import { PruningGuard } from './pruning-guard.ts'

const keepFrom = (store: KeyValueStore, from: number): void => {
  const batch = store.batch()
  writeKeptRange(batch, { from, interval: 0, sparseFrom: 0 })
  store.write(batch, { sync: true })
}

const raiseBase = (store: KeyValueStore, base: number): void => {
  const batch = store.batch()
  writeBaseHeight(batch, base)
  store.write(batch, { sync: true })
}

const codeOf = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await work()
  } catch (error) {
    return (error as { code?: unknown }).code ?? error
  }
}

describe('PruningGuard', () => {
  it('refuses a height that is not kept, before anything is read', async () => {
    const store = openMemoryStore()
    keepFrom(store, 10)
    const guard = new PruningGuard(new ChainReader(store))
    expect(guard.kept(10)).toBe(10)
    // Without a header it has no root to name.
    expect(await codeOf(async () => guard.kept(9))).toBe(8)
  })

  it('does not give an answer whose height was pruned while it was made, be it a result or a failure', async () => {
    for (const fails of [false, true]) {
      const store = openMemoryStore()
      const guard = new PruningGuard(new ChainReader(store))
      const answer = async (): Promise<string> => {
        guard.kept(5)
        keepFrom(store, 6)
        if (fails) throw new RangeError('a node was missing')
        return 'wrong'
      }
      expect(await codeOf(() => guard.run('call', answer))).toBe(8)
    }
  })

  it('gives what is still kept, and failures as they are', async () => {
    const store = openMemoryStore()
    const guard = new PruningGuard(new ChainReader(store))
    const answer = async (): Promise<string> => {
      guard.kept(5)
      keepFrom(store, 5)
      return 'right'
    }
    expect(await guard.run('call', answer)).toBe('right')
    const failure = new RangeError('another reason')
    expect(await codeOf(() => guard.run('call', () => Promise.reject(failure)))).toBe(failure)
  })

  it('asks again about blocks when the lowest one has moved, and gives up where it never rests', async () => {
    const store = openMemoryStore()
    const reader = new ChainReader(store)
    let attempts = 0
    const once = async (): Promise<string> => {
      if (attempts++ === 0) raiseBase(store, 7)
      return `attempt ${attempts}`
    }
    expect(await new PruningGuard(reader).run('blockReceipts', once)).toBe('attempt 2')
    let base = 10
    const always = async (): Promise<string> => {
      raiseBase(store, base++)
      return 'never'
    }
    expect(await codeOf(() => new PruningGuard(reader).run('block', always))).toBe(8)
    expect(await new PruningGuard(reader).run('call', always)).toBe('never')
  })
})
