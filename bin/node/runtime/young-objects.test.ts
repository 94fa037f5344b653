import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { limitOtherThreads } from './young-objects.ts'

/** Prints the limits of the heap: of the main thread before and after, and of a thread that is given 256 MB. */
const LIMITS = `
  import { getHeapStatistics } from 'node:v8'
  import { Worker } from 'node:worker_threads'
  const { limitOtherThreads } = await import(process.argv[1])
  const limits = [getHeapStatistics().heap_size_limit]
  limitOtherThreads()
  limits.push(getHeapStatistics().heap_size_limit)
  const code = "require('node:worker_threads').parentPort.postMessage(require('node:v8').getHeapStatistics().heap_size_limit)"
  const worker = new Worker(code, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 256 } })
  worker.once('message', (limit) => console.log(JSON.stringify([...limits, limit])))`

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

it('other threads have the heap that they are given, whatever the process may have', async () => {
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      '--max-old-space-size=3000',
      '--input-type=module',
      '--eval',
      LIMITS,
      new URL('./young-objects.ts', import.meta.url).href,
    ],
    { encoding: 'utf8' },
  )
  expect(status).toBe(0)
  const [before, after, worker] = (JSON.parse(stdout) as readonly number[]).map((bytes) => bytes / 1024 / 1024)
  expect(before).toBeGreaterThan(3_000)
  expect(after).toBe(before)
  // The room for young objects counts, too.
  expect(worker).toBeLessThan(600)
})
