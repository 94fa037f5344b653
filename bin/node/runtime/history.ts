/** Makes the history of the order book in a thread of its own, woken by every committed block. */
import { Worker } from 'node:worker_threads'
import { CodedError, errorText } from '../../../core/errors.ts'
import { endWorker } from './end-worker.ts'
import type { NodeLog } from './log.ts'

export interface HistoryWorkerData {
  /** The handle of the open database. */
  readonly handle: unknown
}

export type HistoryRequest = 'committed' | 'stop'

export type HistoryMessage =
  | { readonly type: 'reached'; readonly height: number }
  /** `code` is of codespace `store`; without it the history itself is at fault. */
  | { readonly type: 'fault'; readonly code: number | undefined; readonly message: string }

export interface HistoryOptions {
  readonly handle: unknown
  readonly log: NodeLog
  /** The database failed under it. */
  onFault(error: CodedError): void
  /** The history has come to the head. */
  onReached?(height: number): void
}

export interface HistoryThread {
  /** Called after a block was written. */
  committed(): void
  /** Settles when the thread has let go of the database. */
  close(): Promise<void>
}

/** A fault of the history alone ends the thread and is logged: nothing of it is state, and the chain goes on. */
export const startHistory = ({ handle, log, onFault, onReached }: HistoryOptions): HistoryThread => {
  let worker: Worker | undefined
  let closed = false
  let isBroken = false
  const breakOff = (message: string): void => {
    isBroken = true
    log.error('the history of the order book is not made any more: start the node anew', { reason: message })
  }
  const hear = (message: HistoryMessage): void => {
    if (message.type === 'reached') onReached?.(message.height)
    else if (closed) return
    else if (message.code === undefined) breakOff(message.message)
    else onFault(new CodedError('store', message.code, `the history of the order book: ${message.message}`))
  }
  const start = (): Worker => {
    const workerData: HistoryWorkerData = { handle }
    const started = new Worker(new URL('./history-worker.ts', import.meta.url), { workerData })
    started.on('message', hear)
    started.on('error', (error) => breakOff(errorText(error)))
    return started
  }
  return {
    committed: () => {
      if (closed || isBroken) return
      worker ??= start()
      worker.postMessage('committed' satisfies HistoryRequest)
    },
    close: async () => {
      closed = true
      if (worker !== undefined) await endWorker(worker)
    },
  }
}
