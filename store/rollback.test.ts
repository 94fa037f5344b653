import { describe, expect, it } from 'vitest'
import { CodedError } from '../core/errors.ts'
import { writeKeptRange } from './kept-range.ts'
import { markRollback, readRollbackTarget, requireRollbackPossible, rollbackState, unmarkRollback } from './rollback.ts'
import type { KeyValueStore } from './store.ts'
import { sweepStep } from './sweep.ts'
import { BACKENDS } from './testing/backends.ts'
import { expectHeight } from './testing/expect-height.ts'
import { keysOf, RandomChain, readColumn } from './testing/random-chain.ts'
import { seededRandom } from './testing/seeded-random.ts'
import { verifyState } from './verify-state.ts'

/** The store, which fails at its n-th write as if the process had been killed there. */
const failingAt = (store: KeyValueStore, writes: number): KeyValueStore => {
  let left = writes
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...parameters: unknown[]): unknown => {
        if (name === 'write' && left-- <= 0) throw new CodedError('test', 1, 'killed')
        return Reflect.apply(member, target, parameters) as unknown
      }
    },
  })
}

const rollBack = (store: KeyValueStore, target: number): void => {
  rollbackState(store, target)
  const batch = store.batch()
  unmarkRollback(batch)
  store.write(batch, { sync: true })
}

describe.each(BACKENDS)('rollbackState over $name', ({ name, withStore }) => {
  const seeds = name === 'memory' ? [1, 2, 3, 4] : [31]

  it.each(seeds)('gives back the columns of the height byte by byte, and the chain goes on (seed %i)', async (seed) => {
    await withStore((store) => {
      const pick = seededRandom(seed)
      const chain = new RandomChain(store, pick)
      for (let i = 0; i < 40; i++) chain.block(12, (batch, height) => keep(batch, height))
      for (let i = 0; i < 20; i++) sweepStep(store, 100)
      for (const target of [38, 30, 25]) {
        requireRollbackPossible(store, target)
        markRollback(store, target)
        expect(readRollbackTarget(store)).toBe(target)
        rollBack(store, target)
        chain.resume(target)
        expect(readRollbackTarget(store)).toBeUndefined()
        expect(readColumn(store, 'state')).toEqual(chain.columns[target]?.state)
        expect(readColumn(store, 'trie')).toEqual(chain.columns[target]?.trie)
        expect(
          verifyState(store, chain.roots[target] as Uint8Array, (address) => chain.isModule(address)),
        ).not.toHaveProperty('difference')
        for (let i = 0; i < 3; i++) chain.block()
      }
      const trieKeys = keysOf(chain, 'trie')
      for (let height = 21; height <= chain.height; height++) expectHeight(chain, height, trieKeys)
    })
  })
})

/** The last twenty heights. */
const keep = (batch: Parameters<typeof writeKeptRange>[0], height: number): void =>
  writeKeptRange(batch, { from: Math.max(0, height - 19), interval: 0, sparseFrom: 0 })

describe('rollbackState', () => {
  const memory = BACKENDS.find(({ name }) => name === 'memory')

  it('can be killed at every write and be done again', async () => {
    let finished = false
    let killed = 0
    while (!finished) {
      await memory?.withStore((store) => {
        const chain = new RandomChain(store, seededRandom(7))
        for (let i = 0; i < 15; i++) chain.block()
        markRollback(store, 5)
        try {
          rollbackState(failingAt(store, killed), 5, 20)
          finished = true
        } catch (error) {
          expect(error).toMatchObject({ codespace: 'test' })
        }
        killed++
        expect(readRollbackTarget(store)).toBe(5)
        rollBack(store, 5)
        expect(readColumn(store, 'state')).toEqual(chain.columns[5]?.state)
        expect(readColumn(store, 'trie')).toEqual(chain.columns[5]?.trie)
      })
    }
    expect(killed).toBeGreaterThan(10)
  })

  it('is refused below the heights that are kept, also at a sparse one, with nothing changed', async () => {
    await memory?.withStore((store) => {
      const chain = new RandomChain(store, seededRandom(8))
      for (let i = 0; i < 30; i++) chain.block()
      const batch = store.batch()
      writeKeptRange(batch, { from: 20, interval: 10, sparseFrom: 0 })
      store.write(batch, { sync: true })
      expect(() => requireRollbackPossible(store, 19)).toThrow('the lowest height to roll back to is 20')
      expect(() => requireRollbackPossible(store, 10)).toThrow(CodedError)
      requireRollbackPossible(store, 20)
      expect(readColumn(store, 'state')).toEqual(chain.columns[30]?.state)
    })
  })
})
