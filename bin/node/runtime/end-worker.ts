/** Asks a worker thread to end by itself, so that it lets go of the database first. */
import type { Worker } from 'node:worker_threads'

/**
 * Sends `stop` and settles when the thread has ended, also when it had ended already or dies on the way. One that does
 * not end is terminated after `timeoutMs`; without that it is waited for.
 */
export const endWorker = async (worker: Worker, timeoutMs?: number): Promise<void> => {
  // A thread that has ended sends no further event.
  if (worker.threadId === -1) return
  const { promise: exited, resolve } = Promise.withResolvers<void>()
  worker.once('exit', () => resolve())
  worker.postMessage('stop')
  const patience = timeoutMs === undefined ? undefined : setTimeout(() => void worker.terminate(), timeoutMs)
  await exited
  clearTimeout(patience)
}
