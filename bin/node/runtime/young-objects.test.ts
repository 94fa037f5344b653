import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { limitOtherThreads } from './young-objects.ts'

it('other threads have little room for young objects', async () => {
  limitOtherThreads()
  const script = `
    const { parentPort } = require('node:worker_threads')
    const { getHeapSpaceStatistics } = require('node:v8')
    let kept = []
    let most = 0
    for (let index = 0; index < 4_000_000; index++) {
      kept.push({ text: String(index) })
      if (kept.length > 400_000) kept = []
      if (index % 100_000 === 0) {
        most = Math.max(most, getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)
      }
    }
    parentPort.postMessage(most)`
  const worker = new Worker(script, { eval: true })
  const [most] = (await once(worker, 'message')) as [number]
  await worker.terminate()
  // Two halves of 8 MB and a little beside; V8 by itself grows to two of 16.
  expect(most).toBeLessThan(24 * 1024 * 1024)
})
