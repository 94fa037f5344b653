/** For tests, a process of its own: writes blocks and sweeps, and kills itself. Arguments: database, seed, writes until then. */
import { utf8ToBytes, uint64ToBytes } from '../../core/bytes.ts'
import { readKeptRange, writeKeptRange } from '../kept-range.ts'
import { openRocksStore } from '../rocks/rocks-store.ts'
import type { KeyValueStore } from '../store.ts'
import { sweepStep } from '../sweep.ts'
import { RandomChain } from './random-chain.ts'
import { seededRandom } from './seeded-random.ts'

export const HEAD_KEY = utf8ToBytes('test-head')
export const BLOCKS = 40
const KEEP_RECENT = 8
const INTERVAL = 5

export const runChain = (store: KeyValueStore, seed: number): RandomChain => {
  const chain = new RandomChain(store, seededRandom(seed), 30)
  for (let i = 0; i < BLOCKS; i++) {
    chain.block(8, (batch, height) => {
      batch.put('meta', HEAD_KEY, uint64ToBytes(height))
      const from = Math.max(readKeptRange(store).from, height - KEEP_RECENT)
      writeKeptRange(batch, { from, interval: INTERVAL, sparseFrom: 0 })
    })
    for (let step = 0; step < 4; step++) sweepStep(store, 25)
  }
  return chain
}

const [path, seed, writes] = process.argv.slice(2)
if (path !== undefined && import.meta.filename === process.argv[1]) {
  const store = await openRocksStore({ path, cacheBytes: 8 * 1024 * 1024 })
  let left = Number(writes)
  const write = store.write.bind(store)
  store.write = (batch, options) => {
    write(batch, options)
    if (--left <= 0) process.kill(process.pid, 'SIGKILL')
  }
  runChain(store, Number(seed))
}
