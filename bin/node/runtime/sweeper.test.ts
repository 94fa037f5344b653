import { describe, expect, it } from 'vitest'
import { keyToBytes, readUint64 } from '../../../core/bytes.ts'
import { readKeptRange, writeKeptRange } from '../../../store/kept-range.ts'
import { openRocksStore } from '../../../store/rocks/rocks-store.ts'
import { withDirectory } from '../../../store/testing/backends.ts'
import { expectHeight } from '../../../store/testing/expect-height.ts'
import { keysOf, RandomChain, readColumn } from '../../../store/testing/random-chain.ts'
import { seededRandom } from '../../../store/testing/seeded-random.ts'
import { startSweeper, type SweeperMessage } from './sweeper.ts'

const KEEP_RECENT = 10
/** Rounds that ended while blocks were written are told of late. */
const MAX_ROUNDS = 20
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

describe('startSweeper', () => {
  it('prunes in a thread beside the one that writes blocks, until nothing is left to prune', async () => {
    await withDirectory(async (path) => {
      const store = await openRocksStore({ path, cacheBytes: 8 * 1024 * 1024 })
      const faults: unknown[] = []
      let dropped = 0
      let rounds = 0
      let onNextStep = (): void => undefined
      const onStep = (message: SweeperMessage): void => {
        if (message.type !== 'step') return
        dropped += message.dropped
        if (message.finished) rounds++
        onNextStep()
      }
      const sweeper = startSweeper({ store, log: SILENT, onFault: (error) => faults.push(error), onStep })
      const chain = new RandomChain(store, seededRandom(9))
      const addBlock = (): void => {
        chain.block(12, (batch, height) =>
          writeKeptRange(batch, { from: Math.max(0, height - KEEP_RECENT + 1), interval: 0, sparseFrom: 0 }),
        )
        sweeper.committed()
      }
      const sweepRound = async (): Promise<void> => {
        for (const wanted = rounds + 1; rounds < wanted; ) {
          const step = new Promise<void>((resolve) => (onNextStep = resolve))
          sweeper.committed()
          await step
        }
      }
      for (let i = 0; i < 80; i++) addBlock()
      await sweepRound()
      for (let i = 0; i < 40; i++) addBlock()
      const { from } = readKeptRange(store)
      // An entry of the lowest kept height serves the heights before it only.
      const leftOver = (): number =>
        [...readColumn(store, 'history').keys()]
          .map(keyToBytes)
          .filter((key) => readUint64(key, key.length - 8) <= from).length
      for (let i = 0; i < MAX_ROUNDS && leftOver() > 0; i++) await sweepRound()
      await sweeper.close()
      expect(faults).toEqual([])
      expect(leftOver()).toBe(0)
      expect(dropped).toBeGreaterThan(500)
      for (let height = from; height <= chain.height; height++) expectHeight(chain, height, keysOf(chain, 'trie'))
      store.close()
      await store.closed
    })
  })

  it('starts no thread for an archive', async () => {
    await withDirectory(async (path) => {
      const store = await openRocksStore({ path, cacheBytes: 8 * 1024 * 1024 })
      const steps: SweeperMessage[] = []
      const onStep = (message: SweeperMessage): number => steps.push(message)
      const sweeper = startSweeper({ store, log: SILENT, onFault: () => undefined, onStep })
      const chain = new RandomChain(store, seededRandom(10))
      for (let i = 0; i < 5; i++) {
        chain.block()
        sweeper.committed()
      }
      await sweeper.close()
      expect(steps).toEqual([])
      store.close()
      await store.closed
    })
  })
})
