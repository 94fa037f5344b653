import { EventEmitter, once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { careForMemory, exposeCollector, limitOtherThreads, type MemoryCare } from './memory-care.ts'

const INTERVAL_MS = 50
let care: MemoryCare | undefined
afterEach(() => care?.stop())

/** Bytes that V8 holds for young objects. */
const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0

/** Young objects of which every second one stays for a while, so that their room grows. */
const makeYoungObjects = (): void => {
  let kept: { readonly text: string }[] = []
  for (let index = 0; index < 2_000_000; index++) {
    kept.push({ text: String(index) })
    if (kept.length > 200_000) kept = []
  }
}

/** Counts collections, and tells when there have been so many. */
const countCollections = (pauseMs: number) => {
  const { all, old } = exposeCollector()
  let count = 0
  const collected = new EventEmitter()
  const counting = (kind: string, collect: () => void) => (): void => {
    collect()
    collected.emit(kind)
    collected.emit(String(++count))
  }
  const collector = { all: counting('all', all), old: counting('old', old) }
  const trim = (): void => void collected.emit('trim', count)
  care = careForMemory({ collector, trim, intervalMs: INTERVAL_MS, pauseMs, share: 1 })
  return { until: (wanted: number | 'old' | 'trim') => once(collected, String(wanted)), count: () => count }
}

const work = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
}

const intervals = (count: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, count * INTERVAL_MS))

describe('the care for memory', () => {
  it('gives back the room of young objects when the process comes to rest', async () => {
    const { until } = countCollections(0)
    makeYoungObjects()
    const grown = youngBytes()
    await until(1)
    expect(grown).toBeGreaterThanOrEqual(4 * 1024 * 1024)
    expect(youngBytes()).toBeLessThan(grown / 2)
  })

  it('collects again after work', async () => {
    const { until, count } = countCollections(0)
    await until(1)
    work(2 * INTERVAL_MS)
    await until(2)
    expect(count()).toBe(2)
  })

  it('gives back what was freed, after a collection', async () => {
    const { until } = countCollections(60_000)
    expect(await until('trim')).toEqual([1])
  })

  it('leaves a pause between two collections', async () => {
    const { until, count } = countCollections(60_000)
    await until(1)
    work(2 * INTERVAL_MS)
    await intervals(5)
    expect(count()).toBe(1)
  })

  it('collects once when many arrays outside the heap came and there is time to spare', async () => {
    const { until, count } = countCollections(60_000)
    await until(1)
    const load = setInterval(() => work(INTERVAL_MS / 5), INTERVAL_MS)
    try {
      const arrays = Array.from({ length: 400 }, () => Buffer.alloc(100_000))
      await until('old')
      await intervals(5)
      expect([count(), arrays.length]).toEqual([2, 400])
    } finally {
      clearInterval(load)
    }
  })
})

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
