/** The thread that deletes what is kept no longer, a little after every block, and rests for longer than it works. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { BlockPruner } from '../../../app/index/prune-blocks.ts'
import { CodedError, errorText } from '../../../core/errors.ts'
import { STORE_ERRORS } from '../../../store/rocks/errors.ts'
import { attachRocksStore } from '../../../store/rocks/rocks-store.ts'
import { sweepStep } from '../../../store/sweep.ts'
import { reachedStep } from './kill-point.ts'
import type { SweeperMessage, SweeperRequest, SweeperWorkerData } from './sweeper.ts'

/** A write of so many deletions takes a few milliseconds, and a commit may have to wait for it. */
const ENTRIES_A_STEP = 500
const BLOCKS_A_STEP = 10
/**
 * Entries looked at for each key that the chain has written since: under a quarter of them are history, so that a round
 * ends before the history has grown by a tenth.
 */
const ENTRIES_A_WRITE = 3
const LEAST_ENTRIES = 1_000
/** What was put off is not made up for beyond this: a chain that catches up goes first. */
const MOST_ENTRIES = 100_000
/** It rests this many times as long as it worked: a fifth of a processor, or half of one where it falls behind. */
const REST_FACTOR = 4
const REST_FACTOR_BEHIND = 1
const BEHIND_ENTRIES = 10_000
const LEAST_REST_MS = 1

const store = await attachRocksStore((workerData as SweeperWorkerData).handle)
const blocks = new BlockPruner(store)
let budget = 0
let sequence = store.sequence()
let stopping = false
let running: Promise<void> | undefined

const report = (message: SweeperMessage): void => parentPort?.postMessage(message)

/** Returns whether there is more to do. */
const step = (): boolean => {
  reachedStep('prune-begun')
  const pruned = blocks.step(BLOCKS_A_STEP)
  reachedStep('prune-blocks-written')
  const swept = sweepStep(store, Math.min(budget, ENTRIES_A_STEP))
  reachedStep('prune-history-written')
  budget -= Math.max(swept.visited, 1)
  // Once round in a block is enough for a short history.
  if (swept.finished) budget = 0
  report({ type: 'step', blocks: pruned, visited: swept.visited, dropped: swept.dropped, finished: swept.finished })
  return pruned > 0 || budget > 0
}

const run = async (): Promise<void> => {
  // A block may have been written while it rested.
  for (let more = true; (more || budget > 0) && !stopping; ) {
    const startedMs = performance.now()
    more = step()
    const factor = budget > BEHIND_ENTRIES ? REST_FACTOR_BEHIND : REST_FACTOR
    await sleep(Math.max(LEAST_REST_MS, factor * (performance.now() - startedMs)))
  }
  // Its own writes are no reason for more.
  sequence = store.sequence()
}

const wake = (): void => {
  const written = store.sequence() - sequence
  sequence += written
  budget = Math.min(MOST_ENTRIES, budget + Math.max(LEAST_ENTRIES, ENTRIES_A_WRITE * written))
  running ??= run()
    .catch((error: unknown) => {
      stopping = true
      const isCoded = error instanceof CodedError && error.codespace === 'store'
      const code = isCoded ? error.code : STORE_ERRORS.failed
      report({ type: 'fault', code, message: errorText(error) })
    })
    .finally(() => {
      running = undefined
    })
}

const stop = async (): Promise<void> => {
  stopping = true
  await running
  store.close()
  parentPort?.close()
}

parentPort?.on('message', (request: SweeperRequest) => {
  if (request === 'stop') void stop()
  else if (!stopping) wake()
})
