/** Deletes pruned history and blocks in a thread of its own, woken by every committed block. */
import { Worker } from 'node:worker_threads'
import { CodedError, errorText } from '../../../core/errors.ts'
import { readBaseHeight } from '../../../store/base-height.ts'
import { readKeptRange } from '../../../store/kept-range.ts'
import type { KeyValueStore } from '../../../store/store.ts'
import { STORE_ERRORS } from '../../../store/rocks/errors.ts'
import { endWorker } from './end-worker.ts'
import type { NodeLog } from './log.ts'

export interface SweeperWorkerData {
  /** The handle of the open database. */
  readonly handle: unknown
}

export type SweeperRequest = 'committed' | 'stop'

/** What one step did, or why there are no more. */
export type SweeperMessage =
  | {
      readonly type: 'step'
      readonly blocks: number
      readonly visited: number
      readonly dropped: number
      readonly finished: boolean
    }
  /** `code` is of codespace `store`. */
  | { readonly type: 'fault'; readonly code: number; readonly message: string }

export interface SweeperOptions {
  readonly store: KeyValueStore & { readonly handle: unknown }
  readonly log: NodeLog
  /** The database failed under it. */
  onFault(error: CodedError): void
  onStep?(message: SweeperMessage): void
}

export interface Sweeper {
  /** Called after a block was written. */
  committed(): void
  /** Settles when the thread has let go of the database. */
  close(): Promise<void>
}

export const startSweeper = ({ store, log, onFault, onStep }: SweeperOptions): Sweeper => {
  let worker: Worker | undefined
  let closed = false
  const fail = (code: number, message: string): void => {
    if (closed) return
    log.error('pruning failed', { reason: message })
    onFault(new CodedError('store', code, `pruning failed: ${message}`))
  }
  const start = (): Worker => {
    const workerData: SweeperWorkerData = { handle: store.handle }
    const started = new Worker(new URL('./sweeper-worker.ts', import.meta.url), { workerData })
    started.on('message', (message: SweeperMessage) => {
      if (message.type === 'fault') fail(message.code, message.message)
      onStep?.(message)
    })
    started.on('error', (error) => fail(STORE_ERRORS.failed, errorText(error)))
    return started
  }
  return {
    committed: () => {
      if (closed) return
      // An archive has nothing to delete, and needs no thread.
      if (worker === undefined && readKeptRange(store).from === 0 && readBaseHeight(store) === 0) return
      worker ??= start()
      worker.postMessage('committed' satisfies SweeperRequest)
    },
    close: async () => {
      closed = true
      if (worker !== undefined) await endWorker(worker)
    },
  }
}
