import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { endWorker } from './end-worker.ts'

const start = async (source: string): Promise<Worker> => {
  const worker = new Worker(`const { parentPort } = require('node:worker_threads')\n${source}`, { eval: true })
  // Whoever starts a worker listens for its death: without a listener it would be ours.
  worker.on('error', () => undefined)
  await once(worker, 'online')
  return worker
}

const OBEYS = "parentPort.on('message', () => parentPort.close())"
const DIES = "parentPort.on('message', () => { throw new Error('broken') })"
const IGNORES = "parentPort.on('message', () => undefined)"

it.each([
  ['ends by itself', OBEYS, undefined],
  ['dies when it is asked', DIES, undefined],
  ['does not listen', IGNORES, 20],
])('a worker that %s has ended afterwards', async (_, source, timeoutMs) => {
  const worker = await start(source)
  await endWorker(worker, timeoutMs)
  expect(worker.threadId).toBe(-1)
})

it('a worker that has ended before is not waited for', async () => {
  const worker = await start(OBEYS)
  await worker.terminate()
  await endWorker(worker)
  expect(worker.threadId).toBe(-1)
})
