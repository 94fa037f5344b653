/** The thread that makes the history of the order book, block by block, behind the one that executes them. */
import { parentPort, workerData } from 'node:worker_threads'
import { setTimeout as sleep } from 'node:timers/promises'
import { HistoryFollower } from '../../../app/clob-history/follow.ts'
import { CodedError, errorText } from '../../../core/errors.ts'
import { attachRocksStore } from '../../../store/rocks/rocks-store.ts'
import type { HistoryMessage, HistoryRequest, HistoryWorkerData } from './history.ts'
import { reachedStep } from './kill-point.ts'

/** It rests as long as it works where it has many blocks to take: half of a processor, for a chain that catches up goes first. */
const LEAST_REST_MS = 1
const REST_AFTER_MS = 20

const store = await attachRocksStore((workerData as HistoryWorkerData).handle)
const follower = new HistoryFollower(store)
let stopping = false
let isWanted = false
let running: Promise<void> | undefined

const report = (message: HistoryMessage): void => parentPort?.postMessage(message)

const run = async (): Promise<void> => {
  while (isWanted && !stopping) {
    isWanted = false
    let startedMs = performance.now()
    for (let more = true; more && !stopping; ) {
      const { isMore, height } = follower.step()
      reachedStep('history-written')
      more = isMore
      const workedMs = performance.now() - startedMs
      if (!more) report({ type: 'reached', height: height ?? 0 })
      if (!more || workedMs < REST_AFTER_MS) continue
      await sleep(Math.max(LEAST_REST_MS, workedMs))
      startedMs = performance.now()
    }
  }
}

const wake = (): void => {
  isWanted = true
  running ??= run()
    .catch((error: unknown) => {
      stopping = true
      const isStore = error instanceof CodedError && error.codespace === 'store'
      report({ type: 'fault', code: isStore ? error.code : undefined, message: errorText(error) })
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

parentPort?.on('message', (request: HistoryRequest) => {
  if (request === 'stop') void stop()
  else if (!stopping) wake()
})
